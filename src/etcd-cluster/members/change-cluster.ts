/** Executes changes in the etcd cluster itself. */
import { withEtcd, type EtcdClient, type EtcdTarget } from '../../etcd/client.ts';
import { nextStepOf } from '../../etcd/error-kinds.ts';
import { peerURL, type MemberFacts } from './facts.ts';
import type { MemberStep } from './step.ts';

interface ClusterChange {
  readonly step: MemberStep;
  readonly facts: MemberFacts;
  /** Remaining validity of the decision, in milliseconds. etcd itself has no timeout for changes. */
  readonly leftMs: number;
}

/**
 * Sends one change to the leader.
 * @param leader undefined if the leader is unknown
 * @returns whether etcd has accepted the change; false if the state must be read again first
 * @throws EtcdStatusError if etcd never accepts the change
 */
export async function changeCluster(
  leader: EtcdTarget | undefined,
  { step, facts, leftMs }: ClusterChange,
): Promise<boolean> {
  if (leader === undefined) return false;
  try {
    await withEtcd(leader, AbortSignal.timeout(Math.ceil(leftMs)), (client) =>
      send(client, step, facts),
    );
    return true;
  } catch (error) {
    if (nextStepOf(error) === 'fail') throw error;
    return false;
  }
}

async function send(client: EtcdClient, step: MemberStep, facts: MemberFacts): Promise<void> {
  switch (step.kind) {
    case 'addLearner':
      return void (await client.addLearner(peerURL(facts, step.pod.ordinal)));
    case 'promote':
      return void (await client.promote(step.memberId));
    case 'moveLeader':
      return client.moveLeader(step.to);
    case 'updatePeerURLs':
      return void (await client.updateMember(step.memberId, step.peerURLs));
    case 'removeMember':
      return void (await client.removeMember(step.memberId));
    default:
  }
}
