/**
 * Dashboard of the operator and of all its control planes. The number of control planes has no limit, so panels show sums,
 * or the worst ones.
 */
import { graph, stat, table, type Dashboard, type Panel, type Section } from './panel.ts';

const RATE = '[$__rate_interval]';
const of = (family: string): string => `karmada_operator_control_plane_${family}`;
const OWNER = ['karmada_namespace', 'karmada_name'] as const;
const byOwner = 'by (karmada_namespace, karmada_name)';

/** Panel with the number of control planes for which a condition holds. */
const count = (title: string, expr: string): Panel =>
  stat(title, `count(${expr}) or vector(0)`, { alarm: { value: 1 } });

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

const rates = (title: string, counter: string, by: string, legend: string): Panel =>
  graph(
    title,
    { [legend]: `topk(10, sum by (${by}) (rate(karmada_operator_${counter}${RATE})))` },
    { unit: 'ops' },
  );

const overview: Section = {
  title: 'Control planes',
  panels: [
    stat('Karmada objects', 'sum(karmada_operator_control_planes)'),
    count('Not ready', `max ${byOwner} (${of('condition')}{type="Ready",status!="True"})`),
    count('Degraded', `max ${byOwner} (${of('condition')}{type="Degraded",status="True"})`),
    count('Need user action', `max ${byOwner} (${of('condition')}{type="Stalled",status="True"})`),
    stat(
      'First certificate expires in',
      `min(${of('first_certificate_expiry_timestamp_seconds')}) - time()`,
      { unit: 's', alarm: { value: 14 * 86_400, isMinimum: true } },
    ),
    stat('Without a Karmada object', 'max(karmada_operator_orphaned_control_planes)', {
      alarm: { value: 1 },
    }),
    graph(
      'Karmada objects by phase',
      { '{{phase}}': 'sum by (phase) (karmada_operator_control_planes)' },
      { isStacked: true },
    ),
    graph('Blocked changes by reason', {
      '{{reason}}': `sum by (reason) (${of('blocked_changes')})`,
    }),
    quantiles(
      'Time to Ready',
      'time_to_ready_seconds',
      'From the creation of a Karmada object until its control plane was ready for the first time.',
    ),
    table(
      'Not ready',
      [...OWNER, 'reason'],
      `topk(20, max by (karmada_namespace, karmada_name, reason) (${of('condition')}{type="Ready",status!="True"}))`,
      { description: 'At most 20.' },
    ),
    table(
      'Upgrades',
      [...OWNER, 'from', 'to', 'step', 'phase'],
      `topk(20, max by (karmada_namespace, karmada_name, from, to, step, phase) (${of('upgrade')}))`,
      { description: 'In progress or failed, at most 20.' },
    ),
    table(
      'Certificates that expire first',
      OWNER,
      `bottomk(20, min ${byOwner} (${of('first_certificate_expiry_timestamp_seconds')}) - time())`,
      { unit: 's', value: 'Expires in' },
    ),
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
    stat('Oldest last backup', `time() - min(${of('backup_last_success_timestamp_seconds')})`, {
      unit: 's',
    }),
    graph(
      'Largest databases, of their quota',
      {
        '{{karmada_namespace}}/{{karmada_name}}': `topk(10, max ${byOwner} (${of('etcd_database_bytes')} / ${of('etcd_quota_bytes')}))`,
      },
      { unit: 'percentunit' },
    ),
    graph('Backups by phase', { '{{phase}}': `sum by (phase) (${of('backups')})` }),
  ],
};

/** Series of all Node.js processes have the same names. */
const ofOperator = (series: string): string =>
  `${series} and on (job, instance) karmada_operator_build_info`;

const operator: Section = {
  title: 'Operator',
  panels: [
    stat('Leaders', 'sum(karmada_operator_leader)', { alarm: { value: 1, isMinimum: true } }),
    stat('Replicas', 'count(karmada_operator_build_info)'),
    stat('Retried', 'sum(karmada_operator_queue_failing)', {
      alarm: { value: 1 },
      description: 'Karmada objects whose last reconcile failed.',
    }),
    stat('Stale watches', 'sum(karmada_operator_watches{state=~"failing|silent"}) or vector(0)', {
      alarm: { value: 1 },
    }),
    stat('Missing in the CRD', 'max(karmada_operator_crd_lacks)', {
      alarm: { value: 1 },
      description: 'Fields and validation rules that the operator needs and the served CRD lacks.',
    }),
    stat('Clock ahead', 'max(abs(karmada_operator_clock_ahead_seconds))', {
      unit: 's',
      alarm: { value: 5 },
    }),
    rates('Reconciles', 'reconcile_total', 'outcome', '{{outcome}}'),
    quantiles('Duration of reconciles', 'reconcile_seconds', 'Time of one reconcile.'),
    rates('Errors', 'reconcile_errors_total', 'step, reason', '{{step}}: {{reason}}'),
    graph('Work queue', {
      waiting: 'sum(karmada_operator_queue_depth)',
      'in progress': 'sum(karmada_operator_queue_in_progress)',
      later: 'sum(karmada_operator_queue_delayed)',
    }),
    quantiles('Wait in the queue', 'queue_wait_seconds', 'Until the reconcile has started.'),
    rates('Repairs', 'repairs_total', 'kind', '{{kind}}'),
    rates('Requests', 'api_requests_total', 'cluster, code', '{{cluster}}: {{code}}'),
    graph(
      'Duration of requests, quantile 0.95',
      {
        '{{cluster}}': `histogram_quantile(0.95, sum by (cluster, le) (rate(karmada_operator_api_request_seconds_bucket{verb!="watch"}${RATE})))`,
      },
      { unit: 's', description: 'Without watches, whose response ends late.' },
    ),
    rates('Writes', 'writes_total', 'cluster, resource', '{{cluster}}: {{resource}}'),
    graph(
      'Oldest response of a watch',
      { '{{cluster}}': 'max by (cluster) (karmada_operator_watch_age_seconds)' },
      { unit: 's' },
    ),
    graph(
      'Memory',
      { '{{instance}}': ofOperator('process_resident_memory_bytes') },
      { unit: 'bytes' },
    ),
    graph(
      'Event loop lag, quantile 0.99',
      { '{{instance}}': ofOperator('nodejs_eventloop_lag_p99_seconds') },
      { unit: 's' },
    ),
  ],
};

export const FLEET: Dashboard = {
  uid: 'karmada-operator-fleet',
  title: 'Karmada operator / Fleet',
  description: 'All control planes of a Karmada operator, and the operator itself.',
  variables: [],
  sections: [overview, etcd, operator],
};
