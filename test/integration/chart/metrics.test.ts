import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { V1ConfigMap, V1Deployment, V1Service } from '@kubernetes/client-node';
import { loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';
import { only, render, type Rendering } from './chart.ts';

type WithSpec = KubernetesObject & { readonly spec: unknown };

const values = `--values=${join(checkout, 'test/integration/chart/metrics.yaml')}`;
const selector = {
  app: 'karmada-operator',
  'app.kubernetes.io/instance': 'karmada-operator',
  'app.kubernetes.io/name': 'karmada-operator',
};

/** Objects of a YAML file in config/monitoring. */
async function stored(file: string): Promise<KubernetesObject[]> {
  const text = await readFile(join(checkout, 'config/monitoring', file), 'utf8');
  return loadAll(text) as KubernetesObject[];
}

/** Everything of an RBAC object but its labels and annotations. */
const permissions = ({ metadata, ...rest }: KubernetesObject): unknown => ({
  ...rest,
  name: metadata.name,
});

describe('chart with secure metrics, a ServiceMonitor and alerts', () => {
  let rendering: Rendering;
  beforeAll(async () => {
    rendering = await render([values]);
    expect(rendering.error).toBe('');
  });

  it('selects the replicas with a Service, which the ServiceMonitor selects', () => {
    const { metadata, spec } = only<V1Service>(rendering.objects, 'Service');
    expect(metadata?.name).toBe('karmada-operator-metrics');
    expect(metadata?.annotations).toEqual({ note: 'a: {b' });
    const monitored = { ...selector, 'app.kubernetes.io/component': 'metrics' };
    expect(metadata?.labels).toMatchObject({ ...monitored, team: 'platform' });
    expect(spec?.selector).toEqual(selector);
    const monitor = only<WithSpec>(rendering.objects, 'ServiceMonitor');
    expect(monitor.spec).toMatchObject({ selector: { matchLabels: monitored } });
  });

  it('names a port of the Pods in the Service', () => {
    expect(rendering.objects).toContainEqual(
      expect.objectContaining({
        kind: 'Service',
        spec: {
          ports: [{ name: 'metrics', port: 8080, targetPort: 'metrics', protocol: 'TCP' }],
          selector,
        },
      }),
    );
    const { spec } = only<V1Deployment>(rendering.objects, 'Deployment');
    expect(spec).toMatchObject({
      template: {
        metadata: { labels: selector },
        spec: {
          containers: [
            {
              ports: expect.arrayContaining([
                { name: 'metrics', containerPort: 8080, protocol: 'TCP' },
              ]) as unknown,
            },
          ],
        },
      },
    });
  });

  it('scrapes over HTTPS with the token of Prometheus, and keeps relabelings as given', () => {
    const { metadata, spec } = only<WithSpec>(rendering.objects, 'ServiceMonitor');
    expect(metadata.labels).toMatchObject({ ...selector, release: 'prometheus' });
    expect((spec as { endpoints: unknown }).endpoints).toEqual([
      {
        port: 'metrics',
        path: '/metrics',
        scheme: 'https',
        tlsConfig: { insecureSkipVerify: true },
        bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
        interval: '30s',
        scrapeTimeout: '10s',
        relabelings: [
          {
            sourceLabels: ['__meta_kubernetes_pod_node_name'],
            targetLabel: 'node',
            replacement: '$1 {{ .Values }}',
          },
        ],
        metricRelabelings: [{ action: 'labeldrop', regex: 'pod' }],
      },
    ]);
  });

  it('sets the flag, and grants the permissions of config/monitoring/secure-metrics.yaml', async () => {
    const container = only<V1Deployment>(rendering.objects, 'Deployment').spec?.template.spec
      ?.containers[0];
    expect(container?.args?.slice(2)).toEqual([
      expect.stringMatching(/^--backup-image=/),
      '--metrics-secure=true',
    ]);
    const rendered = rendering.objects.filter(({ metadata }) =>
      /-metrics-(auth|reader)$/.test(metadata.name),
    );
    const expected = await stored('secure-metrics.yaml');
    expect(rendered).toHaveLength(expected.length);
    expect(rendered.map(permissions)).toEqual(expect.arrayContaining(expected.map(permissions)));
  });

  it('contains the alerts of config/monitoring/prometheus-rule.yaml', async () => {
    const rule = only<WithSpec>(rendering.objects, 'PrometheusRule');
    const [expected] = (await stored('prometheus-rule.yaml')) as WithSpec[];
    expect(rule.spec).toEqual(expected?.spec);
    expect(JSON.stringify(rule.spec)).toContain('{{ $labels.karmada_name }}');
    expect(rule.metadata.labels).toMatchObject({ ...selector, release: 'prometheus' });
  });
});

describe('alerts', () => {
  interface Rule {
    readonly alert: string;
    readonly annotations: Readonly<Record<string, string>>;
  }

  async function rules(...values: readonly string[]): Promise<readonly Rule[]> {
    const { objects, error } = await render(
      ['metrics.prometheusRule.enabled=true', ...values].map((value) => `--set=${value}`),
    );
    expect(error).toBe('');
    const { spec } = only<WithSpec>(objects, 'PrometheusRule');
    return (spec as { groups: readonly { rules: readonly Rule[] }[] }).groups.flatMap(
      (group) => group.rules,
    );
  }

  it('have a runbook_url with the anchor of the alert when the URL of the page is set', async () => {
    const all = await rules(
      'metrics.prometheusRule.runbookURL=https://docs.example.com/alerts.html',
    );
    expect(all.length).toBeGreaterThan(10);
    for (const { alert, annotations } of all) {
      const anchor = alert.toLowerCase();
      expect(annotations['runbook_url']).toBe(`https://docs.example.com/alerts.html#${anchor}`);
      expect(annotations['description']).toContain(`alerts.md#${anchor}.`);
    }
  });

  it('have no runbook_url by default', async () => {
    for (const { annotations } of await rules())
      expect(annotations).not.toHaveProperty('runbook_url');
  });
});

describe('ConfigMaps of dashboards', () => {
  it('contain the dashboards of config/monitoring, with the labels and annotations of the sidecar', async () => {
    const { objects } = await render([values]);
    const maps = objects.filter(({ kind }) => kind === 'ConfigMap') as V1ConfigMap[];
    expect(maps.map(({ metadata }) => metadata?.name).sort()).toEqual([
      'karmada-operator-dashboard-control-plane',
      'karmada-operator-dashboard-fleet',
    ]);
    for (const { metadata, data = {} } of maps) {
      expect(metadata?.labels).toMatchObject({ ...selector, grafana_dashboard: 'yes' });
      expect(metadata?.annotations).toEqual({ grafana_folder: 'Karmada' });
      const [[name = '', text = ''] = []] = Object.entries(data);
      const file = name.replace('karmada-operator-', '');
      const expected = await readFile(join(checkout, 'config/monitoring', file), 'utf8');
      expect(text).toBe(expected);
      expect(text).toContain('{{');
    }
  });

  it('have the label of the sidecar by default', async () => {
    const { objects } = await render(['--set=metrics.dashboards.enabled=true']);
    const labels = objects
      .filter(({ kind }) => kind === 'ConfigMap')
      .map(({ metadata }) => metadata.labels?.['grafana_dashboard']);
    expect(labels).toEqual(['1', '1']);
  });
});

describe('values of metrics', () => {
  it('create no object by default', async () => {
    const { objects } = await render();
    const kinds = objects.map(({ kind }) => kind);
    for (const kind of ['Service', 'ServiceMonitor', 'PodMonitor', 'PrometheusRule', 'ConfigMap']) {
      expect(kinds).not.toContain(kind);
    }
    expect(objects.filter(({ kind }) => kind === 'ClusterRole')).toHaveLength(1);
  });

  it('may be absent, as with helm upgrade --reuse-values from an older chart', async () => {
    const plain = await render();
    expect(await render(['--set=metrics=null'])).toEqual(plain);
  });

  it('create only a Service when only that is enabled', async () => {
    const plain = await render();
    const { objects } = await render(['--set=metrics.service.enabled=true']);
    expect(objects.filter(({ kind }) => kind !== 'Service')).toEqual(plain.objects);
    expect(only<V1Service>(objects, 'Service').spec?.ports?.[0]?.port).toBe(8080);
  });

  it('create a PodMonitor over HTTP without a Service', async () => {
    const { objects } = await render(['--set=metrics.podMonitor.enabled=true']);
    expect(only<WithSpec>(objects, 'PodMonitor').spec).toEqual({
      selector: { matchLabels: selector },
      podMetricsEndpoints: [{ port: 'metrics', path: '/metrics', scheme: 'http' }],
    });
    expect(objects.map(({ kind }) => kind)).not.toContain('Service');
  });

  it('set credentials and verification of the certificate', async () => {
    const endpoint = {
      tlsConfig: { serverName: 'a' },
      authorization: { credentials: { name: 'b', key: 'c' } },
    };
    for (const monitor of ['serviceMonitor', 'podMonitor']) {
      const metrics = { secure: true, [monitor]: { enabled: true, ...endpoint } };
      const { error, objects } = await render([`--set-json=metrics=${JSON.stringify(metrics)}`]);
      expect(error).toBe('');
      const found = objects.find(({ kind }) => kind.endsWith('Monitor')) as WithSpec;
      const spec = found.spec as Readonly<Record<string, readonly unknown[]>>;
      const [scraped] = spec['endpoints'] ?? spec['podMetricsEndpoints'] ?? [];
      expect(scraped).toEqual({ port: 'metrics', path: '/metrics', scheme: 'https', ...endpoint });
    }
  });

  it('keep the name of the Service within 63 characters', async () => {
    const name = `--set=metrics.service.enabled=true,fullnameOverride=${'a'.repeat(63)}`;
    const { objects } = await render([name]);
    expect(only(objects, 'Service').metadata.name).toBe(`${'a'.repeat(55)}-metrics`);
  });

  it.each([
    ['metrics.secure=1', "'/metrics/secure': got number, want boolean"],
    ['metrics.enabled=true', "'/metrics': additional properties 'enabled' not allowed"],
    ['metrics.serviceMonitor.interval=often', "'often' does not match pattern"],
    ['metrics.podMonitor.port=1', "'/metrics/podMonitor': additional properties 'port'"],
    [
      'metrics.serviceMonitor.enabled=true,metrics.podMonitor.enabled=true',
      'each replica would be scraped twice: set one of them',
    ],
    [
      'metrics.secure=true,metrics.podMonitor.enabled=true',
      'set metrics.podMonitor.authorization, or use metrics.serviceMonitor',
    ],
  ])('are rejected with the name of the value when %s is set', async (value, message) => {
    const { error } = await render([`--set=${value}`]);
    expect(error).toContain(message);
  });
});
