/** Dashboard of one control plane. */
import { graph, stat, table, type Dashboard, type Panel, type Section } from './panel.ts';

const of = (family: string, selector = ''): string =>
  `karmada_operator_control_plane_${family}{karmada_namespace="$namespace",karmada_name="$name"${selector}}`;

/** Panel for a condition that should not be True. */
const absent = (title: string, type: string): Panel =>
  stat(title, `count(${of('condition', `,type="${type}",status="True"`)}) or vector(0)`, {
    alarm: { value: 1 },
  });

const state: Section = {
  title: 'State',
  panels: [
    stat('Ready', `count(${of('condition', ',type="Ready",status="True"')}) or vector(0)`, {
      alarm: { value: 1, isMinimum: true },
    }),
    absent('Degraded', 'Degraded'),
    absent('Needs user action', 'Stalled'),
    stat('Changes not processed yet', `max(${of('unobserved_generations')})`, {
      alarm: { value: 1 },
    }),
    stat('Blocked changes', `sum(${of('blocked_changes')}) or vector(0)`, { alarm: { value: 1 } }),
    stat(
      'First certificate expires in',
      `min(${of('first_certificate_expiry_timestamp_seconds')}) - time()`,
      { unit: 's', alarm: { value: 14 * 86_400, isMinimum: true } },
    ),
    table(
      'Versions',
      ['karmada_version', 'kubernetes_version', 'etcd_version', 'host_cluster'],
      `max by (karmada_version, kubernetes_version, etcd_version, host_cluster) (${of('info')})`,
    ),
    table(
      'Conditions',
      ['type', 'status', 'reason'],
      `max by (type, status, reason) (${of('condition')})`,
    ),
    table(
      'Failure',
      ['class', 'fault', 'reason'],
      `max by (class, fault, reason) (${of('failure')})`,
    ),
    table('Blocked changes', ['reason'], `max by (reason) (${of('blocked_changes')})`, {
      value: 'Changes',
    }),
    table(
      'Upgrade',
      ['from', 'to', 'step', 'phase'],
      `max by (from, to, step, phase) (${of('upgrade')})`,
    ),
    table(
      'Rotations',
      ['authority', 'phase'],
      `time() - min by (authority, phase) (${of('rotation_phase_start_timestamp_seconds')})`,
      { unit: 's', value: 'Duration' },
    ),
    table(
      'Rotations wait for',
      ['authority', 'phase'],
      `max by (authority, phase) (${of('rotation_waits_for')})`,
      { value: 'Parties' },
    ),
    graph(
      'Member clusters',
      { '{{state}}': `max by (state) (${of('member_clusters')})` },
      { isStacked: true },
    ),
    graph('Phase', { '{{phase}}': `max by (phase) (${of('phase')})` }),
    table(
      'Certificates',
      ['certificate'],
      `min by (certificate) (${of('certificate_expiry_timestamp_seconds')}) - time()`,
      { unit: 's', value: 'Expires in' },
    ),
  ],
};

const etcd: Section = {
  title: 'etcd',
  panels: [
    stat('Quorum', `max(${of('etcd_quorum')})`, { alarm: { value: 1, isMinimum: true } }),
    stat('Leader', `max(${of('etcd_has_leader')})`, { alarm: { value: 1, isMinimum: true } }),
    stat('Voters', `max(${of('etcd_members', ',role="Voter"')})`),
    stat('Members that respond', `sum(max by (member) (${of('etcd_member_up')}))`),
    graph(
      'Members that respond',
      { '{{member}}': `max by (member) (${of('etcd_member_up')})` },
      { isStacked: true },
    ),
    graph(
      'Database',
      {
        '{{member}}: file': `max by (member) (${of('etcd_database_bytes')})`,
        '{{member}}: data': `max by (member) (${of('etcd_database_in_use_bytes')})`,
        quota: `min(${of('etcd_quota_bytes')})`,
      },
      { unit: 'bytes' },
    ),
    table('Alarms', ['member', 'alarm'], `max by (member, alarm) (${of('etcd_alarm')})`),
  ],
};

const backups: Section = {
  title: 'Backups',
  panels: [
    stat('Age of the last backup', `time() - max(${of('backup_last_success_timestamp_seconds')})`, {
      unit: 's',
    }),
    stat('Last backup failed', `max(${of('backup_last_failed')})`, { alarm: { value: 1 } }),
    stat('Size', `max(${of('backup_last_size_bytes')})`, { unit: 'bytes' }),
    stat('Duration', `max(${of('backup_last_duration_seconds')})`, { unit: 's' }),
    graph('Backups by phase', { '{{phase}}': `max by (phase) (${of('backups')})` }),
    table(
      'Schedules',
      ['schedule'],
      `time() - max by (schedule) (${of('backup_schedule_last_success_timestamp_seconds')})`,
      { unit: 's', value: 'Last success' },
    ),
  ],
};

export const CONTROL_PLANE: Dashboard = {
  uid: 'karmada-operator-control-plane',
  title: 'Karmada operator / Control plane',
  description: 'One control plane of a Karmada operator.',
  variables: [
    {
      name: 'namespace',
      label: 'Namespace',
      series: 'karmada_operator_control_plane_info',
      of: 'karmada_namespace',
    },
    {
      name: 'name',
      label: 'Karmada',
      series: 'karmada_operator_control_plane_info{karmada_namespace="$namespace"}',
      of: 'karmada_name',
    },
  ],
  sections: [state, etcd, backups],
};
