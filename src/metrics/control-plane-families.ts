/** Names, labels and texts of the series of control planes. */
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
  rotation_phase_start_timestamp_seconds: {
    help: 'Start of the present phase of the rotation of a CA or key (Preparing, Switching, Overlap, Completing), as Unix time. Absent without a rotation.',
    labels: ['authority', 'phase'],
  },
  rotation_waits_for: {
    help: 'Number of Pods, objects and agents that the phase of a rotation waits for.',
    labels: ['authority', 'phase'],
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
