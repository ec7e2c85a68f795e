/** Series of one control plane: pure functions of its Karmada object and of what the operator observed. */
import { failureIn, faultOf } from '../api/reasons/failure.ts';
import type { Condition, Karmada, UpgradeStatus } from '../api/karmada.ts';
import type { MemberClustersStatus } from '../api/member-clusters-status.ts';
import { classOf } from '../api/reasons/fault.ts';
import { databaseSize } from '../etcd/database-size.ts';
import { isAnswer, type EtcdMemberStatus, type EtcdResult } from '../etcd/member-status.ts';
import { hostReference } from '../host-clusters/host-reference.ts';
import type { CertificatesView } from '../instance/snapshot.ts';
import { parseTime } from '../kubernetes/time/time.ts';

/** Prefix of the series of single control planes. */
const PREFIX = 'karmada_operator_control_plane_';

interface Family {
  readonly help: string;
  /** In addition to `karmada_namespace` and `karmada_name`. */
  readonly labels: readonly string[];
}

/** All families, by name without the prefix. They are gauges, and their series end with the Karmada object. */
export const FAMILIES = {
  info: {
    help: 'Versions that the control plane runs and its host cluster (local, remote); the value is always 1.',
    labels: ['karmada_version', 'kubernetes_version', 'etcd_version', 'host_cluster'],
  },
  phase: { help: 'Phase of the Karmada object; the value is always 1.', labels: ['phase'] },
  condition: {
    help: 'Status and each reason of the conditions of the Karmada object; the value is always 1.',
    labels: ['type', 'status', 'reason'],
  },
  failure: {
    help: 'Cause of a failure: whose fault it is (class: operator, component, cluster, user, network), what it is about (fault), and the reason of its condition; the value is always 1. Absent without a failure.',
    labels: ['class', 'fault', 'reason'],
  },
  unobserved_generations: {
    help: 'Number of changes of the spec that the operator has not processed yet.',
    labels: [],
  },
  first_certificate_expiry_timestamp_seconds: {
    help: 'Expiry of the certificate that expires first, as Unix time.',
    labels: [],
  },
  certificate_expiry_timestamp_seconds: {
    help: 'Expiry of each CA and certificate as Unix time. Known after the first reconcile of this operator process.',
    labels: ['certificate'],
  },
  upgrade: {
    help: 'Upgrade in progress or failed, with its first incomplete step; the value is always 1.',
    labels: ['from', 'to', 'step', 'phase'],
  },
  upgrade_step_start_timestamp_seconds: {
    help: 'Start of the step of an upgrade with rollback, as Unix time.',
    labels: [],
  },
  blocked_changes: {
    help: 'Number of changes that the operator does not apply, by reason, as of the last reconcile.',
    labels: ['reason'],
  },
  member_clusters: {
    help: 'Number of joined member clusters by the state that the control plane reports (Ready, NotReady), as last observed.',
    labels: ['state'],
  },
  etcd_quorum: {
    help: '1 if a majority of the voting etcd members is available, 0 if not. Absent while it is unknown.',
    labels: [],
  },
  etcd_has_leader: {
    help: '1 if the etcd members report a leader, 0 if not. Absent while no member responds.',
    labels: [],
  },
  etcd_members: { help: 'Number of etcd members by role (Voter, Learner).', labels: ['role'] },
  etcd_member_up: {
    help: '1 if the etcd member responds to the operator, 0 if not.',
    labels: ['member'],
  },
  etcd_alarm: {
    help: 'Alarm of an etcd member (NOSPACE, CORRUPT); the value is always 1.',
    labels: ['member', 'alarm'],
  },
  etcd_database_bytes: { help: 'Size of the database file of an etcd member.', labels: ['member'] },
  etcd_database_in_use_bytes: {
    help: 'Part of the database file of an etcd member that contains data.',
    labels: ['member'],
  },
  etcd_quota_bytes: {
    help: 'Database size at which an etcd member rejects writes.',
    labels: ['member'],
  },
  backups: { help: 'Number of KarmadaBackups by phase.', labels: ['phase'] },
  backup_last_success_timestamp_seconds: {
    help: 'Time of the snapshot of the newest verified backup, as Unix time.',
    labels: [],
  },
  backup_last_failed: {
    help: '1 if the newest backup that has ended was not verified, 0 if it was.',
    labels: [],
  },
  backup_last_size_bytes: { help: 'Size of the newest verified backup.', labels: [] },
  backup_last_duration_seconds: {
    help: 'Time that the newest verified backup took, including its proof.',
    labels: [],
  },
  backup_schedule_last_success_timestamp_seconds: {
    help: 'Time of the last verified backup of a schedule, or of its creation before the first one, as Unix time. Absent for a suspended schedule.',
    labels: ['schedule'],
  },
  backup_schedule_interval_seconds: {
    help: 'Longest pause between two of the next backups of a schedule.',
    labels: ['schedule'],
  },
} as const satisfies Readonly<Record<string, Family>>;

export type FamilyName = keyof typeof FAMILIES;

