/** Dashboard of one control plane. */
import type { Dashboard, Panel, Section } from './panel.ts';

const of = (family: string, selector = ''): string =>
  `karmada_operator_control_plane_${family}{karmada_namespace="$namespace",karmada_name="$name"${selector}}`;

/** Panel for a condition that should not be True. */
const absent = (title: string, type: string): Panel => ({
  kind: 'stat',
  title,
  alarm: { value: 1 },
  expr: `count(${of('condition', `,type="${type}",status="True"`)}) or vector(0)`,
});

const state: Section = {
  title: 'State',
  panels: [
    {
      kind: 'stat',
      title: 'Ready',
      alarm: { value: 1, isMinimum: true },
      expr: `count(${of('condition', ',type="Ready",status="True"')}) or vector(0)`,
    },
    absent('Degraded', 'Degraded'),
    absent('Needs user action', 'Stalled'),
    {
      kind: 'stat',
      title: 'Changes not processed yet',
      alarm: { value: 1 },
      expr: `max(${of('unobserved_generations')})`,
    },
    {
      kind: 'stat',
      title: 'Blocked changes',
      alarm: { value: 1 },
      expr: `sum(${of('blocked_changes')}) or vector(0)`,
    },
    {
      kind: 'stat',
      title: 'First certificate expires in',
      unit: 's',
      expr: `min(${of('first_certificate_expiry_timestamp_seconds')}) - time()`,
      alarm: { value: 14 * 86_400, isMinimum: true },
    },
    {
      kind: 'table',
      title: 'Versions',
      columns: ['karmada_version', 'kubernetes_version', 'etcd_version', 'host_cluster'],
      expr: `max by (karmada_version, kubernetes_version, etcd_version, host_cluster) (${of('info')})`,
    },
    {
      kind: 'table',
      title: 'Conditions',
      columns: ['type', 'status', 'reason'],
      expr: `max by (type, status, reason) (${of('condition')})`,
    },
    {
      kind: 'table',
      title: 'Failure',
      columns: ['class', 'fault', 'reason'],
      expr: `max by (class, fault, reason) (${of('failure')})`,
    },
    {
      kind: 'table',
      title: 'Blocked changes',
      columns: ['reason'],
      value: 'Changes',
      expr: `max by (reason) (${of('blocked_changes')})`,
    },
    {
      kind: 'table',
      title: 'Upgrade',
      columns: ['from', 'to', 'step', 'phase'],
      expr: `max by (from, to, step, phase) (${of('upgrade')})`,
    },
    {
      kind: 'graph',
      title: 'Member clusters',
      isStacked: true,
      queries: [{ expr: `max by (state) (${of('member_clusters')})`, legend: '{{state}}' }],
    },
    {
      kind: 'graph',
      title: 'Phase',
      queries: [{ expr: `max by (phase) (${of('phase')})`, legend: '{{phase}}' }],
    },
    {
      kind: 'table',
      title: 'Certificates',
      columns: ['certificate'],
      unit: 's',
      value: 'Expires in',
      expr: `min by (certificate) (${of('certificate_expiry_timestamp_seconds')}) - time()`,
    },
  ],
};

const etcd: Section = {
  title: 'etcd',
  panels: [
    {
      kind: 'stat',
      title: 'Quorum',
      alarm: { value: 1, isMinimum: true },
      expr: `max(${of('etcd_quorum')})`,
    },
    {
      kind: 'stat',
      title: 'Leader',
      alarm: { value: 1, isMinimum: true },
      expr: `max(${of('etcd_has_leader')})`,
    },
    { kind: 'stat', title: 'Voters', expr: `max(${of('etcd_members', ',role="Voter"')})` },
    {
      kind: 'stat',
      title: 'Members that respond',
      expr: `sum(max by (member) (${of('etcd_member_up')}))`,
    },
    {
      kind: 'graph',
      title: 'Members that respond',
      isStacked: true,
      queries: [{ expr: `max by (member) (${of('etcd_member_up')})`, legend: '{{member}}' }],
    },
    {
      kind: 'graph',
      title: 'Database',
      unit: 'bytes',
      queries: [
        { expr: `max by (member) (${of('etcd_database_bytes')})`, legend: '{{member}}: file' },
        {
          expr: `max by (member) (${of('etcd_database_in_use_bytes')})`,
          legend: '{{member}}: data',
        },
        { expr: `min(${of('etcd_quota_bytes')})`, legend: 'quota' },
      ],
    },
    {
      kind: 'table',
      title: 'Alarms',
      columns: ['member', 'alarm'],
      expr: `max by (member, alarm) (${of('etcd_alarm')})`,
    },
  ],
};

const backups: Section = {
  title: 'Backups',
  panels: [
    {
      kind: 'stat',
      title: 'Age of the last backup',
      unit: 's',
      expr: `time() - max(${of('backup_last_success_timestamp_seconds')})`,
    },
    {
      kind: 'stat',
      title: 'Last backup failed',
      alarm: { value: 1 },
      expr: `max(${of('backup_last_failed')})`,
    },
    { kind: 'stat', title: 'Size', unit: 'bytes', expr: `max(${of('backup_last_size_bytes')})` },
    {
      kind: 'stat',
      title: 'Duration',
      unit: 's',
      expr: `max(${of('backup_last_duration_seconds')})`,
    },
    {
      kind: 'graph',
      title: 'Backups by phase',
      queries: [{ expr: `max by (phase) (${of('backups')})`, legend: '{{phase}}' }],
    },
    {
      kind: 'table',
      title: 'Schedules',
      columns: ['schedule'],
      unit: 's',
      value: 'Last success',
      expr: `time() - max by (schedule) (${of('backup_schedule_last_success_timestamp_seconds')})`,
    },
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
