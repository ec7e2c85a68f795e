/** Merges `spec.podSettings` into a rendered workload. Pure functions. */
import type { V1SecurityContext, V1TopologySpreadConstraint } from '@kubernetes/client-node';

import { fill } from '../api/defaults/fill.ts';
import type { PodFields, StringMap } from '../api/settings.ts';
import { NON_ROOT_USER } from './values.ts';
import type { Container, PodSpec, Workload } from './workload.ts';

/**
 * Returns the workload with the Pod fields of the user. Without fields it is unchanged. Security contexts are merged
 * into those of the template, so a field that the user does not set keeps its restricted default.
 */
export function overlayPodFields(workload: Workload, fields: PodFields): Workload {
  if (Object.keys(fields).length === 0) return workload;
  const { selector, template } = workload.spec;
  const spec = overlayPod(template.spec, fields, selector.matchLabels);
  return { ...workload, spec: { ...workload.spec, template: { ...template, spec } } };
}

function overlayPod(pod: PodSpec, fields: PodFields, selector: StringMap): PodSpec {
  const { topologySpreadConstraints = [], hostAliases = [], runtimeClassName } = fields;
  const [main, ...others] = pod.containers;
  if (!main) throw new Error('the workload template has no container');
  return {
    ...pod,
    ...filledMap('nodeSelector', fields.nodeSelector, pod.nodeSelector),
    ...(topologySpreadConstraints.length > 0 && {
      topologySpreadConstraints: topologySpreadConstraints.map((one) => spread(one, selector)),
    }),
    ...(runtimeClassName && { runtimeClassName }),
    ...(hostAliases.length > 0 && { hostAliases }),
    ...filledMap('dnsConfig', fields.dnsConfig),
    ...securityOf(fields, pod),
    containers: [overlayContainer(main, fields), ...others],
  };
}

/** Returns a field with the entries of the user over those of the template; none if the user gives no entry. */
const filledMap = (
  field: string,
  given: object | undefined,
  own?: StringMap,
): Readonly<Record<string, unknown>> =>
  given === undefined || Object.keys(given).length === 0 ? {} : { [field]: { ...own, ...given } };

const securityOf = (
  { podSecurityContext }: PodFields,
  pod: PodSpec,
): Pick<PodSpec, 'securityContext'> =>
  podSecurityContext === undefined
    ? {}
    : { securityContext: fill(podSecurityContext, pod.securityContext) };

function overlayContainer(container: Container, fields: PodFields): Container {
  const { env = [], securityContext } = fields;
  const own = container.securityContext;
  return {
    ...container,
    ...(env.length > 0 && { env: [...(container.env ?? []), ...env] }),
    ...(securityContext && {
      securityContext: fill(securityContext, defaultsFor(securityContext, own)),
    }),
  };
}

/** Default of a container. A Pod that runs as root by default gets another user if the user demands one. */
function defaultsFor(given: V1SecurityContext, own: V1SecurityContext = {}): V1SecurityContext {
  const isContradiction = given.runAsNonRoot === true && own.runAsUser === 0;
  return isContradiction ? { ...own, runAsUser: NON_ROOT_USER, runAsGroup: NON_ROOT_USER } : own;
}

/**
 * A constraint without labelSelector counts no Pods in Kubernetes, so it gets the labels that select the Pods of the
 * workload. Keys in `matchLabelKeys` that these labels contain have no further effect, and Kubernetes rejects them.
 */
function spread(
  constraint: V1TopologySpreadConstraint,
  matchLabels: StringMap,
): V1TopologySpreadConstraint {
  const { matchLabelKeys, ...rest } = constraint;
  if (constraint.labelSelector !== undefined) return constraint;
  const keys = (matchLabelKeys ?? []).filter((key) => !Object.hasOwn(matchLabels, key));
  return {
    ...rest,
    labelSelector: { matchLabels },
    ...(keys.length > 0 && { matchLabelKeys: keys }),
  };
}
