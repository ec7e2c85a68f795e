import type { ExecutionContext, Feature } from '../../actions/feature.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import type { Random } from '../../kubernetes/time/clock.ts';
import { recordEtcd } from '../etcd-bootstrap/record-etcd.ts';
import { askMemberOf, askMembersOf } from '../etcd-members/etcd-members.ts';
import type { EtcdTools } from '../etcd-members/feature.ts';
import { isRecovering, stoppedByRecovery } from './recovery-status.ts';
import { recoveryWarnings, refusalProblem } from './recovery-text.ts';
import { recoverEtcd, type RecoverTools } from './recover-etcd.ts';

interface Tools extends EtcdTools {
  readonly local: Pick<ManagementCluster, 'client'>;
  readonly random: Random;
  /** Image of the operator; undefined if the operator does not know it. */
  readonly backupImage?: string | undefined;
}

/** No event signals the progress of a restore. */
const PROGRESS_MS = 1_000;

function recoverTools({ tools, instance, snapshot }: ExecutionContext<Tools>): RecoverTools {
  const { host, local, clock, random, log, etcdMembers, backupImage } = tools;
  const { client } = host;
  const wall = (): number => clock.wall();
  return {
    client,
    clock,
    log,
    random,
    backupImage,
    management: local.client,
    remote: host.remote && client,
    ask: askMembersOf(snapshot, instance, host, wall),
    askOne: askMemberOf(snapshot, instance, host, wall),
    note: (action) => recordEtcd(client, instance, action),
    observe: () => etcdMembers.again(instance.key),
  };
}

/** The recovery of a local etcd that lost its quorum, from one member or from a backup. */
export const etcdRecovery = {
  name: 'recovery of etcd',
  executors: (context: ExecutionContext<Tools>) => ({
    recoverEtcd: (action) => recoverEtcd(recoverTools(context), context.snapshot, action),
  }),
  problem: ({ snapshot }) => refusalProblem(snapshot),
  stopped: stoppedByRecovery,
  continues: (assessment) => (isRecovering(assessment) ? 'blocked change' : undefined),
  warnings: recoveryWarnings,
  msUntilCheck: ({ snapshot }) =>
    snapshot.etcdBootstrap?.recovery === undefined ? Infinity : PROGRESS_MS,
} satisfies Feature<Tools>;
