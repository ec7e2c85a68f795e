/** The first rollout of the Deployments of the Go operator: pure. */
import type { Step } from '../../components/component.ts';
import { isWorkload } from '../../components/workload.ts';
import type { Deployment, Service } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import {
  desiredObject,
  type DesiredObject,
  type DesiredObjects,
} from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import {
  HANDOVER_SECONDS,
  hasOldPods,
  isUnapplied,
  newestHash,
  POD_HASH,
  SERVERS,
} from './handover.ts';
import { isRolledOut, UNAPPLIED } from '../../components/rollout.ts';

const RECREATE = { type: 'Recreate' };

/** Whether a Deployment has settings that only its first rollout after an adoption has. */
export function hasFirstRollout({ spec = {} }: Deployment): boolean {
  const { minReadySeconds, strategy } = spec;
  return minReadySeconds === HANDOVER_SECONDS || strategy?.type === RECREATE.type;
}

/** Whether the Deployment has Pods of the Go operator. */
const isFirst = (live: KubernetesObject): boolean =>
  isUnapplied(live) || (hasFirstRollout(live) && !isRolledOut(live));

/** Adjusts the objects of components whose Pods the Go operator created, until these Pods are gone. */
export function withFirstRollout(
  desired: DesiredObjects,
  { host }: Pick<Snapshot, 'host'>,
): DesiredObjects {
  const liveOf = (
    kind: string,
    { object: { metadata } }: DesiredObject,
  ): KubernetesObject | undefined =>
    host.objects.find((live) => live.kind === kind && live.metadata.name === metadata.name);
  const objects = desired.objects.map((item) => {
    if (item.cluster !== 'host' || item.untouched === true || !CHANGED.has(item.step)) return item;
    const deployment = liveOf('Deployment', item);
    if (deployment === undefined || !isFirst(deployment)) return item;
    if (item.object.kind === 'Deployment') return withFirstSpec(item, deployment);
    if (item.object.kind !== 'Service') return item;
    return handedOver(item, liveOf('Service', item), { deployment, pods: host.pods });
  });
  return { ...desired, objects };
}

const LEADER = 'kube-controller-manager';
const CHANGED: ReadonlySet<Step> = new Set([...SERVERS, LEADER]);

function withFirstSpec(item: DesiredObject, live: KubernetesObject): DesiredObject {
  if (item.step !== LEADER) return withSpec(item, { minReadySeconds: HANDOVER_SECONDS });
  return isRecreated(live) ? withSpec(item, { strategy: RECREATE }) : item;
}

/**
 * Whether the rollout deletes Pods before it creates new ones. The Go operator gives kube-controller-manager a required
 * Pod anti-affinity, which the scheduler applies to new Pods too: a surge would need another node. With maxSurge 0 the
 * new Pod exists before the old one is gone, and the scheduler tries a Pod again only minutes after such a failure.
 */
function isRecreated(live: KubernetesObject): boolean {
  if (!isWorkload(live)) return false;
  if (!isUnapplied(live)) return true;
  const { affinity } = live.spec.template.spec;
  const rules = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return rules.length > 0;
}

interface Rollout {
  readonly deployment: Deployment;
  readonly pods: readonly Pod[];
}

/**
 * Excludes old Pods from a Service when new ones can serve. Until then the Service of the Go operator stays as it is:
 * some old Pods listen on another port.
 */
function handedOver(
  item: DesiredObject,
  service: Service | undefined,
  { deployment, pods }: Rollout,
): DesiredObject {
  const hash = newestHash(deployment, pods);
  if (hash !== undefined) {
    const { spec: { selector } = {} }: Service = item.object;
    return withSpec(item, { selector: { ...selector, [POD_HASH]: hash } });
  }
  const isKept = service !== undefined && isUnapplied(service) && hasOldPods(deployment);
  return isKept ? { ...item, untouched: true, hash: UNAPPLIED } : item;
}

function withSpec({ cluster, step, object }: DesiredObject, fields: object): DesiredObject {
  const { spec }: Deployment | Service = object;
  return desiredObject(cluster, step, { ...object, spec: { ...spec, ...fields } });
}
