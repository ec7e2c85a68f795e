import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { down } from '../../tools/embedded-cluster/down.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { createProgress } from '../../tools/embedded-cluster/progress.ts';
import { up } from '../../tools/embedded-cluster/up.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { accessTo, dividedDeployment, register, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { sharedCluster } from '../../tools/embedded-cluster/shared-cluster.ts';

const progress = createProgress(process.stderr);
const namespace = 'members-test';
const name = 'karmada-members';
const inNamespace = ['-n', namespace];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaAPIServer: { serviceType: 'NodePort' },
      karmadaMetricsAdapter: { replicas: 1 },
      // The default is two minutes.
      karmadaDescheduler: { extraArgs: { 'descheduling-interval': '5s' } },
      karmadaSearch: {},
      karmadaSchedulerEstimator: {},
    },
  },
};

const inDefault = ['-n', 'default'];

const REGISTRY = {
  apiVersion: 'search.karmada.io/v1alpha1',
  kind: 'ResourceRegistry',
  metadata: { name: 'deployments' },
  spec: {
    targetCluster: { clusterNames: ['pushed', 'pulled'] },
    resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
  },
};

describeCluster('control plane with member clusters in push and pull mode', () => {
  let host: Cluster;
  let pushed: Cluster;
  let pulled: Cluster;
  let plane: ControlPlane;

  const clean = async (): Promise<void> => {
    await tryKubectl(host, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(host, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
  };

  beforeAll(async () => {
    host = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await clean();
    pushed = await up({ name: `${sharedCluster}-pushed`, images: ['busybox'], progress });
    pulled = await up({
      name: `${sharedCluster}-pulled`,
      images: ['busybox', 'karmada'],
      progress,
    });
    await installOperator(host);
    await apply(host, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(host, karmada);
    await untilReady(host, name, namespace);
    plane = await openControlPlane(host, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await clean();
    for (const { name: member } of [pushed, pulled]) await down(member, progress);
  }, 300_000);

  it('adds one member cluster by join and one by register', async () => {
    await plane.karmadactl(['join', 'pushed', ...(await accessTo(pushed))]);
    const { output } = await register({ plane, host, name, namespace }, pulled, 'pulled');
    expect(output).toContain('is joined successfully');
    await untilMember(plane, 'pushed', 'Push');
    await untilMember(plane, 'pulled', 'Pull');
  }, 300_000);

  it('reports both member clusters, and when the credentials for the one in push mode expire', async () => {
    await poll('the status contains both member clusters', async (seen) => {
      const { status } = await getObject<Karmada>(host, 'karmada', name, namespace);
      seen(JSON.stringify(status?.memberClusters));
      const { summary, push, pull, clusters = [] } = status?.memberClusters ?? {};
      const expiries = clusters.filter(({ credentialExpiry }) => credentialExpiry !== undefined);
      const isComplete = summary === '2/2' && push === 1 && pull === 1;
      const isExpiryKnown = expiries.map((member) => member.name).join() === 'pushed';
      return isComplete && isExpiryKnown ? true : undefined;
    });
  }, 90_000);

  const runningIn = async (member: Cluster): Promise<number> => {
    const shown = ['get', 'deployment', 'divided', ...inDefault, '-o'];
    const result = await tryKubectl(member, [...shown, 'jsonpath={.status.readyReplicas}']);
    return Number(result.stdout || 0);
  };

  it('divides a Deployment between both member clusters', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: dividedDeployment(6) };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    await poll(
      'six replicas run, at least one in each member cluster',
      async (seen) => {
        const counts = [await runningIn(pushed), await runningIn(pulled)];
        seen(counts.join(' and '));
        const [one = 0, two = 0] = counts;
        return one > 0 && two > 0 && one + two === 6 ? true : undefined;
      },
      { deadlineMs: 120_000 },
    );
  }, 180_000);

  it('returns the Deployment of both member clusters from search', async () => {
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(REGISTRY));
    const path = '/apis/search.karmada.io/v1alpha1/search/cache/apis/apps/v1/deployments';
    await poll(
      'search finds the Deployment in both member clusters',
      async (seen) => {
        const result = await plane.tryKubectl(['get', '--raw', path]);
        const found = result.code === 0 ? foundIn(result.stdout) : [result.stderr];
        seen(found.join());
        return found.join() === 'pulled,pushed' ? true : undefined;
      },
      { deadlineMs: 120_000 },
    );
    await plane.kubectl(['delete', 'resourceregistry', 'deployments']);
  }, 180_000);

  /** Returns the member clusters in which search found the Deployment. */
  function foundIn(json: string): string[] {
    interface Found {
      metadata: { name: string; annotations?: Readonly<Record<string, string>> };
    }
    const { items } = JSON.parse(json) as { items: Found[] };
    return items
      .filter(({ metadata }) => metadata.name === 'divided')
      .map(
        ({ metadata }) => metadata.annotations?.['resource.karmada.io/cached-from-cluster'] ?? '',
      )
      .sort();
  }

  /** Returns the metrics of the estimator of the member cluster in push mode. */
  const estimatorMetrics = async (): Promise<string[]> => {
    const pods = ['get', 'pods', '-l', 'operator.karmada.io/cluster=pushed', ...inNamespace, '-o'];
    const pod = await kubectl(host, [...pods, 'jsonpath={.items[0].metadata.name}']);
    const metrics = `/api/v1/namespaces/${namespace}/pods/${pod}:8080/proxy/metrics`;
    const { stdout } = await tryKubectl(host, ['get', '--raw', metrics]);
    return stdout.split('\n').filter((line) => line.startsWith('karmada_scheduler_estimator_'));
  };

  it.each([
    ['the scheduler', /result="success",type="MaxAvailableReplicas"\} [1-9]/],
    ['the descheduler', /result="success",type="GetUnschedulableReplicas"\} [1-9]/],
  ])(
    'sends estimator requests from %s',
    async (_, asked) => {
      let replicas = 6;
      await poll(
        'the estimator has served a request',
        async (seen) => {
          // Replicas start in both member clusters: the descheduler asks only for a cluster with replicas that are not ready.
          replicas = replicas === 6 ? 12 : 6;
          const scale = ['scale', 'deployment', 'divided', `--replicas=${replicas}`, ...inDefault];
          await plane.kubectl(scale);
          const lines = (await estimatorMetrics()).filter((line) => line.includes('request_total'));
          seen(lines.join(' '));
          return lines.some((line) => asked.test(line)) ? true : undefined;
        },
        { deadlineMs: 180_000, intervalMs: 3_000 },
      );
    },
    240_000,
  );

  it('removes both member clusters and deletes the control plane', async () => {
    await plane.kubectl(['delete', 'deployment,propagationpolicy', 'divided', ...inDefault]);
    await plane.karmadactl(['unjoin', 'pushed', ...(await accessTo(pushed))]);
    const unregister = ['unregister', 'pulled', `--cluster-kubeconfig=${pulled.kubeconfig}`];
    await run(inNode(pulled.node, [join(pulled.bin, 'karmadactl'), ...unregister]));
    expect((await plane.kubectl(['get', 'clusters', '-o', 'name'])).trim()).toBe('');
    await kubectl(host, ['delete', 'karmada', name, ...inNamespace, '--timeout=60s']);
  }, 240_000);
});
