/** Explains Pods that no node runs: scheduling, unbound PVCs, evictions and nodes that are not ready. Pure. */
import type { PersistentVolumeClaim } from '../kubernetes/objects/kinds.ts';
import { conditionOf, nameOf } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../kubernetes/time/time.ts';
import { isClaimOf } from '../etcd-cluster/storage/persistent-volume-claims.ts';
import { certain, suspected, type Cause, type Subject, type Surroundings } from './cause.ts';
import { claimCause } from './claims.ts';
import { eventsOf } from './event-facts.ts';
import { byName } from './order.ts';
import { NOT_SHOWN } from './quote.ts';

/**
 * Time in milliseconds after which an unbound PVC is reported. The scheduler may see a Pod before its new PVC, and a
 * volume that is provisioned takes some seconds.
 */
const UNBOUND_MS = 10_000;

/** Time in milliseconds for which a cluster autoscaler may add a node. */
const SCALE_UP_MS = 900_000;

/** Returns why a Pod is not scheduled. */
export function schedulingCause(pod: Pod, subject: Subject, seen: Surroundings): Cause | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined;
  const text = scheduled.message ?? 'no node fits';
  const why = subject.quoter.quoted(text) ?? `the message of the scheduler is ${NOT_SHOWN}`;
  const stuck = `${nameOf(pod)}: cannot be scheduled (${why})`;
  if (/persistentvolumeclaim|persistent volumes to bind/i.test(text)) {
    const since = parseTime(scheduled.lastTransitionTime);
    return seen.now - since < UNBOUND_MS ? undefined : unboundCause(stuck, pod, { subject, seen });
  }
  const settings = `change resources, tolerations, affinity or nodeSelector in ${subject.field} or spec.podSettings`;
  if (isScalingUp(pod, seen))
    return suspected(
      'Unschedulable',
      `${stuck}; the cluster autoscaler adds a node: wait, or ${settings}`,
    );
  return certain('Unschedulable', `${stuck}; add nodes to the cluster, or ${settings}`);
}

/** Whether a cluster autoscaler adds a node for a Pod. */
export const isScalingUp = (
  pod: Pod,
  { events, now }: Pick<Surroundings, 'events' | 'now'>,
): boolean => {
  const scaling = eventsOf(events, pod).find(({ reason }) =>
    ['TriggeredScaleUp', 'NotTriggerScaleUp', 'Nominated'].includes(reason),
  );
  const isAdding = scaling !== undefined && scaling.reason !== 'NotTriggerScaleUp';
  return isAdding && now - scaling.lastAt < SCALE_UP_MS;
};

function unboundCause(
  stuck: string,
  pod: Pod,
  { subject, seen }: { readonly subject: Subject; readonly seen: Surroundings },
): Cause {
  const open = seen.claims
    .filter((claim) => isClaimOf(claim, pod) && !isBound(claim))
    .toSorted(byName);
  const found = claimCause(open, subject, seen);
  if (found !== undefined) return { ...found, message: `${stuck}: ${found.message}` };
  return suspected(
    'ClaimNotBound',
    `${stuck}; the PersistentVolumeClaim must be bound: check that its StorageClass exists and can provision a volume`,
  );
}

const isBound = (claim: PersistentVolumeClaim): boolean => claim.status?.phase === 'Bound';

/** Reasons with which the kubelet ends or refuses a Pod. */
const ENDED =
  /^(?:Evicted|NodeShutdown|Terminated|OutOf[a-z]{1,40}|UnexpectedAdmissionError|NodeAffinity|Preempting|Shutdown)$/;

/** Returns why the kubelet or Kubernetes ended a Pod; its workload replaces it. */
export function endedPodCause(pod: Pod): Cause | undefined {
  const { status = {} } = pod;
  const { phase, reason = '' } = status;
  if (phase !== 'Failed' || !ENDED.test(reason)) return undefined;
  return suspected(
    'PodEvicted',
    `${nameOf(pod)}: its node ended it (${reason}); free resources of the node, such as memory, disk space or Pods, or raise the resource requests of the component`,
  );
}

/** Returns why a Pod is not ready whose node does not report. */
export function nodeCause(
  pod: Pod,
  { unreadyNodes = [] }: Pick<Surroundings, 'unreadyNodes'>,
): Cause | undefined {
  const { spec = {} } = pod;
  const { nodeName } = spec;
  if (nodeName === undefined || !unreadyNodes.includes(nodeName)) return undefined;
  if (conditionOf(pod, 'Ready')?.status === 'True') return undefined;
  return suspected(
    'NodeNotReady',
    `${nameOf(pod)}: its node ${nodeName} is not ready; repair the node, or take it out of the cluster if it is lost`,
  );
}
