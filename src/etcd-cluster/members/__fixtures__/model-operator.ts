/** The operator that acts on the model: what it reads, and its steps. */
import { answerOf } from '../../../etcd/__fixtures__/answers.ts';
import type { EtcdListedMember } from '../../../etcd/messages.ts';
import { etcdView, type EtcdView } from '../../../etcd/view.ts';
import { peerURL, podName, type MemberFacts } from '../facts.ts';
import { nextStep } from '../../../features/etcd-members/next-step.ts';
import type { MemberStep } from '../step.ts';
import type { EtcdModel } from './model.ts';
import { GRACE_MS, NAMES, type Disk } from './model-objects.ts';

const claimsOf = (model: EtcdModel): MemberFacts['claims'] =>
  [...model.disks].map(([ordinal, { isAnnotated, isBound, isTerminating }]) => ({
    ordinal,
    name: `etcd-data-${podName(NAMES, ordinal)}`,
    uid: `c${String(ordinal)}`,
    isTerminating,
    isPaused: false,
    isUnbound: !isBound,
    content: isAnnotated ? ('thisCluster' as const) : ('unknown' as const),
  }));

/** Facts as the operator reads them; it gets no response of these ordinals. */
export function factsOf(model: EtcdModel, silent: ReadonlySet<number> = new Set()): MemberFacts {
  const pods = [...model.pods].map(([ordinal, pod]) => ({
    ordinal,
    name: podName(NAMES, ordinal),
    uid: `p${String(pod.uid)}`,
    isScheduled: pod.isScheduled && !isAway(model.disks.get(ordinal)),
    isTerminating: false,
    canJoin: true,
    wasMember: false,
    isPaused: false,
    ...(pod.join !== '' && { join: pod.join }),
    hasLostData: !pod.isRunning && pod.failures > 0 && !model.disks.get(ordinal)?.isAnnotated,
    isBackingOff: !pod.isRunning && pod.failures >= 3,
    ...(pod.downSince !== undefined && { downSince: pod.downSince }),
    ...defectOf(model, ordinal),
  }));
  return {
    ...NAMES,
    wanted: model.wanted,
    replicas: model.replicas,
    isFormed: true,
    storage: 'volumeClaim',
    templateCanJoin: true,
    excludesUnready: true,
    deletesClaims: false,
    graceMs: GRACE_MS,
    now: model.now,
    pods,
    claims: claimsOf(model),
    view: viewOf(model, silent),
  };
}

const isAway = (disk: Disk | undefined): boolean =>
  disk?.defect === 'nodeLost' || disk?.defect === 'nodeUnready';

/** What the operator learns of a defect. It recognizes corrupt data after some failed starts. */
function defectOf(
  model: EtcdModel,
  ordinal: number,
): Pick<MemberFacts['pods'][number], 'defect' | 'unreadyNode'> {
  const defect = model.disks.get(ordinal)?.defect;
  const failures = model.pods.get(ordinal)?.failures ?? 0;
  if (defect === undefined || (defect === 'corrupt' && failures < 3)) return {};
  return defect === 'nodeUnready' ? { unreadyNode: `n${String(ordinal)}` } : { defect };
}

function viewOf(model: EtcdModel, silent: ReadonlySet<number>): EtcdView {
  const seen = model.members.filter((member) => model.runs(member) && !silent.has(member.ordinal));
  const listed = model.members.map((member): EtcdListedMember => {
    const { id, ordinal, isLearner, hasStarted } = member;
    const name = hasStarted ? podName(NAMES, ordinal) : '';
    return { id, name, peerURLs: [peerURL(NAMES, ordinal)], isLearner };
  });
  const confirmed = model.hasQuorum();
  const answers = seen.map((member) => {
    const { id, ordinal, isLearner } = member;
    const pod = podName(NAMES, ordinal);
    return answerOf(pod, [], {
      podUid: `p${String(model.pods.get(ordinal)?.uid)}`,
      at: 0,
      cluster: 'c1',
      memberId: id,
      leaderId: model.leader ?? '0',
      raftIndex: String(model.index(member)),
      isLearner,
      confirmed: confirmed && !isLearner,
      members: isLearner ? [] : listed,
    });
  });
  const pods = [...model.pods].map(([ordinal, { uid }]) => ({
    name: podName(NAMES, ordinal),
    uid: `p${String(uid)}`,
  }));
  return etcdView(answers, pods, 0);
}

/** Pause of the operator while members change, in milliseconds. */
const PAUSE_MS = 1_000;

/** Lets the operator act until nothing is left to do. @returns the last step */
export function run(model: EtcdModel, limit = 200): MemberStep {
  let step: MemberStep = { kind: 'none' };
  for (let count = 0; count < limit; count += 1) {
    model.settle();
    model.write(new Set());
    step = nextStep(factsOf(model));
    if (step.kind === 'none' || step.kind === 'blocked') return step;
    if (step.kind === 'wait') model.now = step.dueAt ?? model.now + PAUSE_MS;
    model.execute(step);
  }
  return step;
}
