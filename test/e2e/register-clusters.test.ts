import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { run } from '../embedded-cluster/command.ts';
import { inNode } from '../embedded-cluster/node.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { register, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';

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
      ...['deployment/karmada-agent', 'secret/karmada-kubeconfig'],
      ...['serviceaccount/karmada-agent-sa', 'clusterrole/karmada-agent'],
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
});
