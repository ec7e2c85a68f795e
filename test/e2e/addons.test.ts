import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Components, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/poll.ts';
import { apply, describeCluster, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { installOperator } from '../harness/operator.ts';

const namespace = 'addons-test';
const name = 'karmada-addons';
const inNamespace = ['-n', namespace];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    // Known to some binaries only: an add-on that got it without knowing it would not start.
    featureGates: { PropagateDeps: true },
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaDescheduler: {},
      karmadaSearch: {},
    },
  },
};

const SEARCHED = {
  apiVersion: 'search.karmada.io/v1alpha1',
  kind: 'ResourceRegistry',
  metadata: { name: 'deployments' },
  spec: {
    targetCluster: { clusterNames: ['host'] },
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
  },
};

const ADDONS = [
  {
    key: 'karmadaMetricsAdapter',
    suffix: 'metrics-adapter',
    condition: 'MetricsAdapterReady',
    apis: /metrics\.k8s\.io/,
  },
  {
    key: 'karmadaSearch',
    suffix: 'search',
    condition: 'SearchReady',
    apis: /search\.karmada\.io/,
  },
  {
    key: 'karmadaDescheduler',
    suffix: 'descheduler',
    condition: 'DeschedulerReady',
    apis: /descheduler/,
  },
] as const;

describeCluster('add-ons', () => {
  let cluster: Cluster;
  let plane: ControlPlane;

  const change = async (components: Components): Promise<Karmada> => {
    const patch = JSON.stringify({ spec: { components } });
    const merge = ['patch', 'karmada', name, ...inNamespace, '--type=merge', '-p', patch];
    await kubectl(cluster, merge);
    return untilReady(cluster, name, namespace);
  };

  const conditionTypes = async (): Promise<readonly string[]> => {
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    return (status?.conditions ?? []).map(({ type }) => type);
  };

  /** A server that ends gives its clients a minute, so a pod of an add-on may be seen for longer. */
  const untilGone = async (suffix: string, apis: RegExp): Promise<void> => {
    await poll(
      `nothing is left of ${suffix}`,
      async (seen) => {
        const left = await traces(suffix, apis);
        seen(left.join(' '));
        return left.length === 0 ? true : undefined;
      },
      { deadlineMs: 150_000 },
    );
  };

  /** Names of what an add-on has outside and inside. */
  const traces = async (suffix: string, apis: RegExp): Promise<readonly string[]> => {
    const kinds = 'deployments,services,secrets,poddisruptionbudgets,pods';
    const outside = await kubectl(cluster, ['get', kinds, ...inNamespace, '-o', 'name']);
    const services = ['get', 'apiservices,services', '-A', '-o', 'name'];
    const inside = await plane.kubectl(services);
    const own = new RegExp(`${name}-${suffix}`);
    return [
      ...outside.split('\n').filter((line) => own.test(line)),
      ...inside.split('\n').filter((line) => own.test(line) || apis.test(line)),
    ];
  };

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
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
    await tryKubectl(cluster, ['delete', 'namespace', 'karmada-cluster', '--wait=false']);
  }, 120_000);

  it('4.1 the descheduler runs beside feature gates that it does not know', async () => {
    expect(await conditionTypes()).toContain('DeschedulerReady');
    await poll('the descheduler leads', async (seen) => {
      const lease = ['get', 'lease', 'karmada-descheduler', '-n', 'karmada-system', '-o'];
      const result = await plane.tryKubectl([...lease, 'jsonpath={.spec.holderIdentity}']);
      seen(result.stdout + result.stderr);
      return result.stdout.includes(`${name}-descheduler-`) ? true : undefined;
    });
  }, 120_000);

  it('4.1 search finds what runs in a member', async () => {
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(SEARCHED));
    const path = '/apis/search.karmada.io/v1alpha1/search/cache/apis/apps/v1/deployments';
    await poll('search finds the operator in the member', async (seen) => {
      const result = await plane.tryKubectl(['get', '--raw', path]);
      seen((result.stderr || result.stdout).slice(0, 500));
      const found = result.code === 0 && result.stdout.includes('"name":"karmada-operator"');
      return found && result.stdout.includes('resource.karmada.io/cached-from-cluster')
        ? true
        : undefined;
    });
    await plane.kubectl(['delete', 'resourceregistry', 'deployments']);
  }, 180_000);

  it.each(ADDONS)(
    '4.1 $key switched off leaves nothing, and on again it works',
    async ({ key, suffix, condition, apis }) => {
      expect(await traces(suffix, apis)).not.toEqual([]);
      await change({ [key]: { enabled: false } });
      await untilGone(suffix, apis);
      expect(await conditionTypes()).not.toContain(condition);
      await change({ [key]: { enabled: true } });
      expect(await conditionTypes()).toContain(condition);
      expect(await traces(suffix, apis)).toContain(`deployment.apps/${name}-${suffix}`);
    },
    300_000,
  );

  it('4.1 one whose block is taken away leaves nothing either', async () => {
    const remove = [{ op: 'remove', path: '/spec/components/karmadaSearch' }];
    const json = ['patch', 'karmada', name, ...inNamespace, '--type=json', '-p'];
    await kubectl(cluster, [...json, JSON.stringify(remove)]);
    await untilGone('search', /search\.karmada\.io/);
    await untilReady(cluster, name, namespace);
  }, 180_000);
});
