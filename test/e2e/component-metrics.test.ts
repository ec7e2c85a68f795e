/** @tier all */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { load, loadAll } from 'js-yaml';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { attempt, type CommandResult } from '../../tools/embedded-cluster/command.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { fencedBlocks, fencedCommands } from '../docs/markdown-commands.ts';
import { installOperator } from '../harness/operator.ts';
import { patchAsPlanned } from '../harness/plan.ts';
import { scrapeConfigsOf, type PodMonitor } from '../harness/prometheus/pod-monitor.ts';
import { PrometheusPod, type Target } from '../harness/prometheus/prometheus-pod.ts';

const namespace = 'component-metrics-test';
const name = 'karmada-monitored';
const inNamespace = ['-n', namespace];
const secret = `${name}-metrics-client`;

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaDescheduler: {},
      karmadaSearch: {},
      karmadaSchedulerEstimator: {},
    },
  },
};

/** All components by the scrape configuration that finds them. */
const EXPECTED = {
  '': [
    'etcd',
    'karmada-controller-manager',
    'karmada-descheduler',
    'karmada-metrics-adapter',
    'karmada-scheduler',
    'karmada-scheduler-estimator',
    'karmada-webhook',
  ],
  '-api-servers': ['karmada-aggregated-apiserver', 'karmada-apiserver', 'karmada-search'],
  '-kube-controller-manager': ['kube-controller-manager'],
};
const ALL = Object.values(EXPECTED).flat().sort();

/** A series that only the component itself has. */
const SERIES = {
  etcd: 'etcd_server_has_leader',
  'karmada-apiserver': 'apiserver_request_total{resource="leases"}',
  'karmada-aggregated-apiserver': 'apiserver_request_total{group="cluster.karmada.io"}',
  'karmada-controller-manager': 'controller_runtime_active_workers',
  'kube-controller-manager': 'workqueue_depth{name="namespace"}',
} as const;

/** Component, port and how kubectl trusts it; by default with the CA of the Secret. */
type Server = readonly [component: string, port: number, trust?: string];

const page = await readFile(join(checkout, 'docs/operate/component-metrics.md'), 'utf8');
const documented = page.replaceAll('NAMESPACE', namespace).replaceAll(/\bNAME\b/g, name);
const yaml = fencedBlocks(documented, 'yaml');

/** Content of the YAML block with this text. */
function block(text: string): string {
  const found = yaml.find((one) => one.includes(text));
  if (found === undefined) throw new Error(`the page has no YAML block with ${text}`);
  return found;
}

const { spec: change } = load(block('clientCertificate')) as { spec: object };
const monitors = loadAll(block('kind: PodMonitor')) as PodMonitor[];
const plain = load(block('scrape_configs:')) as {
  scrape_configs: { job_name: string; tls_config?: { cert_file: string } }[];
};
const mountPath = '/etc/prometheus/metrics-client';

const configuration = {
  global: { scrape_interval: '3s', scrape_timeout: '3s' },
  scrape_configs: [
    ...plain.scrape_configs,
    ...monitors.flatMap((monitor) =>
      scrapeConfigsOf(monitor, (given) => {
        expect(given.name).toBe(secret);
        return join(mountPath, given.key);
      }),
    ),
  ],
};

