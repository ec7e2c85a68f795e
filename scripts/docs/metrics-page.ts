/** Page docs/reference/metrics.md: read from the exposition of a registry that has one sample of each metric. */
import { keysOf } from '../../src/kubernetes/objects/records.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import { FAMILIES, fullName } from '../../src/metrics/control-plane-families.ts';
import { code, escaped, page, table } from './markdown.ts';

const INTRODUCTION = [
  'The operator serves these metrics at `/metrics` on the address of the flag `--metrics-bind-address`.',
  'The endpoint also has the default metrics of Node.js processes of `@prometheus-io/client` (`process_*` and `nodejs_*`).',
].join(' ');

const OF_CONTROL_PLANES = [
  'The leader also serves metrics of each control plane. They have the labels `karmada_namespace` and `karmada_name` of the',
  'Karmada object, and end with it. All of them are gauges.',
].join(' ');

const PREFIX = 'karmada_operator_';

interface DocumentedMetric {
  readonly name: string;
  /** Prometheus type, such as `gauge`. */
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** Text of a registry in which each metric has a sample: without one it shows no labels. */
async function exposition(): Promise<string> {
  const watches = [{ cluster: 'local', resource: 'pods', state: 'fresh', ageMs: 0 }] as const;
  const metrics = createMetrics('v0.0.0', { aheadMs: () => 0 });
  const dropped = [{ cluster: 'local', namespace: 'team' }] as const;
  metrics.read({ watches: () => watches, droppedNamespaces: () => dropped });
  metrics.reconciled('success', 0);
  metrics.taken(0);
  metrics.failed('etcd', 'Conflict');
  metrics.repaired('Deployment');
  metrics.limited(0, 'normal');
  metrics.called('local', { verb: 'apply', resource: 'pods', code: '200', seconds: 0 });
  metrics.leading(true);
  metrics.becameReady(0);
  metrics.waiting(false);
  metrics.crdLacks(0);
  metrics.orphans(0);
  return Buffer.concat((await metrics.expose()).body).toString();
}

/** Names of the labels of a metric's first sample; `le` is part of every histogram. */
function labelsOf(body: string, name: string): readonly string[] {
  const sample = new RegExp(String.raw`^${name}(?:_bucket)?(?:\{(.*)\})? \S+$`, 'm').exec(body);
  if (sample === null) throw new Error(`metric ${name} has no sample: set it in exposition()`);
  const labels = [...(sample[1] ?? '').matchAll(/(\w+)="/g)].map(([, label = '']) => label);
  return labels.filter((label) => label !== 'le');
}

/**
 * Metrics of the operator in an exposition.
 * @param body text in the exposition format of Prometheus
 * @throws Error when a metric has no sample, so that its labels are not known
 */
export function metricsIn(body: string): readonly DocumentedMetric[] {
  const heads = [...body.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)];
  return heads
    .map(([, name = '', help = '', type = '']) => ({ name, help, type }))
    .filter(({ name }) => name.startsWith(PREFIX))
    .map((metric) => ({ ...metric, labels: labelsOf(body, metric.name) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

const familyRows = (): readonly string[][] =>
  keysOf(FAMILIES)
    .toSorted()
    .map((family) => {
      const { labels, help } = FAMILIES[family];
      return [code(fullName(family)), labels.map(code).join(', '), escaped(help)];
    });

/** Returns the page, not formatted. */
export async function metricsPage(): Promise<string> {
  const rows = metricsIn(await exposition()).map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    escaped(help),
  ]);
  return page('Metrics', [
    INTRODUCTION,
    '## Metrics of the operator',
    table(['Name', 'Type', 'Labels', 'Help'], rows),
    '## Metrics of control planes',
    OF_CONTROL_PLANES,
    table(['Name', 'Labels', 'Help'], familyRows()),
  ]);
}
