/** An etcd whose first Pods do not come, so that it cannot start and no API server is created: pure. */
import type { Problem } from '../../../api/problem.ts';
import { nameOf, type KubernetesObject } from '../../../kubernetes/object.ts';
import type { Snapshot } from '../../snapshot.ts';
import { membersOf } from '../member-pods.ts';
import { isSealed, membersIn } from '../membership.ts';
import { etcdWorkload } from '../plan-etcd.ts';
import { settledRevision } from '../stateful-set.ts';

/** The StatefulSet controller creates Pods within a second. */
const PATIENCE_MS = 4_000;

/** Whether an etcd has never had all its Pods. A StatefulSet that had them is sealed. */
export function awaitsFirstPods(seen: Seen): boolean {
  const live = etcdWorkload(seen);
  return live !== undefined && lacksFirstPods(live, seen.host.pods);
}

/** Why they do not come, as far as it can be seen: the controller tells in Events, and not in the status. */
export function firstPodsProblem(seen: Seen & Pick<Snapshot, 'now'>): Problem | undefined {
  const live = etcdWorkload(seen);
  if (live === undefined || !lacksFirstPods(live, seen.host.pods)) return undefined;
  const created = Date.parse(live.metadata.creationTimestamp ?? '');
  if (!(seen.now - created > PATIENCE_MS)) return undefined;
  const count = `${String(membersOf(seen.host.pods).length)} of ${String(membersIn(live))} Pods`;
  const remedy =
    'kubectl describe shows in its Events what refuses them; raise the quota of the namespace, or admit the Pods';
  return { reason: 'PodsRefused', message: `${nameOf(live)} has ${count}: ${remedy}` };
}

type Seen = Pick<Snapshot, 'karmada' | 'host'>;

/** Pods are only missing once the StatefulSet controller has seen that it has to create them. */
const lacksFirstPods = (live: KubernetesObject, pods: readonly KubernetesObject[]): boolean =>
  !isSealed(live) &&
  settledRevision(live) !== undefined &&
  membersOf(pods).length < membersIn(live);
