import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Components, Condition, Karmada } from '../../src/api/karmada.ts';
import { countRequests, readAudit } from '../../tools/embedded-cluster/audit.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { operatorNamespace } from '../demo/install.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { mountedMasters } from '../harness/component-leaves.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { accessTo, dividedDeployment } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { restartOperator } from '../harness/operator-pod.ts';
import { patchAsPlanned } from '../harness/plan.ts';

const namespace = 'addons-test';
const name = 'karmada-addons';
const inNamespace = ['-n', namespace];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    // Only some components know this gate. A component that does not know it fails to start with it.
    featureGates: { PropagateDeps: true },
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      karmadaMetricsAdapter: { replicas: 1 },
      karmadaDescheduler: {},
      karmadaSearch: {},
      karmadaSchedulerEstimator: {},
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

/** An unreachable member cluster: the node of the test has no route to other networks. */
const ABSENT = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'absent', namespace: 'karmada-cluster' },
    stringData: { token: 'none', caBundle: 'none' },
  },
  {
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'absent' },
    spec: {
      id: 'absent',
      syncMode: 'Push',
      apiEndpoint: 'https://192.0.2.1:6443',
      secretRef: { namespace: 'karmada-cluster', name: 'absent' },
      impersonatorSecretRef: { namespace: 'karmada-cluster', name: 'absent' },
    },
  },
];