describeCluster('metrics of components', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  let prometheus: PrometheusPod;
  /** Folder with the files of the Secret. */
  let files: string;

  /** Sends a request with the client certificate to a Pod of a component, from the node. */
  const asPrometheus = async (
    [component, port, trust = `--certificate-authority=${join(files, 'ca.crt')}`]: Server,
    ...args: readonly string[]
  ): Promise<CommandResult> => {
    const label = `app.kubernetes.io/name=${component}`;
    const jsonpath = 'jsonpath={.items[0].status.podIP}';
    const pods = ['get', 'pods', '-l', label, ...inNamespace, '-o', jsonpath];
    const address = await kubectl(cluster, pods);
    const flags = [
      '--kubeconfig=/dev/null',
      `--server=https://${address}:${String(port)}`,
      '--tls-server-name=kubernetes.default.svc',
      '--request-timeout=20s',
      trust,
      `--client-certificate=${join(files, 'tls.crt')}`,
      `--client-key=${join(files, 'tls.key')}`,
    ];
    return attempt(inNode(cluster.node, [join(cluster.bin, 'kubectl'), ...flags, ...args]));
  };

  const API_SERVER: Server = ['karmada-apiserver', 5443];

  const targets = async (): Promise<readonly Target[]> =>
    poll('Prometheus scrapes all components', async (seen) => {
      const found = await prometheus.targets();
      const down = found.filter(({ health }) => health !== 'up');
      seen(
        [`${String(found.length)} targets`]
          .concat(
            down.map(
              ({ scrapePool, labels, lastError }) =>
                `${scrapePool} ${labels['job'] ?? ''}: ${lastError}`,
            ),
          )
          .join('\n'),
      );
      return found.length === 2 * ALL.length && down.length === 0 ? found : undefined;
    });

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    await plane.karmadactl(['join', 'host', `--cluster-kubeconfig=${cluster.kubeconfig}`]);
    files = await mkdtemp(join(tmpdir(), 'metrics-client-'));
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    await tryKubectl(cluster, ['delete', 'namespace', 'karmada-cluster', '--wait=false']);
  }, 120_000);

  /** Whether the objects of the client certificate exist: Secret, ClusterRole and ClusterRoleBinding. */
  const objects = async (): Promise<readonly boolean[]> => {
    const role = 'clusterrole/system:karmada:metrics';
    const binding = 'clusterrolebinding/system:karmada:metrics';
    const found = await Promise.all([
      tryKubectl(cluster, ['get', 'secret', secret, ...inNamespace, '-o', 'name']),
      plane.tryKubectl(['get', role, '-o', 'name']),
      plane.tryKubectl(['get', binding, '-o', 'name']),
    ]);
    return found.map(({ code }) => code === 0);
  };

  const untilObjects = (exist: boolean): Promise<true> =>
    poll(`the objects of the client certificate exist: ${String(exist)}`, async (seen) => {
      const found = await objects();
      seen(JSON.stringify(found));
      return found.every((one) => one === exist) ? true : undefined;
    });

  it('have a client certificate without a restart when the field is set', async () => {
    expect(await objects()).toEqual([false, false, false]);
    await patchAsPlanned(cluster, { name, namespace }, change, () => untilObjects(true));
    await untilReady(cluster, name, namespace);
    const { data } = await getObject<KubernetesObject & { data: Record<string, string> }>(
      ...([cluster, 'secret', secret, namespace] as const),
    );
    expect(Object.keys(data).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    for (const [file, content] of Object.entries(data))
      await writeFile(join(files, file), Buffer.from(content, 'base64'), { mode: 0o600 });
  }, 120_000);

  it('are scraped with the documented configuration and with the documented PodMonitors', async () => {
    for (const command of fencedCommands(documented, 'text'))
      await kubectl(cluster, command.split(' ').slice(1));
    prometheus = await PrometheusPod.start(cluster, {
      namespace,
      configuration,
      secret: { name: secret, mountPath },
    });
    const found = await targets();
    const jobs = (fits: (pool: string) => boolean): readonly (string | undefined)[] =>
      found
        .filter(({ scrapePool }) => fits(scrapePool))
        .map(({ labels }) => labels['job'])
        .sort();
    for (const [suffix, components] of Object.entries(EXPECTED))
      expect([suffix, jobs((pool) => pool === `${name}${suffix}`)]).toEqual([suffix, components]);
    expect(jobs((pool) => pool.startsWith('podMonitor/'))).toEqual(ALL);
    for (const { labels } of found)
      expect(labels).toMatchObject({ namespace, pod: expect.stringContaining(name) });
    const up = await prometheus.query('count by (job) (up == 1)');
    expect(up.map(({ job }) => job).sort()).toEqual(ALL);
    for (const [job, series] of Object.entries(SERIES)) {
      const own = await prometheus.query(series);
      expect([series, own.map((labels) => labels['job'])]).toEqual([
        series,
        expect.arrayContaining([job]),
      ]);
    }
  }, 300_000);

  it('are all that the client certificate can read', async () => {
    const read = await asPrometheus(API_SERVER, 'get', '--raw', '/metrics');
    expect([read.code, read.stderr]).toEqual([0, '']);
    const whoami = await asPrometheus(API_SERVER, 'auth', 'whoami', '-o', 'json');
    expect(JSON.parse(whoami.stdout)).toMatchObject({
      status: {
        userInfo: { username: 'system:karmada:metrics', groups: ['system:authenticated'] },
      },
    });
    const forbidden: readonly (readonly [Server, readonly string[]])[] = [
      [API_SERVER, ['get', 'secrets', '-A']],
      [API_SERVER, ['get', 'clusters.cluster.karmada.io']],
      [API_SERVER, ['get', '--raw', '/apis/work.karmada.io/v1alpha2/resourcebindings']],
      [API_SERVER, ['create', 'namespace', 'metrics']],
      [API_SERVER, ['delete', 'namespace', 'default']],
      [API_SERVER, ['get', '--raw', '/logs']],
      [API_SERVER, ['get', '--raw', '/debug/pprof/heap']],
      [
        ['karmada-aggregated-apiserver', 8443],
        ['get', '--raw', '/apis/cluster.karmada.io/v1alpha1/clusters'],
      ],
      [
        ['karmada-search', 8443],
        ['get', '--raw', '/apis/search.karmada.io/v1alpha1/resourceregistries'],
      ],
    ];
    for (const [server, args] of forbidden) {
      const { code, stderr } = await asPrometheus(server, ...args);
      expect([args, code, stderr]).toEqual([args, 1, expect.stringMatching(/forbidden/i)]);
    }
    const etcd: Server = ['etcd', 2379, '--insecure-skip-tls-verify'];
    const { code, stderr } = await asPrometheus(etcd, 'get', '--raw', '/version');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/remote error: tls: .*certificate/)]);
  }, 120_000);

  it('are refused to the former client certificate when the field is removed', async () => {
    const off = { monitoring: null };
    await patchAsPlanned(cluster, { name, namespace }, off, () => untilObjects(false));
    await untilReady(cluster, name, namespace);
    const read = await poll('the API server has noticed', async (seen) => {
      const result = await asPrometheus(API_SERVER, 'get', '--raw', '/metrics');
      seen(result.stderr);
      return result.code === 0 ? undefined : result;
    });
    expect(read.stderr).toMatch(/forbidden/i);
  }, 120_000);

  it('leave no Secret when the Karmada is deleted', async () => {
    await patchAsPlanned(cluster, { name, namespace }, change, () => untilObjects(true));
    await kubectl(cluster, ['delete', 'karmada', name, ...inNamespace, '--timeout=120s']);
    const left = await kubectl(cluster, ['get', 'secrets', ...inNamespace, '-o', 'name']);
    expect(left).not.toContain(secret);
  }, 240_000);
});
