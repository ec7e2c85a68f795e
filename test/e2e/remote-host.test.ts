/** @tier always */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump } from 'js-yaml';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaReleases } from '../../tools/embedded-cluster/releases.ts';
import { addressesOf, slotOf } from '../../tools/embedded-cluster/slot.ts';
import { operatorNamespace } from '../demo/install.ts';
import { apply, getObject, quiet } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { patchAsPlanned } from '../harness/plan.ts';
import {
  RemoteHostScene,
  REMOTE_NAMESPACE as namespace,
  SMALL,
} from '../harness/remote-host-scene.ts';
import { grantedRights, kubeconfigWith, usedRights, writesTo } from '../harness/remote-host.ts';

const name = 'karmada';
const inNamespace = ['-n', namespace];

const UNSEEN: ReadonlySet<string> = new Set([
  // The API server authorizes a creating apply and a port-forward twice. The audit log contains only the first verb.
  'create deployments.apps',
  'create statefulsets.apps',
  'create poddisruptionbudgets.policy',
  'create services',
  'create pods/portforward',
  // Rarely used. test/integration/reconcile/rights.test.ts covers each of them.
  'update deployments.apps',
  'update statefulsets.apps',
  'update poddisruptionbudgets.policy',
  'create pods',
  // Used when an object exists that the caches lack; test/integration/kubernetes/apply.test.ts and rights.test.ts cover them.
  'get poddisruptionbudgets.policy',
  'get services',
  // test/e2e/network-policy.test.ts uses them.
  'get networkpolicies.networking.k8s.io',
  'create networkpolicies.networking.k8s.io',
  'patch networkpolicies.networking.k8s.io',
  'delete networkpolicies.networking.k8s.io',
  // Checked by an admission plugin that the embedded cluster does not enable.
  'update deployments.apps/finalizers',
  'update statefulsets.apps/finalizers',
  'create persistentvolumeclaims',
  'get persistentvolumeclaims',
  'patch persistentvolumeclaims',
  'patch pods/status',
  'get namespaces',
]);

