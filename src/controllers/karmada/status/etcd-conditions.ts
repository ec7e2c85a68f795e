/** Conditions about etcd, local or external: pure. */
import type { KarmadaStatus } from '../../../api/karmada.ts';
import type { Assessment } from '../../../features/assessment/assessment.ts';
import { CONDITION_TYPE } from '../../../conditions/condition-types.ts';
import { etcdHealth, UNASKED } from '../../../features/etcd-plan/etcd-health.ts';
import type { EtcdHealth } from '../../../instance/etcd-health.ts';
import type { ConditionDraft } from '../../../conditions/conditions.ts';
import {
  ETCD_PENDING,
  etcdProblem,
  obstacleOf,
} from '../../../features/external-etcd/external-etcd.ts';
import type { ExternalEtcdSnapshot } from '../../../instance/snapshot.ts';

const READY = CONDITION_TYPE.etcd;
const HEALTHY = 'EtcdHealthy';

/** Returns EtcdHealthy, and EtcdReady for an external etcd. A local etcd gets EtcdReady like any component. */
export function etcdConditions(
  assessment: Assessment,
  before: KarmadaStatus,
): readonly ConditionDraft[] {
  const { externalEtcd } = assessment.snapshot;
  if (externalEtcd === undefined) return [localHealth(assessment, before)];
  return [accessFinding(assessment, before), externalHealth(externalEtcd, before)];
}

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

function localHealth({ snapshot }: Assessment, before: KarmadaStatus): ConditionDraft {
  const { state, message } = etcdHealth(snapshot);
  if (state === 'pending') return saidOrUnknown(HEALTHY, before, UNASKED);
  return { type: HEALTHY, ...VERDICT[state], message };
}

/** EtcdReady: whether the API servers have working connection settings for etcd. */
function accessFinding({ snapshot, blocked }: Assessment, before: KarmadaStatus): ConditionDraft {
  const problem = etcdProblem(snapshot) ?? (blocked?.step === 'etcd' ? blocked : undefined);
  if (problem !== undefined) {
    const { reason, message } = problem;
    return { type: READY, status: 'False', reason, message };
  }
  if (obstacleOf(snapshot) === 'pending')
    return { type: READY, status: 'False', reason: 'Progressing', message: ETCD_PENDING };
  if (snapshot.externalEtcd?.check === undefined) return saidOrUnknown(READY, before);
  return { type: READY, status: 'True', reason: 'Available', message: '' };
}

function externalHealth({ check }: ExternalEtcdSnapshot, before: KarmadaStatus): ConditionDraft {
  switch (check?.outcome) {
    case undefined:
      return saidOrUnknown(HEALTHY, before);
    case 'served': {
      const which =
        check.version === undefined ? 'external etcd' : `external etcd ${check.version}`;
      const message = `${which}: healthy, quorum available`;
      const down = check.down === undefined ? '' : `; ${check.down.message}`;
      return { type: HEALTHY, status: 'True', reason: 'Quorum', message: `${message}${down}` };
    }
    case 'unserved':
      return { type: HEALTHY, status: 'False', ...check.problem };
    case 'unread':
    case 'unusable':
      return { type: HEALTHY, status: 'Unknown', ...check.problem };
  }
}

/** Keeps the previous condition until a new check has a result. */
function saidOrUnknown(
  wanted: string,
  { conditions }: KarmadaStatus,
  pending = ETCD_PENDING,
): ConditionDraft {
  const said = conditions?.find(({ type }) => type === wanted);
  if (said === undefined)
    return { type: wanted, status: 'Unknown', reason: 'Pending', message: pending };
  const { type, status, reason, message } = said;
  return { type, status, reason, message };
}