describeCluster('add-ons', () => {
  let cluster: Cluster;
  let plane: ControlPlane;

  const change = async (components: {
    [key in keyof Components]?: object | null;
  }): Promise<Karmada> => {
    await patchAsPlanned(cluster, { name, namespace }, { components });
    return getObject<Karmada>(cluster, 'karmada', name, namespace);
  };

  const conditionTypes = async (): Promise<readonly string[]> => {
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    return (status?.conditions ?? []).map(({ type }) => type);
  };

  /** A terminating server gives its clients one minute, so the Pods of an add-on may exist for longer. */
  const untilGone = async (suffix: string, apis: RegExp): Promise<void> => {
    await poll(
      `all objects of ${suffix} are deleted`,
      async (seen) => {
        const left = await traces(suffix, apis);
        seen(left.join(' '));
        return left.length === 0 ? true : undefined;
      },
      { deadlineMs: 150_000 },
    );
  };

  /** Returns the objects of an add-on in the host cluster and in the control plane. */
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

  it('runs the descheduler when spec.featureGates contains a gate unknown to it', async () => {
    expect(await conditionTypes()).toContain('DeschedulerReady');
    await poll('the descheduler is the leader', async (seen) => {
      const lease = ['get', 'lease', 'karmada-descheduler', '-n', 'karmada-system', '-o'];
      const result = await plane.tryKubectl([...lease, 'jsonpath={.spec.holderIdentity}']);
      seen(result.stdout + result.stderr);
      return result.stdout.includes(`${name}-descheduler-`) ? true : undefined;
    });
  }, 120_000);

  const estimators = async (): Promise<Condition | undefined> => {
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    return status?.conditions?.find(({ type }) => type === 'SchedulerEstimatorReady');
  };

  const untilEstimators = async (expected: Partial<Condition>): Promise<Condition> =>
    poll(`SchedulerEstimatorReady is ${JSON.stringify(expected)}`, async (seen) => {
      const found = await estimators();
      seen(JSON.stringify(found));
      const same = Object.entries(expected).every(
        ([field, value]) => found?.[field as keyof Condition] === value,
      );
      return same ? found : undefined;
    });

  /** Returns the access objects of the estimators in the member cluster. */
  const accessObjects = async (): Promise<string> => {
    const kinds = 'clusterroles,clusterrolebindings,serviceaccounts,secrets';
    const ours = '-lapp.kubernetes.io/name=karmada-scheduler-estimator';
    return kubectl(cluster, ['get', kinds, ours, '-n', 'karmada-cluster', '-o', 'name']);
  };

  it('creates an estimator with its own ServiceAccount for each member cluster in push mode', async () => {
    await untilEstimators({ status: 'True', reason: 'Available', message: '' });
    const made = (await accessObjects()).trim().split('\n');
    expect(made.map((line) => line.split('/')[0])).toEqual([
      'clusterrole.rbac.authorization.k8s.io',
      'clusterrolebinding.rbac.authorization.k8s.io',
      'serviceaccount',
      'secret',
    ]);
    const user = `system:serviceaccount:karmada-cluster:${made[2]?.split('/')[1] ?? ''}`;
    const may = async (...question: string[]): Promise<string> =>
      (await tryKubectl(cluster, ['auth', 'can-i', ...question, '--as', user])).stdout.trim();
    expect(await may('list', 'pods', '-A')).toBe('yes');
    expect(await may('list', 'secrets', '-A')).toBe('no');
    expect(await may('delete', 'pods', '-A')).toBe('no');
  }, 120_000);

  it('answers the scheduler when it divides replicas by available capacity', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: dividedDeployment(2) };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const byCluster = '-loperator.karmada.io/cluster=host';
    const names = ['get', 'pods', byCluster, ...inNamespace, '-o'];
    const pod = await kubectl(cluster, [...names, 'jsonpath={.items[0].metadata.name}']);
    const metrics = `/api/v1/namespaces/${namespace}/pods/${pod}:8080/proxy/metrics`;
    const scale = async (replicas: number): Promise<string> =>
      plane.kubectl(['scale', 'deployment', 'divided', `--replicas=${replicas}`, '-n', 'default']);
    // The scheduler divides replicas without the estimator until it is connected to it.
    let replicas = 2;
    await poll(
      'the estimator has answered the scheduler',
      async (seen) => {
        await scale((replicas += 1));
        const { stdout, stderr } = await tryKubectl(cluster, ['get', '--raw', metrics]);
        const asked = stdout.split('\n').filter((line) => /estimating_request_total\{/.test(line));
        seen(asked.join(' ') || stderr || 'no such metric');
        const answered = /result="success",type="MaxAvailableReplicas"\} [1-9]/;
        return asked.some((line) => answered.test(line)) ? true : undefined;
      },
      { intervalMs: 3_000, deadlineMs: 120_000 },
    );
    await scale(2);
    await poll('the replicas run', async (seen) => {
      const ready = ['get', 'deployment', 'divided', '-n', 'default', '-o'];
      const result = await tryKubectl(cluster, [...ready, 'jsonpath={.status.readyReplicas}']);
      seen(result.stdout + result.stderr);
      return result.stdout === '2' ? true : undefined;
    });
    await plane.kubectl(['delete', 'propagationpolicy,deployment', 'divided', '-n', 'default']);
  }, 180_000);

  it('reports an unreachable member cluster and stays Ready', async () => {
    const list = { apiVersion: 'v1', kind: 'List', items: ABSENT };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const found = await untilEstimators({ status: 'False', reason: 'MemberUnreachable' });
    expect(found.message).toContain('member cluster absent: its API server is unreachable');
    expect(found.message).not.toContain('member cluster host');
    await untilReady(cluster, name, namespace);
    await plane.kubectl(['delete', 'cluster', 'absent', '--timeout=60s']);
    await untilEstimators({ status: 'True', reason: 'Available' });
  }, 180_000);

  it('deletes all objects of the estimators, also in the member cluster, when they are disabled', async () => {
    await change({ karmadaSchedulerEstimator: { enabled: false } });
    await untilGone('scheduler-estimator', /estimator/);
    expect(await accessObjects()).toBe('');
    expect(await estimators()).toBeUndefined();
    await change({ karmadaSchedulerEstimator: { enabled: true } });
    await untilEstimators({ status: 'True', reason: 'Available', message: '' });
  }, 240_000);

  it('writes nothing in the steady state after an operator restart', async () => {
    const user = `system:serviceaccount:${operatorNamespace}:karmada-operator`;
    const writes = ['create', 'update', 'patch', 'delete'];
    const since = Date.now();
    await restartOperator(cluster);
    const ends = Date.now() + 20_000;
    await poll('the time has passed', async () => (Date.now() > ends ? true : undefined));
    const made = countRequests(await readAudit(cluster.name, since))
      .filter((request) => request.user === user && writes.includes(request.verb))
      .filter(({ resource }) => !/^(leases|events|selfsubject\w+reviews)\b/.test(resource));
    expect(made).toEqual([]);
    await untilEstimators({ status: 'True', reason: 'Available', message: '' });
  }, 240_000);

  it('returns objects of a member cluster from search', async () => {
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(SEARCHED));
    const path = '/apis/search.karmada.io/v1alpha1/search/cache/apis/apps/v1/deployments';
    await poll('search finds the operator in the member cluster', async (seen) => {
      const result = await plane.tryKubectl(['get', '--raw', path]);
      seen((result.stderr || result.stdout).slice(0, 500));
      const found = result.code === 0 && result.stdout.includes('"name":"karmada-operator"');
      return found && result.stdout.includes('resource.karmada.io/cached-from-cluster')
        ? true
        : undefined;
    });
    await plane.kubectl(['delete', 'resourceregistry', 'deployments']);
  }, 180_000);

  it('have no Pod that can read a certificate in the group system:masters', async () => {
    expect(await mountedMasters(cluster, namespace)).toEqual([]);
  }, 60_000);

  it.each(ADDONS)(
    'deletes all objects of $key when it is disabled and recreates them when it is enabled',
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

  it('deletes the estimator and its access when the member cluster is removed', async () => {
    await untilEstimators({ status: 'True', reason: 'Available', message: '' });
    await plane.karmadactl(['unjoin', 'host', ...(await accessTo(cluster))]);
    await untilEstimators({ status: 'True', reason: 'NoMembers' });
    await untilGone('scheduler-estimator-host', /estimator-host/);
    await poll('the access objects in the member cluster are deleted', async (seen) => {
      const left = await accessObjects();
      seen(left);
      return left === '' ? true : undefined;
    });
  }, 240_000);

  it('deletes all objects of an add-on when its field is removed from the spec', async () => {
    await change({ karmadaDescheduler: null });
    await untilGone('descheduler', /descheduler/);
  }, 180_000);
});
