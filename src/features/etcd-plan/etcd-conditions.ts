/** Condition about the members of a local etcd: pure. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import { lastCondition, type ConditionDraft } from '../../conditions/conditions.ts';
import type { EtcdHealth } from '../../instance/etcd-health.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { etcdHealth, UNASKED } from './etcd-health.ts';

type Verdict = Pick<ConditionDraft, 'status' | 'reason'>;

const VERDICT: Readonly<Record<Exclude<EtcdHealth['state'], 'pending'>, Verdict>> = {
  quorum: { status: 'True', reason: 'Quorum' },
  impaired: { status: 'False', reason: 'MemberNotServing' },
  noQuorum: { status: 'False', reason: 'NoQuorum' },
  quorumLost: { status: 'False', reason: 'QuorumLost' },
  split: { status: 'False', reason: 'SplitBrain' },
  corrupt: { status: 'False', reason: 'EtcdCorrupt' },
  noSpace: { status: 'False', reason: 'EtcdNoSpace' },
  unobserved: { status: 'Unknown', reason: 'EtcdUnobserved' },
};

/** Returns the condition EtcdHealthy of a local etcd; empty for an external one. */
export function etcdConditions(
  snapshot: Snapshot,
  before: KarmadaStatus,
): readonly ConditionDraft[] {
  if (snapshot.externalEtcd !== undefined) return [];
  const { state, message } = etcdHealth(snapshot);
  if (state === 'pending') return [lastCondition('EtcdHealthy', before, UNASKED)];
  return [{ type: 'EtcdHealthy', ...VERDICT[state], message }];
}
