/**
 * Tracks whether the Service address of a component is reachable before requests are routed to it. kube-proxy programs
 * a Service some time after its Pods are ready. Registered too early, an APIService fails until kube-aggregator checks
 * again after five seconds, and an unreachable webhook fails the requests of users. Pure functions.
 */
import type { Service } from '../../kubernetes/objects/kinds.ts';
import type { ComponentName, Step } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { COMPONENT } from '../../api/labels.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { StepStates } from '../../actions/planner.ts';
import type { ProbeTarget, Reachability } from '../../instance/probes.ts';

/** Steps that register an APIService or a webhook, with the component that serves it. */
const ROUTED: readonly (readonly [Step, ComponentName])[] = [
  ['webhook-configurations', 'karmada-webhook'],
  ['cluster-api-service', 'karmada-aggregated-apiserver'],
  ['metrics-api-services', 'karmada-metrics-adapter'],
  ['search-api-service', 'karmada-search'],
];

/** Time in milliseconds after which a step no longer waits: the network of the operator may block the probe. */
const PROBE_TIMEOUT_MS = 5_000;

/** Returns the targets to probe: the component is ready, and its APIService or webhook is not registered yet. */
export function probeTargets(
  states: StepStates,
  { host, controlPlane }: Pick<Snapshot, 'host' | 'controlPlane'>,
): readonly ProbeTarget[] {
  if (controlPlane.state !== 'ready') return [];
  return ROUTED.filter(
    ([step, component]) =>
      states.get(step)?.state === 'missing' && states.get(component)?.state === 'complete',
  ).flatMap(([step, component]) => {
    const target = wayTo(component, host.objects);
    return target === undefined ? [] : { step, ...target };
  });
}

function wayTo(
  component: ComponentName,
  objects: readonly KubernetesObject[],
): Omit<ProbeTarget, 'step'> | undefined {
  const service: Service | undefined = objects.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.labels?.[COMPONENT] === component,
  );
  const spec = service?.spec;
  const port = spec?.ports?.[0]?.port;
  if (spec?.clusterIP === undefined || spec.clusterIP === 'None' || port === undefined)
    return undefined;
  return { address: spec.clusterIP, port };
}

/**
 * Updates the results after a probe.
 * @param before previous results
 * @param targets targets that count now; results of other steps are dropped
 * @param reached steps whose target accepted a connection
 * @param monotonic current monotonic time in milliseconds
 */
export function withProbeResults(
  before: Reachability,
  targets: readonly ProbeTarget[],
  reached: ReadonlySet<Step>,
  monotonic: number,
): Reachability {
  return new Map(
    targets.map(({ step }) => {
      const since = before.get(step) ?? monotonic;
      const open = since === 'open' || reached.has(step) || monotonic - since >= PROBE_TIMEOUT_MS;
      return [step, open ? 'open' : since];
    }),
  );
}

/** Returns the steps whose target is not known to be reachable. */
export function unreachableSteps(
  targets: readonly ProbeTarget[],
  results: Reachability,
): ReadonlySet<Step> {
  return new Set(targets.map(({ step }) => step).filter((step) => results.get(step) !== 'open'));
}