/** Full name of a family. */
export const fullName = (family: FamilyName): string => `${PREFIX}${family}`;

/** One series. `labels` are in the order of the table. */
export interface Series {
  readonly family: FamilyName;
  readonly labels: readonly string[];
  readonly value: number;
}

/** Creates a series. @param labels in the order of the table */
export const series = (family: FamilyName, labels: readonly string[], value: number): Series => ({
  family,
  labels,
  value,
});

/** Unix time in seconds of an RFC 3339 time; no value if it is absent or invalid. */
export function seconds(time: string | undefined): readonly number[] {
  const ms = parseTime(time);
  return Number.isNaN(ms) ? [] : [ms / 1000];
}

/** Series that depend only on the Karmada object. */
export function objectSeries(karmada: Karmada): readonly Series[] {
  const { generation = 0 } = karmada.metadata;
  const { status = {} } = karmada;
  const { conditions = [], phase = 'Pending', upgrade, certificateExpiry } = status;
  const behind = generation - (status.observedGeneration ?? 0);
  return [
    infoSeries(karmada),
    series('phase', [phase], 1),
    ...conditions.flatMap(({ type, status, reason }) =>
      reason.split(',').map((each) => series('condition', [type, status, each], 1)),
    ),
    ...failureSeries(conditions),
    series('unobserved_generations', [], Math.max(0, behind)),
    ...seconds(certificateExpiry).map((value) =>
      series('first_certificate_expiry_timestamp_seconds', [], value),
    ),
    ...upgradeSeries(upgrade),
    ...memberClusterSeries(status.memberClusters),
    ...etcdSeries(status.etcdCluster),
  ];
}

function failureSeries(conditions: readonly Condition[]): readonly Series[] {
  const { reason = '' } = failureIn(conditions) ?? {};
  const fault = faultOf(reason);
  const blamed = fault && classOf(fault);
  return blamed === undefined ? [] : [series('failure', [blamed, fault ?? '', reason], 1)];
}

function infoSeries({ spec, status }: Karmada): Series {
  const { karmada = '', kubernetes = '', etcd = '' } = status?.versions ?? {};
  const isRemote = hostReference({ spec }) !== undefined;
  return series('info', [karmada, kubernetes, etcd, isRemote ? 'remote' : 'local'], 1);
}

function upgradeSeries(upgrade: UpgradeStatus | undefined): readonly Series[] {
  if (upgrade === undefined) return [];
  const { from, to, step = '', phase = 'Progressing', startedAt } = upgrade;
  const labels = [from?.karmada ?? '', to?.karmada ?? '', step, phase];
  return [
    series('upgrade', labels, 1),
    ...seconds(startedAt).map((value) => series('upgrade_step_start_timestamp_seconds', [], value)),
  ];
}

function memberClusterSeries(members: MemberClustersStatus | undefined): readonly Series[] {
  if (members === undefined) return [];
  const { total, ready } = members;
  return [
    series('member_clusters', ['Ready'], ready),
    series('member_clusters', ['NotReady'], total - ready),
  ];
}

type EtcdCluster = NonNullable<Karmada['status']>['etcdCluster'];

function etcdSeries(cluster: EtcdCluster): readonly Series[] {
  if (cluster === undefined) return [];
  const { quorum, leader, members } = cluster;
  const count = (role: string): number => members.filter((one) => one.role === role).length;
  const named = members.map((member) => ({ ...member, label: member.name || member.id }));
  return [
    ...(quorum === 'Unknown'
      ? []
      : [
          series('etcd_quorum', [], Number(quorum === 'True')),
          series('etcd_has_leader', [], Number(leader !== '')),
        ]),
    ...['Voter', 'Learner'].map((role) => series('etcd_members', [role], count(role))),
    ...named.map(({ label, message }) =>
      series('etcd_member_up', [label], Number(message === undefined)),
    ),
    ...named.flatMap(({ label, alarms = [] }) =>
      alarms.map((alarm) => series('etcd_alarm', [label, alarm], 1)),
    ),
  ];
}

/** Series of the certificates. */
export const certificateSeries = ({ expiries }: CertificatesView): readonly Series[] =>
  expiries.map(({ name, notAfter }) =>
    series('certificate_expiry_timestamp_seconds', [name], notAfter / 1000),
  );

/** Series of the changes that the last reconcile blocked. @param reasons one per change */
export function blockedSeries(reasons: readonly string[]): readonly Series[] {
  const count = (reason: string): number => reasons.filter((one) => one === reason).length;
  return [...new Set(reasons)].map((reason) => series('blocked_changes', [reason], count(reason)));
}

/** Sizes of the databases of the etcd members that responded last. */
export function databaseSeries(results: readonly EtcdResult[]): readonly Series[] {
  return results.filter(isAnswer).flatMap((answer: EtcdMemberStatus) => {
    const { size, free, quota } = databaseSize(answer);
    return [
      series('etcd_database_bytes', [answer.pod], Number(size)),
      series('etcd_database_in_use_bytes', [answer.pod], Number(size - free)),
      series('etcd_quota_bytes', [answer.pod], Number(quota)),
    ];
  });
}
