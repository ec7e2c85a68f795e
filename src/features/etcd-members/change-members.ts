/**
 * Executes changes of the members of an etcd. Each one is decided again from live reads and fresh member responses
 * immediately before it is made, because the plan is based on caches.
 */
import type { EtcdTarget } from '../../etcd/client.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import type { ChangeEtcdMembers } from '../../actions/action.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { claimsInUse, etcdClaimsOf } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { readLive, type LiveEtcd, type LiveTools } from './read-live.ts';
import { specOf, volumeOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { changeCluster } from '../../etcd-cluster/members/change-cluster.ts';
import { changeObjects } from './change-objects.ts';
import type { MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { nextStep } from './next-step.ts';
import { memberFacts, type EtcdObjects } from './member-facts.ts';
import { liveNodesNamed, readVolumes } from '../../etcd-cluster/pods/read-volumes.ts';
import { isWrite, type MemberStep } from '../../etcd-cluster/members/step.ts';

export interface EtcdChangeTools extends LiveTools {
  readonly client: Pick<KubernetesClient, 'find' | 'list' | 'patch' | 'delete'>;
  /** Connection settings of the members in these Pods, by Pod name. */
  readonly targets: (pods: readonly Pod[]) => ReadonlyMap<string, EtcdTarget>;
  readonly log: Log;
  /** Writes the StatefulSet. */
  readonly apply: (target: DesiredObject) => Promise<Done>;
  /** Queries the members again, so that the next decision sees the change. */
  readonly observe: () => void;
}

/** Changes in one reconcile that need no wait in between: add a learner, and let its Pod join. */
const STEPS_AT_ONCE = 3;

/**
 * Executes the next changes until one must wait.
 * @returns number of changes; none if the live state allows none
 * @throws ApiError, NetworkError, EtcdStatusError, EtcdConnectionError if a retry may succeed
 */
export async function changeMembers(
  tools: EtcdChangeTools,
  snapshot: Snapshot,
  action: ChangeEtcdMembers,
): Promise<Done> {
  let done: Done = {};
  try {
    for (let count = 0; count < STEPS_AT_ONCE; count += 1) {
      const next = await changeOnce(tools, snapshot, action);
      if (next === undefined) break;
      done = { ...next, writes: (done.writes ?? 0) + (next.writes ?? 0) };
    }
  } finally {
    tools.observe();
  }
  return done;
}

/** @returns undefined if nothing can be changed now */
async function changeOnce(
  tools: EtcdChangeTools,
  snapshot: Snapshot,
  action: ChangeEtcdMembers,
): Promise<Done | undefined> {
  const live = await readMembers(tools, snapshot, action.statefulSet);
  if (live === undefined) return undefined;
  const { objects } = live;
  const facts = memberFacts(snapshot, objects);
  const step = nextStep(facts);
  const leftMs = live.leftMs();
  if (!isWrite(step) || leftMs <= 0) return undefined;
  const done = await execute(tools, { snapshot, action, objects, facts, step, leftMs });
  if (done !== undefined) report(tools, snapshot, step);
  return done;
}

interface Change {
  readonly snapshot: Snapshot;
  readonly action: ChangeEtcdMembers;
  readonly objects: EtcdObjects;
  readonly facts: MemberFacts;
  readonly step: MemberStep;
  readonly leftMs: number;
}

/** @returns undefined if the state has changed since */
async function execute(
  { apply, client, targets }: EtcdChangeTools,
  { snapshot, action, objects, facts, step, leftMs }: Change,
): Promise<Done | undefined> {
  const { scaled } = action;
  if (step.kind === 'scale')
    return scaled?.replicas === step.replicas ? apply(scaled.target) : undefined;
  const leader = targets(objects.pods).get(objects.view.leader ?? '');
  const isDone =
    (await changeObjects(client, step, snapshot)) ??
    (await changeCluster(leader, { step, facts, leftMs }));
  return isDone ? { writes: 1 } : undefined;
}

function report({ log }: EtcdChangeTools, { karmada }: Snapshot, step: MemberStep): void {
  const { name, namespace = '' } = karmada.metadata;
  const message = 'message' in step ? step.message : '';
  log.info({ karmada: `${namespace}/${name}`, change: step.kind }, message);
}

interface LiveMembers extends Pick<LiveEtcd, 'leftMs'> {
  readonly objects: EtcdObjects;
}

/** Also reads PVCs and the volumes of members that are down. @returns undefined if the StatefulSet is another one */
async function readMembers(
  tools: EtcdChangeTools,
  { karmada }: Snapshot,
  cached: KubernetesObject,
): Promise<LiveMembers | undefined> {
  const { client, clock } = tools;
  const { namespace = '' } = cached.metadata;
  const [live, { items }] = await Promise.all([
    readLive(tools, cached, karmada.metadata.name),
    client.list(resources.PersistentVolumeClaim, {
      namespace,
      ...etcdClaimsOf(karmada.metadata.name),
    }),
  ]);
  if (live === undefined) return undefined;
  const { statefulSet, pods, view, leftMs } = live;
  const claims = claimsInUse(items, karmada.metadata.name, volumeOf(specOf(statefulSet)));
  const volumes = await readVolumes(client, { pods, claims }, liveNodesNamed(client));
  const seen = await view();
  const now = clock.wall();
  return { objects: { statefulSet, pods, claims, volumes, now, view: seen }, leftMs };
}
