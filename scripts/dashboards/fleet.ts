/**
 * Dashboard of the operator and of all its control planes. The number of control planes has no limit, so panels show sums,
 * or the worst ones.
 */
import type { Dashboard, Panel, Section } from './panel.ts';

const RATE = '[$__rate_interval]';
const of = (family: string): string => `karmada_operator_control_plane_${family}`;
const OWNER = ['karmada_namespace', 'karmada_name'] as const;
const byOwner = 'by (karmada_namespace, karmada_name)';

/** Panel with the number of control planes for which a condition holds. */
const count = (title: string, expr: string): Panel => ({
  kind: 'stat',
  title,
  alarm: { value: 1 },
  expr: `count(${expr}) or vector(0)`,
});

/** Panel with quantiles of a histogram. */
const quantiles = (title: string, histogram: string, description: string): Panel => ({
  kind: 'graph',
  title,
  description,
  unit: 's',
  queries: [0.5, 0.95].map((quantile) => ({
    expr: `histogram_quantile(${String(quantile)}, sum by (le) (rate(karmada_operator_${histogram}_bucket${RATE})))`,
    legend: `quantile ${String(quantile)}`,
  })),
});

const rates = (title: string, counter: string, by: string, legend: string): Panel => ({
  kind: 'graph',
  title,
  unit: 'ops',
  queries: [
    {
      expr: `topk(10, sum by (${by}) (rate(karmada_operator_${counter}${RATE})))`,
      legend,
    },
  ],
});

const overview: Section = {
  title: 'Control planes',
  panels: [
    { kind: 'stat', title: 'Karmada objects', expr: 'sum(karmada_operator_control_planes)' },
    count('Not ready', `max ${byOwner} (${of('condition')}{type="Ready",status!="True"})`),
    count('Degraded', `max ${byOwner} (${of('condition')}{type="Degraded",status="True"})`),
    count('Need user action', `max ${byOwner} (${of('condition')}{type="Stalled",status="True"})`),
    {
      kind: 'stat',
      title: 'First certificate expires in',
      unit: 's',
      expr: `min(${of('first_certificate_expiry_timestamp_seconds')}) - time()`,
      alarm: { value: 14 * 86_400, isMinimum: true },
    },
    {
      kind: 'stat',
      title: 'Without a Karmada object',
      alarm: { value: 1 },
      expr: 'max(karmada_operator_orphaned_control_planes)',
    },
    {
      kind: 'graph',
      title: 'Karmada objects by phase',
      isStacked: true,
      queries: [{ expr: 'sum by (phase) (karmada_operator_control_planes)', legend: '{{phase}}' }],
    },
    {
      kind: 'graph',
      title: 'Blocked changes by reason',
      queries: [{ expr: `sum by (reason) (${of('blocked_changes')})`, legend: '{{reason}}' }],
    },
    quantiles(
      'Time to Ready',
      'time_to_ready_seconds',
      'From the creation of a Karmada object until its control plane was ready for the first time.',
    ),
    {
      kind: 'table',
      title: 'Not ready',
      columns: [...OWNER, 'reason'],
      description: 'At most 20.',
      expr: `topk(20, max by (karmada_namespace, karmada_name, reason) (${of('condition')}{type="Ready",status!="True"}))`,
    },
    {
      kind: 'table',
      title: 'Upgrades',
      columns: [...OWNER, 'from', 'to', 'step', 'phase'],
      description: 'In progress or failed, at most 20.',
      expr: `topk(20, max by (karmada_namespace, karmada_name, from, to, step, phase) (${of('upgrade')}))`,
    },
    {
      kind: 'table',
      title: 'Certificates that expire first',
      columns: OWNER,
      unit: 's',
      value: 'Expires in',
      expr: `bottomk(20, min ${byOwner} (${of('first_certificate_expiry_timestamp_seconds')}) - time())`,
    },
  ],
};