describeCluster('remote host cluster', () => {
  let scene: RemoteHostScene;

  const kubeconfigIn = (cluster: Cluster): Promise<string> =>
    kubectl(cluster, [
      'get',
      'secret',
      `${name}-admin-config`,
      ...inNamespace,
      '--ignore-not-found',
      '-o',
      'jsonpath={.data.kubeconfig}',
    ]);

  beforeAll(async () => {
    scene = await RemoteHostScene.start(['kubernetes-previous', 'karmada-previous']);
  }, 1_800_000);

  afterAll(async () => scene.end(), 240_000);

  it('becomes Ready with a kubeconfig and a ClusterIP Service, and runs nothing in the management cluster', async () => {
    const karmadaWebhook = { podDisruptionBudgetConfig: { maxUnavailable: 1 } };
    const local = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } };
    const components = { ...SMALL, etcd: { local }, karmadaSearch: {}, karmadaWebhook };
    const imagePullSecrets = [{ name: 'registry' }];
    const config = JSON.stringify({ auths: { 'registry.example.com': { auth: 'YTpi' } } });
    await apply(scene.management, {
      ...scene.secret('registry', { '.dockerconfigjson': config }),
      type: 'kubernetes.io/dockerconfigjson',
    });
    await apply(
      scene.management,
      scene.karmada(name, 'host', {
        version: karmadaReleases.previous,
        components,
        imagePullSecrets,
      }),
    );
    await untilReady(scene.management, name, namespace);
    await poll('the operator queries the etcd members', async (seen) => {
      const { status } = await scene.current(name);
      const healthy = status?.conditions?.find(({ type }) => type === 'EtcdHealthy');
      seen(JSON.stringify(healthy));
      return healthy?.status === 'True' ? true : undefined;
    });
    const reached = await scene.until(name, 'HostReachable', { status: 'True' });
    expect(reached.message).toBe(scene.server);
    expect(await scene.names(scene.management, name)).toEqual([`secret/${name}-admin-config`]);
    expect(await scene.names(scene.host, name)).toEqual(
      expect.arrayContaining([`deployment.apps/${name}-scheduler`, `service/${name}-apiserver`]),
    );
    const plane = await openControlPlane(scene.host, name, namespace);
    expect(await plane.kubectl(['get', 'crd', '-o', 'name'])).toContain('policy.karmada.io');
  }, 300_000);

  it('runs in a namespace that admits only restricted Pods', async () => {
    const securityContext = { privileged: true };
    const container = { name: 'root', image: 'busybox', securityContext };
    const metadata = { name: 'root', namespace };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } };
    await expect(apply(scene.host, pod)).rejects.toThrow('violates PodSecurity "restricted');
  }, 60_000);

  it('uses an existing namespace of the host cluster only when its owner allows that', async () => {
    const elsewhere = 'consent';
    const created = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } };
    for (const cluster of [scene.management, scene.host]) await apply(cluster, created);
    const kubeconfig = await kubeconfigWith(scene.host, scene.credentials);
    const hostCluster = { secretRef: { name: 'host', namespace: elsewhere } };
    await apply(scene.management, scene.secret('host', { kubeconfig }, elsewhere), {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name, namespace: elsewhere },
      spec: { hostCluster, components: SMALL },
    });
    const condition = (reason: string): Promise<Condition> =>
      poll(`HostReachable has the reason ${reason}`, async (seen) => {
        const { status } = await getObject<Karmada>(scene.management, 'karmada', name, elsewhere);
        const found = status?.conditions?.find(({ type }) => type === 'HostReachable');
        seen(JSON.stringify(found));
        return found?.reason === reason ? found : undefined;
      });
    const { message } = await condition('HostNamespaceNotGranted');
    const all = ['get', 'secrets,services,deployments', '-n', elsewhere, '-o', 'name'];
    expect(await kubectl(scene.host, all)).toBe('');
    const [, command = ''] =
      /must run kubectl (label namespace .* --overwrite) there/.exec(message) ?? [];
    await kubectl(scene.host, command.split(' '));
    await condition('Reached');
    const gone = ['delete', 'namespace', elsewhere, '--wait=false'];
    await kubectl(scene.management, ['delete', 'karmada', name, '-n', elsewhere, '--timeout=120s']);
    for (const cluster of [scene.management, scene.host]) await kubectl(cluster, gone);
  }, 240_000);

  it('keeps the kubeconfig in the management cluster equal to that in the host cluster', async () => {
    const expected = await kubeconfigIn(scene.host);
    expect(expected).not.toBe('');
    expect(await kubeconfigIn(scene.management)).toBe(expected);
    await kubectl(scene.management, ['delete', 'secret', `${name}-admin-config`, ...inNamespace]);
    await poll('the copy is restored', async (seen) => {
      const found = await kubeconfigIn(scene.management);
      seen(found.slice(0, 10));
      return found === expected ? true : undefined;
    });
  }, 120_000);

  it('copies the image pull Secret to the host cluster', async () => {
    const inside = ['get', 'secret', 'registry', ...inNamespace, '-o', 'jsonpath={.data}'];
    expect(await kubectl(scene.host, inside)).toBe(await kubectl(scene.management, inside));
    await kubectl(scene.host, ['delete', 'secret', 'registry', ...inNamespace]);
    await scene.untilThere(scene.host, 'secret/registry');
  }, 120_000);

  it('recreates objects deleted in the host cluster or in the control plane', async () => {
    await kubectl(scene.host, ['delete', 'deployment', `${name}-webhook`, ...inNamespace]);
    await scene.untilThere(scene.host, `deployment/${name}-webhook`);
    const plane = await openControlPlane(scene.host, name, namespace);
    const mutating = ['mutatingwebhookconfiguration', 'mutating-config'];
    await plane.kubectl(['delete', ...mutating]);
    await poll('the webhook configuration exists again', async (seen) => {
      const { code, stderr } = await plane.tryKubectl(['get', ...mutating]);
      seen(stderr);
      return code === 0 ? true : undefined;
    });
    await untilReady(scene.management, name, namespace);
  }, 120_000);

  it('upgrades to another version as previewed', async () => {
    await patchAsPlanned(
      scene.management,
      { name, namespace, host: scene.host },
      { version: karmadaReleases.current },
      () => untilReady(scene.management, name, namespace, 300_000),
    );
    const { status } = await scene.current(name);
    expect(status?.versions).toMatchObject({
      karmada: karmadaReleases.current,
      kubernetes: 'v1.35.4',
    });
  }, 420_000);

  it('adds etcd members and removes them', async () => {
    for (const replicas of [3, 1]) {
      await scene.patch(name, { components: { etcd: { local: { replicas } } } });
      const wanted = `${String(replicas)}/${String(replicas)}`;
      await poll(
        `etcd has ${String(replicas)} members`,
        async (seen) => {
          const { status } = await scene.current(name);
          const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
          seen(`${String(status?.etcd)} ${String(progress?.message)}`);
          return (status?.etcd === wanted && progress?.status === 'False') || undefined;
        },
        { deadlineMs: 180_000, intervalMs: 500 },
      );
      await untilReady(scene.management, name, namespace);
    }
  }, 420_000);

  it('writes nothing to the host cluster in the steady state', async () => {
    await untilReady(scene.management, name, namespace);
    const since = Date.now();
    await quiet(20_000);
    expect(await writesTo(scene.host, since)).toEqual([]);
  }, 120_000);

  it('leaves nothing in both clusters when the Karmada is deleted', async () => {
    await scene.remove(name);
    expect([
      await scene.names(scene.host, name),
      await scene.names(scene.management, name),
    ]).toEqual([[], []]);
    const registry = ['get', 'secret', 'registry', ...inNamespace, '--ignore-not-found'];
    expect(await kubectl(scene.host, registry)).toBe('');
    expect(await kubectl(scene.management, registry)).not.toBe('');
    const claims = ['get', 'persistentvolumeclaims', ...inNamespace, '-o', 'name'];
    expect(await kubectl(scene.host, claims)).toBe('');
  }, 240_000);

  it('rejects a kubeconfig with an exec plugin without running it or sending a request', async () => {
    const requests: string[] = [];
    const { gateway } = addressesOf(slotOf(scene.management.name) ?? NaN);
    const listener: Server = createServer((request) => requests.push(request.url ?? ''));
    await new Promise<void>((resolve) => listener.listen(0, gateway, resolve));
    const { port } = listener.address() as { port: number };
    const kubeconfig = dump({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: `https://${gateway}:${port}` } }],
      users: [{ name: 'a', user: { exec: { command: 'touch', args: ['/tmp/ran'] } } }],
    });
    await apply(scene.management, scene.secret('hostile', { kubeconfig }));
    await apply(scene.management, scene.karmada('hostile', 'hostile'));
    const found = await scene.until('hostile', 'Ready', { reason: 'HostSecretInvalid' });
    expect(found.message).toContain('user.exec');
    expect(requests).toEqual([]);
    listener.close();
    const ran = ['exec', '-n', operatorNamespace, 'deployment/karmada-operator', '--'];
    const check = ['/usr/local/bin/node', '-p', "require('fs').existsSync('/tmp/ran')"];
    expect(await kubectl(scene.management, [...ran, ...check])).toBe('false\n');
    // The operator created nothing, so nothing blocks the deletion.
    await scene.remove('hostile');
  }, 120_000);

  it('has exactly the RBAC permissions that these tests used', async () => {
    const [granted, used] = [await grantedRights(), await usedRights([scene.host])];
    expect([...used].filter((right) => !granted.has(right))).toEqual([]);
    const unused = [...granted].filter((right) => !used.has(right) && !UNSEEN.has(right));
    expect(unused).toEqual([]);
  });
});
