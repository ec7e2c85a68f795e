/**
 * What counts as progress of a control plane that is not ready: one row per stage. Table and pure functions.
 *
 * A stage has a state with a finite number of values; a value that it did not have before is progress. A stage is also at
 * work while its state cannot change: an image is pulled, a volume is created, or a member reads its data.
 */
import type { Replicated } from '../../kubernetes/objects/kinds.ts';
import type { ComponentName } from '../../api/component-catalog.ts';
import { COMPONENT } from '../../api/labels.ts';
import { COMPONENTS } from '../../components/registry.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { isProvisioning } from '../../causes/claims.ts';
import { eventsOf, type EventFact } from '../../causes/event-facts.ts';
import { isScalingUp } from '../../causes/scheduling.ts';
import { memberStep } from '../etcd-members/read-facts.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { isPulling, podStage, readsData } from './pod-stage.ts';

/** A stage that is not complete. */
export interface StageProgress {
  readonly stage: string;
  readonly state: string;
  /** Whether it is at work although its state does not change. */
  readonly isAtWork: boolean;
}

type Seen = Pick<Assessment, 'snapshot' | 'states' | 'unfinished'>;

/** @returns undefined if the stage is complete, or the control plane has none */
type StageRow = (seen: Seen) => readonly StageProgress[];

/** Pods of a component: replicas, and how far its newest Pod is. At work: image pulls, volumes, new nodes, a large etcd. */
const components: StageRow = ({ snapshot, states }) =>
  COMPONENTS.flatMap(({ name, perCluster }) => {
    const state = states.get(name);
    if (perCluster !== undefined || state === undefined || state.state === 'complete') return [];
    const pods = podsOf(name, snapshot.host.pods);
    const facts = [state.state, replicasOf(name, snapshot), podStage(pods[0])];
    return [{ stage: name, state: facts.join(), isAtWork: isAtWork(name, pods, snapshot) }];
  });

/** Pods of a component, the newest first. */
function podsOf(name: ComponentName, pods: readonly Pod[]): readonly KubernetesObject[] {
  const createdAt = ({ metadata }: KubernetesObject): string => metadata.creationTimestamp ?? '';
  return pods
    .filter((pod) => pod.metadata.labels?.[COMPONENT] === name && !isTerminating(pod))
    .toSorted((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
}

function replicasOf(name: ComponentName, { host }: Pick<Snapshot, 'host'>): string {
  const workloads: readonly Replicated[] = host.objects;
  const counts = workloads
    .filter(({ metadata }) => metadata.labels?.[COMPONENT] === name)
    .map(({ status }) => status)
    .filter((status) => status !== undefined)
    .map(({ updatedReplicas = 0, availableReplicas = 0 }) => [updatedReplicas, availableReplicas]);
  return JSON.stringify(counts);
}

function isAtWork(
  name: ComponentName,
  pods: readonly Pod[],
  { host, events, now }: Snapshot,
): boolean {
  const seen = { events: events?.events ?? [], now };
  const eventsIn = (pod: Pod): readonly EventFact[] | undefined =>
    events?.isAllowed === false ? undefined : eventsOf(seen.events, pod);
  const isEtcd = name === 'etcd';
  return (
    pods.some((pod) => isPulling(pod, eventsIn(pod), now) || isScalingUp(pod, seen)) ||
    (isEtcd && host.claims.some((claim) => isProvisioning(claim, seen))) ||
    (isEtcd && pods.some((pod) => readsData(pod, eventsIn(pod), now)))
  );
}

/** Objects in the Karmada API: they are written, and become ready. */
const controlPlaneSteps: StageRow = ({ states, snapshot }) => {
  const names: ReadonlySet<string> = new Set(COMPONENTS.map(({ name }) => name));
  const count = String(snapshot.controlPlane.objects.length);
  return [...states]
    .filter(([step, { state }]) => !names.has(step) && state !== 'complete')
    .map(([step, { state }]) => ({
      stage: step,
      state: `${state},${count}`,
      isAtWork: step === 'crds' && 'pending' in snapshot.archive,
    }));
};

/** The API server: its answer to the readiness check, and the first read of its objects. */
const apiServer: StageRow = ({ snapshot: { controlPlane } }) => {
  const { state, listens = false, ask = false } = controlPlane;
  if (state === 'ready') return [];
  return [{ stage: 'api', state: [state, listens, ask].join(), isAtWork: false }];
};

/** Members of etcd: each step of a change. At work while a learner receives the data. */
const etcdMembers: StageRow = ({ snapshot }) => {
  const step = memberStep(snapshot);
  if (step.kind === 'none' || step.kind === 'blocked') return [];
  const members = snapshot.etcd?.answers.map(({ isLearner }) => (isLearner ? 'learner' : 'voter'));
  const state = [step.kind, ...(members ?? []).sort(), lagOf(snapshot)].join();
  return [{ stage: 'etcd-members', state, isAtWork: isReceiving(snapshot) }];
};

/** Magnitude of the entries that the learners lack. */
function lagOf({ etcd }: Pick<Snapshot, 'etcd'>): string {
  const indexes = (etcd?.answers ?? []).map(({ raftIndex }) => BigInt(raftIndex));
  if (indexes.length < 2) return '';
  const sorted = indexes.toSorted((one, other) => (one < other ? -1 : 1));
  const lag = (sorted.at(-1) ?? 0n) - (sorted[0] ?? 0n);
  return String(lag.toString(2).length);
}

/** A learner that runs, while the others have a quorum. */
const isReceiving = ({ etcd }: Pick<Snapshot, 'etcd'>): boolean =>
  etcd?.quorum === true && etcd.answers.some(({ isLearner }) => isLearner);

/** Recovery of etcd: its phases. At work while the volume for the restored data is created. */
const recovery: StageRow = ({ snapshot: { etcdBootstrap, host, events, now } }) => {
  if (etcdBootstrap?.recovery === undefined) return [];
  const seen = { events: events?.events ?? [], now };
  const isAtWork = host.keptClaims?.some((claim) => isProvisioning(claim, seen)) ?? false;
  return [{ stage: 'etcd-recovery', state: etcdBootstrap.recovery.phase, isAtWork }];
};

/** The backup before an upgrade, which reports its own failure. */
const upgradeBackup: StageRow = ({ snapshot: { upgradeBackup } }) => [
  ...(upgradeBackup?.decision.kind === 'wait'
    ? [{ stage: 'backup', state: '', isAtWork: upgradeBackup.decision.name !== undefined }]
    : []),
];

/** Everything else that is not complete: functional checks, removed objects, the address of the API server. */
const others: StageRow = ({ unfinished, states }) =>
  [...new Set(unfinished.map(({ step }) => step))]
    .filter((step) => ![...states.keys()].some((known) => known === step))
    .map((step) => ({
      stage: `rest-${step}`,
      isAtWork: step === 'next-release',
      state: String(unfinished.filter((item) => item.step === step).length),
    }));

const ROWS: readonly StageRow[] = [
  components,
  controlPlaneSteps,
  apiServer,
  etcdMembers,
  recovery,
  upgradeBackup,
  others,
];

/** Returns the stages that are not complete. */
export const stagesOf = (seen: Seen): readonly StageProgress[] => ROWS.flatMap((row) => row(seen));
