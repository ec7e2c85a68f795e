/**
 * Executes the steps of a recovery. Each one is decided again from live reads and fresh member responses immediately
 * before it is made, because the plan is based on caches.
 */
import { etcdClaimsOf } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { INSTANCE } from '../../api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Log } from '../../kubernetes/time/clock.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import type { RecoverEtcd } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { findOwn } from '../../instance/own-objects.ts';
import { viewOfPods, type AskMember, type AskMembers } from '../etcd-members/etcd-members.ts';
import { PROOF_MS } from '../etcd-members/read-live.ts';
import { executeStep, type StepTools } from './execute-step.ts';
import { nextRecoveryStep, type RecoveryStep } from './next-step.ts';
import { recoveryFacts, type RecoveryObjects } from './read-facts.ts';
import { ETCD_RECOVERING } from '../../etcd-cluster/recovery/reason.ts';
import { restorePodName } from './restore-pod.ts';

export interface RecoverTools extends StepTools {
  /** Absent while the operator has no client certificate for etcd. */
  readonly ask: AskMembers | undefined;
  readonly askOne: AskMember | undefined;
  readonly clock: { wall(): number; monotonic(): number };
  readonly log: Log;
  /** Queries the members again, so that the next decision sees the change. */
  readonly observe: () => void;
}

/**
 * Executes the next step, if the live state allows one.
 * @returns number of changes, or what the recovery waits for
 * @throws ApiError, NetworkError if a retry may succeed
 */
export async function recoverEtcd(
  tools: RecoverTools,
  snapshot: Snapshot,
  action: RecoverEtcd,
): Promise<Done> {
  const { clock } = tools;
  const askedAt = clock.monotonic();
  const objects = await readLive(tools, snapshot);
  const step = nextRecoveryStep(recoveryFacts(snapshot, objects));
  if (step.kind === 'none' || step.kind === 'refused') return {};
  if (step.kind === 'wait') return waiting(step.message);
  if (clock.monotonic() - askedAt > PROOF_MS) return {};
  const done = await executeStep(tools, { snapshot, action, objects, step });
  if (done === false) return {};
  if (done !== true) return waiting(done.message);
  report(tools, snapshot, step);
  tools.observe();
  return { writes: 1 };
}

const waiting = (message: string): Done => ({
  blockedChange: {
    step: 'etcd',
    reason: ETCD_RECOVERING,
    message: `etcd: the recovery waits: ${message}`,
  },
});

function report({ log }: RecoverTools, { karmada }: Snapshot, step: RecoveryStep): void {
  const { name, namespace = '' } = karmada.metadata;
  const message = 'message' in step ? step.message : '';
  log.info({ karmada: `${namespace}/${name}`, recovery: step.kind }, message);
}

async function readLive(
  { client, ask, askOne, clock }: RecoverTools,
  { karmada }: Snapshot,
): Promise<RecoveryObjects> {
  const { name, namespace = '' } = karmada.metadata;
  const set = instanceName(name, 'etcd');
  const list = async (type: ResourceType, more = {}): Promise<readonly KubernetesObject[]> =>
    (await client.list(type, { namespace, ...more })).items;
  const saved = { namespace, name: instanceName(name, SECRET_SUFFIX.caBackup) };
  const [backup, statefulSet, pods, claims] = await Promise.all([
    findOwn(client, resources.Secret, saved, name),
    findOwn(client, resources.StatefulSet, { namespace, name: set }, name),
    list(resources.Pod, { labelSelector: `${INSTANCE}=${name}` }),
    list(resources.PersistentVolumeClaim, etcdClaimsOf(name)),
  ]);
  const pod = pods.find(({ metadata }) => metadata.name === restorePodName(name));
  const [results, restored] = await Promise.all([
    ask?.(pods) ?? [],
    pod && askOne?.(pod, `${set}-0`),
  ]);
  const now = clock.wall();
  const view = viewOfPods(results, pods, now);
  return { backup, statefulSet, pods, claims, view, restored, now };
}
