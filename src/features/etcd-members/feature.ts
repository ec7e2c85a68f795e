import type { CheckInput, ExecutionContext, Feature } from '../../actions/feature.ts';
import type { ObserveContext } from '../../actions/observers.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { Clock, Log } from '../../kubernetes/time/clock.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdAdoptionConditions } from './adoption-conditions.ts';
import { changeMembers } from './change-members.ts';
import { observeLocalEtcd, type EtcdReaders } from './observe-local-etcd.ts';
import {
  askMembersOf,
  memberTargets,
  observeMembersInBackground,
  type EtcdMemberTools,
} from './etcd-members.ts';
import { excludeMember } from './exclude-member.ts';
import { peerWarnings } from './peer-warnings.ts';
import { memberStep, replacesMembers, withMemberStep } from './read-facts.ts';
import { restartMember } from './restart-member.ts';

export interface EtcdTools extends EtcdMemberTools {
  readonly host: Host;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delay of the next check while the members change. A port-forward takes twice as long. */
const MEMBER_CHANGE_MS = 1_000;
/** Delay of the next check while the restart of a member is blocked. */
const BLOCKED_RESTART_MS = 3_000;

/** No event signals the progress of a member that joins or leaves. */
function changeMs(snapshot: Snapshot): number {
  const step = memberStep(snapshot);
  if (step.kind === 'none' || step.kind === 'blocked') return Infinity;
  if (step.kind === 'wait' && step.dueAt !== undefined)
    return Math.max(MEMBER_CHANGE_MS, step.dueAt - snapshot.now);
  return snapshot.remote === undefined ? MEMBER_CHANGE_MS : 2 * MEMBER_CHANGE_MS;
}

const msUntilCheck = ({ instance, snapshot }: CheckInput): number =>
  Math.min(
    changeMs(snapshot),
    instance.restartBlockedSince === undefined ? Infinity : BLOCKED_RESTART_MS,
  );

/** The members of a local etcd: their number, restarts, nodes and silent ones. */
export const etcdMembers = {
  name: 'members of etcd',
  observers: {
    facts: observeLocalEtcd,
    beforePlan: ({ tools, instance }: ObserveContext<EtcdReaders>, snapshot: Snapshot) => {
      observeMembersInBackground(tools, instance, snapshot);
    },
  },
  derive: withMemberStep,
  executors: ({ tools, instance, snapshot, apply }: ExecutionContext<EtcdTools>) => {
    const { host, clock, log } = tools;
    const { client } = host;
    const { name } = snapshot.karmada.metadata;
    const ask = askMembersOf(snapshot, instance, host, () => clock.wall());
    const observe = (): void => tools.etcdMembers.again(instance.key);
    const targets = memberTargets(snapshot, instance, host);
    const isFounding = snapshot.etcdBootstrap?.isFounding === true;
    return {
      changeEtcdMembers: (action) =>
        changeMembers({ client, clock, ask, log, targets, apply, observe }, snapshot, action),
      restartEtcdMember: ({ statefulSet }) => {
        const isReplaced = replacesMembers(snapshot);
        return restartMember({ client, clock, ask, isFounding, isReplaced }, statefulSet, name);
      },
      excludeEtcdMember: (action) => excludeMember({ client, ask, clock, log, instance }, action),
    };
  },
  problem: ({ snapshot }) => snapshot.etcd?.splitBrain,
  warnings: peerWarnings,
  conditions: ({ snapshot }) => etcdAdoptionConditions(snapshot),
  msUntilCheck,
} satisfies Feature<EtcdTools, EtcdReaders>;
