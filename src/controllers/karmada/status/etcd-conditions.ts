/** Conditions and warnings about etcd, local or external: pure. */
import { when, type Warning } from '../../../api/warning.ts';
import type { KarmadaStatus } from '../../../api/karmada.ts';
import type { Assessment } from '../../../features/assessment/assessment.ts';
import { CONDITION_TYPE } from '../../../conditions/condition-types.ts';
import { etcdHealth, UNASKED } from '../../../features/etcd-plan/etcd-health.ts';
import type { EtcdHealth } from '../../../instance/etcd-health.ts';
import type { ConditionDraft } from '../../../conditions/conditions.ts';
import { keepsData } from '../../../features/etcd-members/read-facts.ts';
import { peerSchemeOf } from '../../../components/etcd/peer-flags.ts';
import { etcdWorkload } from '../../../features/etcd-storage/plan-etcd.ts';
import {
  ETCD_PENDING,
  etcdProblem,
  isBegun,
  obstacleOf,
  sharedBy,
} from '../../../features/external-etcd/external-etcd.ts';
import { recoveryWarnings } from '../../../features/etcd-recovery/recovery-text.ts';
import { nameOf } from '../../../kubernetes/object.ts';
import type { ExternalEtcdSnapshot, Snapshot } from '../../../instance/snapshot.ts';
import { pendingExpansions } from '../../../features/etcd-storage/claim-growth.ts';

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

/** How early to warn about the expiry of the client certificate, in milliseconds. The user must renew it. */
const ENDS_SOON_MS = 14 * 86_400_000;

/** Warnings about peer connections, volumes and a recovery of a local etcd, and about a healthy external etcd. */
export const etcdWarnings = (snapshot: Snapshot): readonly Warning[] => [
  ...peerWarnings(snapshot),
  ...expansionWarnings(snapshot),
  ...externalWarnings(snapshot),
  ...recoveryWarnings(snapshot),
];

function peerWarnings(snapshot: Snapshot): readonly Warning[] {
  const statefulSet = etcdWorkload(snapshot);
  if (statefulSet === undefined || peerSchemeOf(statefulSet) !== 'http') return [];
  if (keepsData(snapshot)) return [];
  const message = `${nameOf(statefulSet)}: etcd accepts other members over http, because a restart would lose the data in its emptyDir; set spec.components.etcd.local.replicas to 3: then the operator moves all members to https.`;
  return [{ reason: 'EtcdPeersWithoutTLS', message }];
}

/** PVCs of a local etcd that are not expanded yet. */
function expansionWarnings({ karmada, host, spec }: Snapshot): readonly Warning[] {
  if (spec.components.etcd.local === undefined) return [];
  const pending = pendingExpansions(karmada.metadata.name, host.claims);
  if (pending.length === 0) return [];
  const message = `PersistentVolumeClaim ${pending.join(', ')}: the volume is smaller than requested; if it stays so, read the Events of the PVC.`;
  return [{ reason: 'EtcdVolumeExpanding', message }];
}

function externalWarnings(snapshot: Snapshot): readonly Warning[] {
  const { check, older, secret } = snapshot.externalEtcd ?? {};
  const shared = older !== undefined && isBegun(snapshot) ? [sharedBy(older)] : [];
  if (check?.outcome !== 'served' || secret === undefined) return shared;
  const { namespace, name } = secret.source;
  const { notAfter } = check.access;
  const ends = new Date(notAfter).toISOString();
  return [
    ...shared,
    ...(check.down ? [check.down] : []),
    ...when(
      notAfter - snapshot.now < ENDS_SOON_MS,
      'EtcdClientCertificateExpiring',
      `Secret ${namespace}/${name}: the certificate in tls.crt expires at ${ends}; replace it, the API servers reload it without a restart.`,
    ),
  ];
}
