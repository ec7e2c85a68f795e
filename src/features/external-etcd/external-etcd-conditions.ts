/** Conditions about an external etcd: pure. */
import type { Assessment } from '../../actions/assessment.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { CONDITION_TYPE } from '../../conditions/condition-types.ts';
import { lastCondition, type ConditionDraft } from '../../conditions/conditions.ts';
import type { ExternalEtcdSnapshot } from '../../instance/snapshot.ts';
import { ETCD_PENDING, etcdProblem, obstacleOf } from './external-etcd.ts';

const READY = CONDITION_TYPE.etcd;
const HEALTHY = 'EtcdHealthy';

/** Returns EtcdReady and EtcdHealthy; empty for a local etcd, which gets EtcdReady like any component. */
export function externalEtcdConditions(
  assessment: Pick<Assessment, 'snapshot' | 'blocked'>,
  before: KarmadaStatus,
): readonly ConditionDraft[] {
  const { externalEtcd } = assessment.snapshot;
  if (externalEtcd === undefined) return [];
  return [accessCondition(assessment, before), healthCondition(externalEtcd, before)];
}

/** EtcdReady: whether the API servers have working connection settings for etcd. */
function accessCondition(
  { snapshot, blocked }: Pick<Assessment, 'snapshot' | 'blocked'>,
  before: KarmadaStatus,
): ConditionDraft {
  const problem = etcdProblem(snapshot) ?? (blocked?.step === 'etcd' ? blocked : undefined);
  if (problem !== undefined) {
    const { reason, message } = problem;
    return { type: READY, status: 'False', reason, message };
  }
  if (obstacleOf(snapshot) === 'pending')
    return { type: READY, status: 'False', reason: 'Progressing', message: ETCD_PENDING };
  if (snapshot.externalEtcd?.check === undefined) return lastCondition(READY, before, ETCD_PENDING);
  return { type: READY, status: 'True', reason: 'Available', message: '' };
}

function healthCondition({ check }: ExternalEtcdSnapshot, before: KarmadaStatus): ConditionDraft {
  switch (check?.outcome) {
    case undefined:
      return lastCondition(HEALTHY, before, ETCD_PENDING);
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
