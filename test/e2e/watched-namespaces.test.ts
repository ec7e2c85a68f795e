/** The operator with a Role per namespace and none of the optional permissions, on a cluster whose Pods run. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { attempt } from '../../tools/embedded-cluster/command.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';

const watched = 'watched-team';
const other = 'other-team';
const name = 'demo';

const VALUES = {
  watchNamespaces: [watched],
  clusterPermissions: {
    customResourceDefinitions: false,
    leases: false,
    namespaces: false,
    nodes: false,
    persistentVolumes: false,
    storageClasses: false,
  },
};

const karmada = (namespace: string): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: { components: { etcd: { local: { volumeData: { emptyDir: {} } } } } },
});

describeCluster('watched namespaces', () => {
  let cluster: Cluster;

  const clean = async (): Promise<void> => {
    for (const namespace of [watched, other])
      await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', namespace, '--timeout=120s']);
  };

  const canI = async (verb: string, what: string, namespace: string): Promise<string> => {
    const who = `--as=system:serviceaccount:${operatorNamespace}:${release}`;
    const ask = ['auth', 'can-i', verb, what, who, '-n', namespace];
    const { stdout } = await attempt([`${cluster.bin}/kubectl`, ...ask], {
      env: { KUBECONFIG: cluster.kubeconfig },
    });
    return stdout.trim();
  };

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    for (const namespace of [watched, other])
      await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await clean();
    await installOperator(cluster, VALUES);
  }, 1_800_000);

  afterAll(async () => {
    await clean();
    // The Role of the Helm release is in a watched namespace, so the release changes before the namespace is deleted.
    await installOperator(cluster);
    const all = ['delete', 'namespace', watched, other, '--ignore-not-found', '--timeout=180s'];
    await tryKubectl(cluster, all);
  }, 600_000);

  it('get a control plane whose Secrets the operator can read only there', async () => {
    await apply(cluster, karmada(other), karmada(watched));
    await untilReady(cluster, name, watched);
    expect(await canI('get', 'secrets', watched)).toBe('yes');
    for (const namespace of [other, 'kube-system'])
      expect([namespace, await canI('get', 'secrets', namespace)]).toEqual([namespace, 'no']);
  }, 300_000);

  it('are repaired, and no other namespace is touched', async () => {
    const scheduler = ['deployment', `${name}-karmada-scheduler`, '-n', watched];
    await kubectl(cluster, ['delete', ...scheduler]);
    await poll('the operator creates the Deployment again', async (seen) => {
      const found = await tryKubectl(cluster, ['get', ...scheduler]);
      seen(found.stderr);
      return found.code === 0 ? true : undefined;
    });
    await untilReady(cluster, name, watched);
    const untouched = await getObject<Karmada>(cluster, 'karmada', name, other);
    expect(untouched.status).toBeUndefined();
    expect(untouched.metadata.finalizers ?? []).toEqual([]);
    const objects = ['get', 'secrets,deployments,statefulsets,services', '-n', other, '-o', 'name'];
    expect((await kubectl(cluster, objects)).trim()).toBe('');
  }, 300_000);

  it('lose the control plane with its Karmada object, and the log names no missing permission', async () => {
    const log = await kubectl(cluster, ['logs', `deployment/${release}`, '-n', operatorNamespace]);
    expect(log).not.toMatch(/forbidden/i);
    await kubectl(cluster, ['delete', 'karmada', name, '-n', watched, '--timeout=180s']);
    const left = ['get', 'secrets,deployments,statefulsets,services', '-n', watched, '-o', 'name'];
    await poll('all objects are gone', async (seen) => {
      const found = (await kubectl(cluster, left)).trim();
      seen(found);
      return found === '' ? true : undefined;
    });
  }, 300_000);
});
