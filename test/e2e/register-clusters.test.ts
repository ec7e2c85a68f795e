import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { inNode } from '../../tools/embedded-cluster/node.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { register, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { propagationOf, propagationText } from '../harness/propagation.ts';

const namespace = 'register-test';
const name = 'karmada-register';
/** Default Namespace of karmada-agent. Its leader election uses the Namespace of that name in the control plane. */
const agentNamespace = 'karmada-system';
const inNamespace = ['-n', namespace];

const karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local: { volumeData: { emptyDir: {} } } },
      // A NodePort is reachable from inside and outside the cluster.
      karmadaAPIServer: { serviceType: 'NodePort' },
      karmadaMetricsAdapter: { enabled: false },
    },
  },
};

const SPREAD = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'for-pulled', namespace: 'default' },
    data: { from: 'the control plane' },
  },
  {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'for-pulled', namespace: 'default' },
    spec: {
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'for-pulled' }],
      placement: { clusterAffinity: { clusterNames: ['pulled'] } },
    },
  },
];

describeCluster('member cluster registration in pull mode', () => {
  let cluster: Cluster;
  let plane: ControlPlane;

  const clean = async (): Promise<void> => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait', '--timeout=180s']);
    for (const object of [
      'deployment/karmada-agent',
      'secret/karmada-kubeconfig',
      'serviceaccount/karmada-agent-sa',
      'clusterrole/karmada-agent',
      'clusterrolebinding/karmada-agent',
    ])
      await tryKubectl(cluster, ['delete', object, '-n', agentNamespace]);
    await tryKubectl(cluster, ['delete', 'configmap', 'for-pulled', '-n', 'default']);
  };

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await clean();
    await installOperator(cluster);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await clean();
  }, 300_000);

  it('serves only the cluster-info ConfigMap to anonymous users', async () => {
    const info = ['get', 'configmap', 'cluster-info', '-n', 'kube-public', '-o'];
    const kubeconfig = await plane.kubectl([...info, 'jsonpath={.data.kubeconfig}']);
    const server = /server: https:\/\/([\d.]+:\d+)/.exec(kubeconfig)?.[1] ?? kubeconfig;
    const curl = (path: string): Promise<string> =>
      run(inNode(cluster.node, ['curl', '-sk', `https://${server}${path}`]));
    const answer = await curl('/api/v1/namespaces/kube-public/configmaps/cluster-info');
    expect(answer).toContain('certificate-authority-data');
    expect(await curl('/api/v1/namespaces/kube-public/configmaps')).toContain('"code": 403');
    expect(await curl('/api/v1/secrets')).toContain('"code": 403');
  }, 60_000);

  it('propagates a ConfigMap to a cluster that karmadactl register added', async () => {
    const registrar = { plane, host: cluster, name, namespace };
    const { output, pins } = await register(registrar, cluster, 'pulled');
    expect(pins.length).toBeGreaterThan(0);
    expect(output).toContain('is joined successfully');
    await untilMember(plane, 'pulled', 'Pull');
    const list = { apiVersion: 'v1', kind: 'List', items: SPREAD };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    await poll('the ConfigMap exists in the member cluster', async (seen) => {
      const found = await tryKubectl(cluster, ['get', 'configmap', 'for-pulled', '-n', 'default']);
      seen(found.stdout + found.stderr);
      return found.code === 0 ? true : undefined;
    });
    await plane.kubectl(['delete', 'propagationpolicy,configmap', 'for-pulled', '-n', 'default']);
  }, 300_000);

  /** Waits for a state of the Karmada. */
  const until = (what: string, holds: (found: Karmada) => boolean | undefined): Promise<true> =>
    poll(what, async (seen) => {
      const found = await getObject<Karmada>(cluster, 'karmada', name, namespace);
      seen(JSON.stringify([found.status?.memberClusters, readyOf(found)]));
      return holds(found) === true ? true : undefined;
    });

  it('compares the member cluster, and names the agent, which the operator cannot pause', async () => {
    const { members } = await propagationOf(cluster, { name, namespace });
    expect(members).toEqual([expect.objectContaining({ name: 'pulled', syncMode: 'Pull' })]);
    expect(members[0]).toMatchObject({ objects: [] });
    const text = await propagationText(cluster, { name, namespace });
    expect(text).toContain('scale deployment karmada-agent --replicas 0');
  }, 120_000);

  it('reports in the status that the member cluster is ready', async () => {
    const expected = {
      summary: '1/1',
      total: 1,
      ready: 1,
      push: 0,
      pull: 1,
      clusters: [{ name: 'pulled', syncMode: 'Pull', ready: 'True' }],
    };
    await until('the status contains the member cluster', ({ status }) =>
      isDeepStrictEqual(status?.memberClusters, expected),
    );
    const wide = await kubectl(cluster, ['get', 'karmada', name, ...inNamespace, '-o', 'wide']);
    expect(wide).toMatch(/ MEMBER-CLUSTERS +ETCD .*\n.* v\S+ +1\/1 +1\/1 /);
  }, 60_000);

  it('reports since when a member cluster is not ready', async () => {
    const scale = ['scale', 'deployment', 'karmada-agent', '--replicas=0', '-n', agentNamespace];
    await kubectl(cluster, scale);
    await until('the member cluster is not ready', ({ status }) => {
      const [state] = status?.memberClusters?.clusters ?? [];
      return state?.ready !== 'True' && state?.since !== undefined;
    });
  }, 180_000);

  it('waits with the deletion until the member cluster is removed, also after a restart of the operator', async () => {
    const policy = { spec: { deletionPolicy: 'ConfirmMembers' } };
    const patch = ['patch', 'karmada', name, ...inNamespace, '--type=merge', '--patch'];
    await kubectl(cluster, [...patch, JSON.stringify(policy)]);
    await kubectl(cluster, ['delete', 'karmada', name, ...inNamespace, '--wait=false']);
    const named = 'member clusters still joined: pulled. ';
    await until('the deletion waits', (found) => readyOf(found)?.message.includes(named));
    for (const restart of ['restart', 'status'])
      await kubectl(cluster, [
        'rollout',
        restart,
        `deployment/${release}`,
        '-n',
        operatorNamespace,
      ]);
    await plane.kubectl(['delete', 'cluster', 'pulled', '--wait=false']);
    const deleted = ['wait', '--for=delete', `karmada/${name}`, ...inNamespace, '--timeout=120s'];
    await kubectl(cluster, deleted);
  }, 300_000);
});

const readyOf = ({ status }: Karmada): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready');
