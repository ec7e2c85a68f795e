/**
 * Executes changes of the members of an etcd. Each one is decided again from live reads and fresh member responses
 * immediately before it is made, because the plan is based on caches.
 */
import type { EtcdTarget } from '../../../etcd/client.ts';
import type { Log } from '../../../kubernetes/clock.ts';
import type { KubernetesClient } from '../../../kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import { resources, type ResourceType } from '../../../kubernetes/resources.ts';
import { COMPONENT, INSTANCE } from '../../../api/labels.ts';
import type { ChangeEtcdMembers } from '../../action.ts';
import type { DesiredObject } from '../../desired-objects.ts';
import type { Done } from '../../execution-result.ts';
import type { Snapshot } from '../../snapshot.ts';
import { viewOfPods, type AskMembers } from '../etcd-members.ts';
import { changeCluster } from './change-cluster.ts';
import { changeObjects } from './change-objects.ts';
import type { MemberFacts } from './facts.ts';
import { nextStep } from './next-step.ts';
import { memberFacts, type EtcdObjects } from './read-facts.ts';
import { liveNodesNamed, readVolumes } from './read-volumes.ts';
import { isWrite, type MemberStep } from './step.ts';

export interface EtcdChangeTools {
  readonly client: Pick<KubernetesClient, 'find' | 'list' | 'patch' | 'delete'>;
  /** Absent while the operator has no client certificate for etcd. */
  readonly ask: AskMembers | undefined;
  /** Connection settings of the members in these Pods, by Pod name. */
  readonly targets: (pods: readonly KubernetesObject[]) => ReadonlyMap<string, EtcdTarget>;
  readonly clock: { wall(): number; monotonic(): number };
  readonly log: Log;
  /** Writes the StatefulSet. */
  readonly apply: (target: DesiredObject) => Promise<Done>;
  /** Queries the members again, so that the next decision sees the change. */
  readonly observe: () => void;
}

/** Changes in one reconcile that need no wait in between: add a learner, and let its Pod join. */
const STEPS_AT_ONCE = 3;

/** Validity of member responses from the first query, in milliseconds. One round of queries takes at most 4 s. */
const PROOF_MS = 5_000;

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
  const { clock } = tools;
  const askedAt = clock.monotonic();
  const objects = await readLive(tools, snapshot, action.statefulSet);
  if (objects === undefined) return undefined;
  const facts = memberFacts(snapshot, objects);
  const step = nextStep(facts);
  const leftMs = PROOF_MS - (clock.monotonic() - askedAt);
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

/** Reads StatefulSet, Pods and PVCs, and queries the members. @returns undefined if the StatefulSet is another one */
async function readLive(
  { client, ask, clock }: EtcdChangeTools,
  { karmada }: Snapshot,
  { metadata }: KubernetesObject,
): Promise<EtcdObjects | undefined> {
  const { namespace = '', name, uid } = metadata;
  const labelSelector = `${COMPONENT}=etcd,${INSTANCE}=${karmada.metadata.name}`;
  const list = async (type: ResourceType, more = {}): Promise<readonly KubernetesObject[]> =>
    (await client.list(type, { namespace, ...more })).items;
  const [statefulSet, pods, claims] = await Promise.all([
    client.find(resources.StatefulSet, { namespace, name }),
    list(resources.Pod, { labelSelector }),
    list(resources.PersistentVolumeClaim),
  ]);
  if (statefulSet?.metadata.uid !== uid || statefulSet === undefined) return undefined;
  const volumes = await readVolumes(client, { pods, claims }, liveNodesNamed(client));
  const results = ask === undefined ? [] : await ask(pods);
  const now = clock.wall();
  return { statefulSet, pods, claims, volumes, now, view: viewOfPods(results, pods, now) };
}
