/**
 * Keeps the revision of the Pod template of a running workload until something else in its template changes, so that a new
 * version of the operator restarts no Pod of an unchanged Karmada: pure.
 */
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import { isWorkload, type PodSpec, type Workload } from '../../components/workload.ts';
import { APPLIED_HASH, differences } from '../../kubernetes/objects/compare.ts';
import { byIdentity, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { DesiredObject, DesiredObjects } from '../../instance/desired-objects.ts';
import { hasSameEffect } from '../../etcd-cluster/pods/membership.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Workloads of one former template revision. */
export type FormerWorkloads = readonly DesiredObject[];

/** Whether a running workload differs from the newest template, so that it may have that of a former revision. */
export function needsFormer(
  { objects }: DesiredObjects,
  { host }: Pick<Snapshot, 'host'>,
): boolean {
  const live = byIdentity(host.objects);
  return objects.some((item) => runningOther(item, live) !== undefined);
}

/**
 * Replaces workloads by those of the former revision that they run.
 * @param desired objects with the newest templates
 * @param former workloads of each former revision, the latest first; required if `needsFormer`
 */
export function withKeptTemplates(
  desired: DesiredObjects,
  { host }: Pick<Snapshot, 'host'>,
  former: readonly FormerWorkloads[] = [],
): DesiredObjects {
  if (former.length === 0) return desired;
  const live = byIdentity(host.objects);
  const objects = desired.objects.map((item) => {
    const running = runningOther(item, live);
    if (running === undefined) return item;
    const candidates = former.flatMap((all) => all.filter(({ id }) => id === item.id));
    return candidates.find((candidate) => runs(running, candidate)) ?? item;
  });
  return { ...desired, objects };
}

/** Returns the running workload if it does not have the desired template. */
function runningOther(
  item: DesiredObject,
  live: ReadonlyMap<string, KubernetesObject>,
): KubernetesObject | undefined {
  const running = item.cluster === 'host' ? live.get(item.id) : undefined;
  if (running === undefined || !isApplied(running) || isDown(running)) return undefined;
  return runs(running, item) ? undefined : running;
}

/**
 * Whether a Deployment has no available Pod. Then the newest template may repair it, and interrupts nothing. An etcd keeps its
 * template, because its members may come back.
 */
function isDown({ kind, status = {} }: Replicated): boolean {
  const { availableReplicas = 0 } = status;
  return kind === 'Deployment' && availableReplicas === 0;
}

/** Whether the operator has applied the workload. The first rollout of an adoption gets the newest template. */
const isApplied = (running: KubernetesObject): boolean =>
  isWorkload(running) && running.metadata.annotations?.[APPLIED_HASH] !== undefined;

/** Whether a workload has the desired Pod template. Equal hashes decide also if the live object has drifted. */
function runs(running: KubernetesObject, { object, hash, step }: DesiredObject): boolean {
  if (running.metadata.annotations?.[APPLIED_HASH] === hash) return true;
  if (step === 'etcd') return hasSameEffect(running, object);
  return isWorkload(running) && isWorkload(object) && hasTemplate(running, object);
}

/** Fields that the operator may remove, which is visible only from the live object. */
const OPTIONAL = [
  'affinity',
  'tolerations',
  'nodeSelector',
  'topologySpreadConstraints',
  'priorityClassName',
  'runtimeClassName',
  'imagePullSecrets',
  'hostAliases',
  'dnsConfig',
] as const;

/**
 * Whether the live workload has the desired template, whatever its replicas are. Annotations that it has in addition do not
 * count, because `kubectl rollout restart` adds one.
 */
function hasTemplate(running: Workload, { spec: { template } }: Workload): boolean {
  const live = running.spec.template;
  const [has, wants] = [removable(live.spec), removable(template.spec)];
  return contains(live, template) && contains(wants, has);
}

/** The part of a Pod that shows what a change removes. Lists of named entries count by their names. */
function removable(pod: PodSpec): object {
  const [main] = pod.containers;
  const named = (list: readonly { readonly name: string }[] = []): string =>
    list.map(({ name }) => name).join();
  return {
    ...Object.fromEntries(
      OPTIONAL.flatMap((field) => (pod[field] === undefined ? [] : [[field, pod[field]]])),
    ),
    names: {
      containers: named(pod.containers),
      volumes: named(pod.volumes),
      mounts: named(main?.volumeMounts),
      env: named(main?.env),
    },
    resources: main?.resources ?? {},
  };
}

const contains = (one: object, other: object): boolean =>
  differences(wrapped(one), wrapped(other)).length === 0;

const wrapped = (spec: object): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: '' },
  spec,
});