const etcd: Section = {
  title: 'etcd and backups',
  panels: [
    count('Without quorum', `max ${byOwner} (${of('etcd_quorum')}) == 0`),
    count('Without leader', `max ${byOwner} (${of('etcd_has_leader')}) == 0`),
    count(
      'Members that do not respond',
      `min by (karmada_namespace, karmada_name, member) (${of('etcd_member_up')}) == 0`,
    ),
    count('Members with an alarm', of('etcd_alarm')),
    count('Last backup failed', `max ${byOwner} (${of('backup_last_failed')}) == 1`),
    {
      kind: 'stat',
      title: 'Oldest last backup',
      unit: 's',
      expr: `time() - min(${of('backup_last_success_timestamp_seconds')})`,
    },
    {
      kind: 'graph',
      title: 'Largest databases, of their quota',
      unit: 'percentunit',
      queries: [
        {
          expr: `topk(10, max ${byOwner} (${of('etcd_database_bytes')} / ${of('etcd_quota_bytes')}))`,
          legend: '{{karmada_namespace}}/{{karmada_name}}',
        },
      ],
    },
    {
      kind: 'graph',
      title: 'Backups by phase',
      queries: [{ expr: `sum by (phase) (${of('backups')})`, legend: '{{phase}}' }],
    },
  ],
};

/** Series of all Node.js processes have the same names. */
const ofOperator = (series: string): string =>
  `${series} and on (job, instance) karmada_operator_build_info`;

const operator: Section = {
  title: 'Operator',
  panels: [
    {
      kind: 'stat',
      title: 'Leaders',
      alarm: { value: 1, isMinimum: true },
      expr: 'sum(karmada_operator_leader)',
    },
    {
      kind: 'stat',
      title: 'Replicas',
      expr: 'count(karmada_operator_build_info)',
    },
    {
      kind: 'stat',
      title: 'Retried',
      alarm: { value: 1 },
      description: 'Karmada objects whose last reconcile failed.',
      expr: 'sum(karmada_operator_queue_failing)',
    },
    {
      kind: 'stat',
      title: 'Stale watches',
      alarm: { value: 1 },
      expr: 'sum(karmada_operator_watches{state=~"failing|silent"}) or vector(0)',
    },
    {
      kind: 'stat',
      title: 'Missing in the CRD',
      alarm: { value: 1 },
      description: 'Fields and validation rules that the operator needs and the served CRD lacks.',
      expr: 'max(karmada_operator_crd_lacks)',
    },
    {
      kind: 'stat',
      title: 'Clock ahead',
      unit: 's',
      alarm: { value: 5 },
      expr: 'max(abs(karmada_operator_clock_ahead_seconds))',
    },
    rates('Reconciles', 'reconcile_total', 'outcome', '{{outcome}}'),
    quantiles('Duration of reconciles', 'reconcile_seconds', 'Time of one reconcile.'),
    rates('Errors', 'reconcile_errors_total', 'step, reason', '{{step}}: {{reason}}'),
    {
      kind: 'graph',
      title: 'Work queue',
      queries: [
        { expr: 'sum(karmada_operator_queue_depth)', legend: 'waiting' },
        { expr: 'sum(karmada_operator_queue_in_progress)', legend: 'in progress' },
        { expr: 'sum(karmada_operator_queue_delayed)', legend: 'later' },
      ],
    },
    quantiles('Wait in the queue', 'queue_wait_seconds', 'Until the reconcile has started.'),
    rates('Repairs', 'repairs_total', 'kind', '{{kind}}'),
    rates('Requests', 'api_requests_total', 'cluster, code', '{{cluster}}: {{code}}'),
    {
      kind: 'graph',
      title: 'Duration of requests, quantile 0.95',
      unit: 's',
      description: 'Without watches, whose response ends late.',
      queries: [
        {
          expr: `histogram_quantile(0.95, sum by (cluster, le) (rate(karmada_operator_api_request_seconds_bucket{verb!="watch"}${RATE})))`,
          legend: '{{cluster}}',
        },
      ],
    },
    rates('Writes', 'writes_total', 'cluster, resource', '{{cluster}}: {{resource}}'),
    {
      kind: 'graph',
      title: 'Oldest response of a watch',
      unit: 's',
      queries: [
        { expr: 'max by (cluster) (karmada_operator_watch_age_seconds)', legend: '{{cluster}}' },
      ],
    },
    {
      kind: 'graph',
      title: 'Memory',
      unit: 'bytes',
      queries: [{ expr: ofOperator('process_resident_memory_bytes'), legend: '{{instance}}' }],
    },
    {
      kind: 'graph',
      title: 'Event loop lag, quantile 0.99',
      unit: 's',
      queries: [{ expr: ofOperator('nodejs_eventloop_lag_p99_seconds'), legend: '{{instance}}' }],
    },
  ],
};

export const FLEET: Dashboard = {
  uid: 'karmada-operator-fleet',
  title: 'Karmada operator / Fleet',
  description: 'All control planes of a Karmada operator, and the operator itself.',
  variables: [],
  sections: [overview, etcd, operator],
};
