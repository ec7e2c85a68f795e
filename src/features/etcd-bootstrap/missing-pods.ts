/** Detects an etcd whose first Pods are not created, so that no API server can start: pure. */
import type { Problem } from '../../api/reasons/problem.ts';
import { nameOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import { isExisting, membersIn } from '../../etcd-cluster/pods/membership.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { settledRevision } from '../../etcd-cluster/pods/stateful-set.ts';

/** Allowed time for Pod creation, in milliseconds. The StatefulSet controller creates Pods within one second. */
const MISSING_AFTER_MS = 4_000;

/** Whether some first Pods of an etcd do not exist yet. The operator sets `existing` after all Pods existed. */
export function awaitsFirstPods(seen: Seen): boolean {
  const live = etcdWorkload(seen);
  return live !== undefined && lacksFirstPods(live, seen.host.pods);
}

/**
 * Error for Pods that are not created. The StatefulSet controller reports the cause in Events only, not in the
 * status.
 */
export function firstPodsProblem(seen: Seen & Pick<Snapshot, 'now'>): Problem | undefined {
  const live = etcdWorkload(seen);
  if (live === undefined || !lacksFirstPods(live, seen.host.pods)) return undefined;
  const created = parseTime(live.metadata.creationTimestamp);
  if (!(seen.now - created > MISSING_AFTER_MS)) return undefined;
  const count = `${String(etcdPods(seen.host.pods).length)} of ${String(membersIn(live))} Pods`;
  const remedy =
    'see its Events with kubectl describe, then raise the ResourceQuota of the Namespace, or admit the Pods';
  return { reason: 'PodsRefused', message: `${nameOf(live)}: only ${count} created; ${remedy}` };
}

type Seen = Pick<Snapshot, 'karmada' | 'host'>;

/** Pods are missing only after the StatefulSet controller has observed the StatefulSet. */
const lacksFirstPods = (live: KubernetesObject, pods: readonly Pod[]): boolean =>
  !isExisting(live) &&
  settledRevision(live) !== undefined &&
  etcdPods(pods).length < membersIn(live);
