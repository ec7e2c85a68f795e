/** What the status says of etcd, the operator's own or somebody else's: pure. */
import type { Warning } from '../../api/warnings.ts';
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Assessment } from '../status/assessment.ts';
import { CONDITION_TYPE } from '../status/condition-types.ts';
import { etcdHealth, UNASKED, type EtcdHealth } from '../status/etcd-health.ts';
import type { Finding } from '../status/conditions.ts';
import { ETCD_PENDING, etcdProblem, isBegun, obstacleOf, sharedBy } from './external-etcd.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../snapshot.ts';

const READY = CONDITION_TYPE.etcd;
const HEALTHY = 'EtcdHealthy';

/** EtcdHealthy, and for an external etcd EtcdReady, which a local one has like any component. */
export function etcdFindings(assessment: Assessment, before: KarmadaStatus): readonly Finding[] {
  const { externalEtcd } = assessment.snapshot;
  if (externalEtcd === undefined) return [localHealth(assessment, before)];
  return [accessFinding(assessment, before), externalHealth(externalEtcd, before)];
}

type Verdict = Pick<Finding, 'status' | 'reason'>;

const VERDICT: Readonly<Record<Exclude<EtcdHealth['state'], 'pending'>, Verdict>> = {
  quorum: { status: 'True', reason: 'Quorum' },
  impaired: { status: 'False', reason: 'MemberNotServing' },
  noQuorum: { status: 'False', reason: 'NoQuorum' },
  split: { status: 'False', reason: 'SplitBrain' },
  unobserved: { status: 'Unknown', reason: 'EtcdUnobserved' },
};

function localHealth({ snapshot }: Assessment, before: KarmadaStatus): Finding {
  const { state, message } = etcdHealth(snapshot);
  if (state === 'pending') return saidOrUnknown(HEALTHY, before, UNASKED);
  return { type: HEALTHY, ...VERDICT[state], message };
}

/** Whether the API servers have, or can be given, an access that works. */
function accessFinding({ snapshot, held }: Assessment, before: KarmadaStatus): Finding {
  const problem = etcdProblem(snapshot) ?? (held?.step === 'etcd' ? held : undefined);
  if (problem !== undefined) {
    const { reason, message } = problem;
    return { type: READY, status: 'False', reason, message };
  }
  if (obstacleOf(snapshot) === 'pending')
    return { type: READY, status: 'False', reason: 'Progressing', message: ETCD_PENDING };
  if (snapshot.externalEtcd?.check === undefined) return saidOrUnknown(READY, before);
  return { type: READY, status: 'True', reason: 'Available', message: '' };
}

function externalHealth({ check }: ExternalEtcdSnapshot, before: KarmadaStatus): Finding {
  switch (check?.outcome) {
    case undefined:
      return saidOrUnknown(HEALTHY, before);
    case 'served': {
      const which = check.version === undefined ? 'the external etcd' : `etcd ${check.version}`;
      const message = `${which} serves with a quorum`;
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

/** What was said before is the best there is to say until somebody has looked. */
function saidOrUnknown(
  wanted: string,
  { conditions }: KarmadaStatus,
  pending = ETCD_PENDING,
): Finding {
  const said = conditions?.find(({ type }) => type === wanted);
  if (said === undefined)
    return { type: wanted, status: 'Unknown', reason: 'Pending', message: pending };
  const { type, status, reason, message } = said;
  return { type, status, reason, message };
}

/** An external etcd's certificate for its clients is the user's to renew, so it is told early, in milliseconds. */
const ENDS_SOON_MS = 14 * 86_400_000;

/** What is unwise or will go wrong about an external etcd that serves. */
export function etcdWarnings(snapshot: Snapshot): readonly Warning[] {
  const { check, elder, secret } = snapshot.externalEtcd ?? {};
  const shared = elder !== undefined && isBegun(snapshot) ? [sharedBy(elder)] : [];
  if (check?.outcome !== 'served' || secret === undefined) return shared;
  const { namespace, name } = secret.source;
  const { notAfter } = check.access;
  const ends = new Date(notAfter).toISOString();
  return [
    ...shared,
    ...(check.down ? [check.down] : []),
    ...(notAfter - snapshot.now < ENDS_SOON_MS
      ? [
          {
            reason: 'EtcdClientCertificateEnds',
            message: `Secret ${namespace}/${name}: the certificate in tls.crt ends at ${ends}; put a new one there, the API servers take it up by themselves.`,
          },
        ]
      : []),
  ];
}
