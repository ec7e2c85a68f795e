import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump, loadAll } from 'js-yaml';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import { kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { down } from '../embedded-cluster/down.ts';
import { interrupt } from '../embedded-cluster/interrupt.ts';
import { checkout } from '../embedded-cluster/paths.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { createProgress } from '../embedded-cluster/progress.ts';
import { karmadaReleases } from '../embedded-cluster/releases.ts';
import { addressesOf, slotOf } from '../embedded-cluster/slot.ts';
import { up } from '../embedded-cluster/up.ts';
import { operatorNamespace } from '../demo/install.ts';
import { apply, getObject, quiet, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { accessTo, dividedDeployment, untilMember } from '../harness/members.ts';
import { installOperator } from '../harness/operator.ts';
import { patchAsPlanned } from '../harness/plan.ts';
import {
  grantedRights,
  kubeconfigWith,
  letIn,
  usedRights,
  writesTo,
  type HostCredentials,
} from '../harness/remote-host.ts';
import { drawn } from '../harness/sample.ts';
import { sharedCluster } from '../harness/shared.ts';

const progress = createProgress(process.stderr);
const namespace = 'remote-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const MADE = 'deployments,statefulsets,services,secrets,poddisruptionbudgets,pods';
/** DNS domain of the third cluster, which is a member cluster and later also a host cluster. */
const DOMAIN = 'third.example.org';

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
  'get persistentvolumeclaims',
  'patch persistentvolumeclaims',
  'get namespaces',
]);

const secretOf = (called: string, values: object, where = namespace): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: called, namespace: where },
  stringData: values,
});

const emptyDir = { local: { volumeData: { emptyDir: {} } } };
const small = { etcd: emptyDir, karmadaMetricsAdapter: { enabled: false } };

function karmadaOf(called: string, secret: string, spec: object = {}): object {
  const hostCluster = { secretRef: { name: secret, namespace } };
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: called, namespace },
    spec: { hostCluster, components: small, ...spec },
  };
}

describeCluster('remote host cluster', () => {
  let management: Cluster;
  let host: Cluster;
  let third: Cluster;
  let server: string;
  let credentials: HostCredentials;

  const until = (type: string, expected: Partial<Condition>, of = name): Promise<Condition> =>
    poll(
      `${type} of ${of} is ${JSON.stringify(expected)}`,
      async (seen) => {
        const { status } = await getObject<Karmada>(management, 'karmada', of, namespace);
        const found = status?.conditions?.find((condition) => condition.type === type);
        seen(JSON.stringify(found));
        const same = Object.entries(expected).every(
          ([key, value]) => found?.[key as keyof Condition] === value,
        );
        return same ? found : undefined;
      },
      { deadlineMs: 90_000 },
    );

  const names = async (cluster: Cluster, of = name): Promise<string[]> => {
    const text = await kubectl(cluster, ['get', MADE, ...inNamespace, '-o', 'name']);
    return text.split('\n').filter((line) => line.includes(`/${of}-`));
  };

  /** Waits until an object exists in a cluster. */
  const untilThere = (cluster: Cluster, object: string): Promise<true> =>
    poll(`${object} exists`, async (seen) => {
      const { code, stderr } = await tryKubectl(cluster, ['get', object, ...inNamespace]);
      seen(stderr);
      return code === 0 ? true : undefined;
    });

  const kubeconfigIn = (cluster: Cluster): Promise<string> =>
    kubectl(cluster, [
      ...['get', 'secret', `${name}-admin-config`, ...inNamespace],
      ...['--ignore-not-found', '-o', 'jsonpath={.data.kubeconfig}'],
    ]);

  const remove = async (called = name): Promise<void> => {
    await kubectl(management, ['delete', 'karmada', called, ...inNamespace, '--timeout=180s']);
  };

  beforeAll(async () => {
    management = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    const current = ['etcd', 'kubernetes', 'karmada'] as const;
    host = await up({
      name: `${sharedCluster}-remote`,
      images: [...current, 'kubernetes-previous', 'karmada-previous'],
      progress,
    });
    third = await up({
      name: `${sharedCluster}-third`,
      images: [...current, 'busybox'],
      dnsDomain: DOMAIN,
      progress,
    });
    server = `https://${addressesOf(slotOf(host.name) ?? NaN).node}:6443`;
    await tryKubectl(management, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(management, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(management);
    credentials = await letIn(host);
    await apply(management, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const kubeconfig = await kubeconfigWith(host, credentials);
    await apply(management, secretOf('host', { kubeconfig }));
    await apply(
      management,
      secretOf('third', { kubeconfig: await kubeconfigWith(third, await letIn(third)) }),
    );
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(management, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(management, ['delete', 'namespace', namespace, '--wait=false']);
    for (const { name: other } of [host, third]) await down(other, progress);
  }, 240_000);

  it('runs the sample with a token, a NodePort and a member cluster, and leaves nothing when it is deleted', async () => {
    const text = await readFile(join(checkout, 'samples/karmada-remote-host.yaml'), 'utf8');
    const [first, second] = loadAll(text.replace('https://host.example.com:6443', server)) as [
      { metadata: { name: string } },
      { metadata: { name: string } },
    ];
    const own = first.metadata.name;
    const { name: called } = second.metadata;
    await tryKubectl(host, ['delete', 'namespace', own, '--timeout=120s']);
    await apply(management, first, secretOf('host-cluster', credentials, own));
    await apply(management, second);
    await untilReady(management, called, own);
    const plane = await openControlPlane(host, called, own);
    await plane.karmadactl(['join', 'third', ...(await accessTo(third))]);
    await untilMember(plane, 'third', 'Push');
    const list = { apiVersion: 'v1', kind: 'List', items: dividedDeployment(2) };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const shown = 'jsonpath={.status.readyReplicas}';
    const divided = ['get', 'deployment', 'divided', '-n', 'default', '-o', shown];
    await poll('two replicas run in the member cluster', async (seen) => {
      const result = await tryKubectl(third, divided);
      seen(result.stdout + result.stderr);
      return result.stdout === '2' ? true : undefined;
    });
    await plane.karmadactl(['unjoin', 'third', ...(await accessTo(third))]);
    await kubectl(management, ['delete', 'karmada', called, '-n', own, '--timeout=120s']);
    // The PVC of etcd stays, and with it the CA backup Secret.
    for (const [cluster, left] of [
      [host, 'secret/karmada-demo-ca-backup'],
      [management, 'secret/host-cluster'],
    ] as const) {
      const found = await kubectl(cluster, ['get', MADE, '-n', own, '-o', 'name']);
      expect(found.trim()).toBe(left);
    }
    await kubectl(management, ['delete', 'namespace', own, '--wait=false']);
  }, 420_000);

  it('becomes Ready with a kubeconfig and a ClusterIP Service, and runs nothing in the management cluster', async () => {
    const karmadaWebhook = { podDisruptionBudgetConfig: { maxUnavailable: 1 } };
    const components = { ...small, karmadaSearch: {}, karmadaWebhook };
    const imagePullSecrets = [{ name: 'registry' }];
    const config = JSON.stringify({ auths: { 'registry.example.com': { auth: 'YTpi' } } });
    await apply(management, {
      ...secretOf('registry', { '.dockerconfigjson': config }),
      type: 'kubernetes.io/dockerconfigjson',
    });
    await apply(
      management,
      karmadaOf(name, 'host', { version: karmadaReleases.previous, components, imagePullSecrets }),
    );
    await untilReady(management, name, namespace);
    await poll('the operator queries the etcd members', async (seen) => {
      const { status } = await getObject<Karmada>(management, 'karmada', name, namespace);
      const healthy = status?.conditions?.find(({ type }) => type === 'EtcdHealthy');
      seen(JSON.stringify(healthy));
      return healthy?.status === 'True' ? true : undefined;
    });
    const reached = await until('HostReachable', { status: 'True' });
    expect(reached.message).toBe(server);
    expect(await names(management)).toEqual([`secret/${name}-admin-config`]);
    expect(await names(host)).toEqual(
      expect.arrayContaining([`deployment.apps/${name}-scheduler`, `service/${name}-apiserver`]),
    );
    const plane = await openControlPlane(host, name, namespace);
    expect(await plane.kubectl(['get', 'crd', '-o', 'name'])).toContain('policy.karmada.io');
  }, 300_000);

  it('keeps the kubeconfig in the management cluster equal to that in the host cluster', async () => {
    const expected = await kubeconfigIn(host);
    expect(expected).not.toBe('');
    expect(await kubeconfigIn(management)).toBe(expected);
    await kubectl(management, ['delete', 'secret', `${name}-admin-config`, ...inNamespace]);
    await poll('the copy is restored', async (seen) => {
      const found = await kubeconfigIn(management);
      seen(found.slice(0, 10));
      return found === expected ? true : undefined;
    });
  }, 120_000);

  it('copies the image pull Secret to the host cluster', async () => {
    const inside = ['get', 'secret', 'registry', ...inNamespace, '-o', 'jsonpath={.data}'];
    expect(await kubectl(host, inside)).toBe(await kubectl(management, inside));
    await kubectl(host, ['delete', 'secret', 'registry', ...inNamespace]);
    await untilThere(host, 'secret/registry');
  }, 120_000);

  it('recreates objects deleted in the host cluster or in the control plane', async () => {
    await kubectl(host, ['delete', 'deployment', `${name}-webhook`, ...inNamespace]);
    await untilThere(host, `deployment/${name}-webhook`);
    const plane = await openControlPlane(host, name, namespace);
    const mutating = ['mutatingwebhookconfiguration', 'mutating-config'];
    await plane.kubectl(['delete', ...mutating]);
    await poll('the webhook configuration exists again', async (seen) => {
      const { code, stderr } = await plane.tryKubectl(['get', ...mutating]);
      seen(stderr);
      return code === 0 ? true : undefined;
    });
    await untilReady(management, name, namespace);
  }, 120_000);

  it('upgrades to another version as previewed', async () => {
    await patchAsPlanned(management, { name, namespace, host }, { version: karmadaReleases.current }, () =>
      untilReady(management, name, namespace, 300_000),
    );
    const { status } = await getObject<Karmada>(management, 'karmada', name, namespace);
    expect(status?.versions).toMatchObject({ karmada: karmadaReleases.current, kubernetes: 'v1.35.4' });
  }, 420_000);

  it('adds etcd members and removes them', async () => {
    for (const replicas of [3, 1]) {
      const patch = JSON.stringify({ spec: { components: { etcd: { local: { replicas } } } } });
      const args = ['patch', 'karmada', name, ...inNamespace, '--type=merge', '-p', patch];
      await kubectl(management, args);
      const wanted = `${String(replicas)}/${String(replicas)}`;
      await poll(
        `etcd has ${String(replicas)} members`,
        async (seen) => {
          const { status } = await getObject<Karmada>(management, 'karmada', name, namespace);
          const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
          seen(`${String(status?.etcd)} ${String(progress?.message)}`);
          return (status?.etcd === wanted && progress?.status === 'False') || undefined;
        },
        { deadlineMs: 180_000, intervalMs: 500 },
      );
      await untilReady(management, name, namespace);
    }
  }, 420_000);

  it('deletes all objects of an add-on when it is disabled', async () => {
    const search = `${name}-search`;
    expect(await names(host)).toContain(`deployment.apps/${search}`);
    await patchAsPlanned(
      management,
      { name, namespace, host },
      { components: { karmadaSearch: { enabled: false } } },
    );
    await poll(
      'all objects of the add-on are deleted',
      async (seen) => {
        const left = (await names(host)).filter((line) => line.includes(search));
        seen(left.join());
        return left.length === 0 ? true : undefined;
      },
      { deadlineMs: 180_000 },
    );
  }, 360_000);

  it('writes nothing to the host cluster in the steady state', async () => {
    await untilReady(management, name, namespace);
    const since = Date.now();
    await quiet(20_000);
    expect(await writesTo(host, since)).toEqual([]);
  }, 120_000);

  it('reports an unreachable host cluster and recovers when it is reachable again', async () => {
    const outage = interrupt(host, 'kube-apiserver', 40_000);
    const found = await until('HostReachable', { status: 'False', reason: 'HostUnreachable' });
    expect(found.message).toContain(server);
    await until('Ready', { status: 'Unknown' });
    await outage;
    await untilReady(management, name, namespace);
    await until('HostReachable', { status: 'True' });
  }, 240_000);

  it('changes nothing in another cluster when the Secret points to it', async () => {
    const pointTo = async (cluster: Cluster, own: HostCredentials): Promise<void> => {
      await apply(management, secretOf('host', { kubeconfig: await kubeconfigWith(cluster, own) }));
    };
    await pointTo(third, await letIn(third));
    const found = await until('HostReachable', { status: 'False', reason: 'HostChanged' });
    expect(found.message).toContain('than the one that runs this control plane');
    expect(await names(third)).toEqual([]);
    await pointTo(host, credentials);
    await until('HostReachable', { status: 'True' });
    await untilReady(management, name, namespace);
  }, 180_000);

  it('leaves nothing in both clusters when the Karmada is deleted', async () => {
    await remove();
    expect([await names(host), await names(management)]).toEqual([[], []]);
    const registry = ['get', 'secret', 'registry', ...inNamespace, '--ignore-not-found'];
    expect(await kubectl(host, registry)).toBe('');
    expect(await kubectl(management, registry)).not.toBe('');
  }, 240_000);

  it('uses the DNS domain of the host cluster in all names', async () => {
    const networking = { dnsDomain: DOMAIN };
    const hostCluster = { secretRef: { name: 'third', namespace }, networking };
    const local = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } };
    const components = { ...small, etcd: { local } };
    await apply(management, karmadaOf('elsewhere', 'third', { hostCluster, components }));
    await untilReady(management, 'elsewhere', namespace);
    const plane = await openControlPlane(third, 'elsewhere', namespace);
    const aggregated = instanceName('elsewhere', 'aggregated-apiserver');
    const service = ['get', 'service', aggregated, '-n', 'karmada-system', '-o'];
    expect(await plane.kubectl([...service, 'jsonpath={.spec.externalName}'])).toContain(
      `.svc.${DOMAIN}`,
    );
    expect(await plane.kubectl(['get', 'clusters'])).toBe('');
    await remove('elsewhere');
    expect(await names(third, 'elsewhere')).toEqual([]);
    const claims = ['get', 'persistentvolumeclaims', ...inNamespace, '-o', 'name'];
    expect(await kubectl(third, claims)).toBe('');
  }, 300_000);

  const OPERATIONS = ['an installation', 'an upgrade', 'a deletion'] as const;

  const titleOf = (operation: string): string =>
    `completes ${operation} and delays no other control plane when the host cluster is unavailable for two minutes`;

  it.each(
    drawn('e2e/remote-host', OPERATIONS, 1, titleOf).map((one) => [titleOf(one), one] as const),
  )(
    '%s',
    async (_, operation) => {
      const [affected, other] = ['affected', 'other'];
      const older = operation === 'an upgrade' ? { version: karmadaReleases.previous } : {};
      await apply(management, karmadaOf(affected, 'host', older));
      if (operation === 'an installation')
        await untilThere(host, `statefulset/${instanceName(affected, 'etcd')}`);
      else await untilReady(management, affected, namespace);
      if (operation === 'an upgrade') {
        const patch = JSON.stringify({ spec: { version: karmadaReleases.current } });
        await kubectl(management, [
          'patch',
          'karmada',
          affected,
          ...inNamespace,
          '--type=merge',
          '-p',
          patch,
        ]);
        await until('Progressing', { status: 'True' }, affected);
      }
      if (operation === 'a deletion')
        await kubectl(management, ['delete', 'karmada', affected, ...inNamespace, '--wait=false']);
      const back = interrupt(host, 'kube-apiserver', 120_000);
      await until('HostReachable', { status: 'False' }, affected);
      await apply(management, { ...karmadaOf(other, ''), spec: { components: small } });
      await untilReady(management, other, namespace);
      await until('HostReachable', { status: 'False' }, affected);
      await remove(other);
      await back;
      if (operation !== 'a deletion') {
        const { status } = await untilReady(management, affected, namespace);
        expect(status?.versions?.karmada).toBe(karmadaReleases.current);
        await kubectl(management, ['delete', 'karmada', affected, ...inNamespace, '--wait=false']);
      }
      const deleted = ['wait', '--for=delete', `karmada/${affected}`, ...inNamespace];
      await kubectl(management, [...deleted, '--timeout=180s']);
      expect([await names(host, affected), await names(management, affected)]).toEqual([[], []]);
    },
    600_000,
  );

  it('removes the finalizer without the host Secret only after the abandon-host annotation, and lists remaining objects', async () => {
    const left = 'left';
    await apply(management, karmadaOf(left, 'host'));
    await untilThere(host, `statefulset/${instanceName(left, 'etcd')}`);
    await kubectl(management, ['delete', 'secret', 'host', ...inNamespace]);
    await until('HostReachable', { status: 'False', reason: 'HostSecretMissing' }, left);
    await until('Ready', { reason: 'HostSecretMissing' }, left);
    await kubectl(management, ['delete', 'karmada', left, ...inNamespace, '--wait=false']);
    const waits = await until('Ready', { reason: 'Deleting' }, left);
    const [command = ''] = /kubectl .*abandon-host=[0-9a-f-]{36}/.exec(waits.message) ?? [];
    const anything = 'operator.karmada.io/abandon-host=true';
    await kubectl(management, ['annotate', 'karmada', left, ...inNamespace, anything]);
    await poll(
      'the deletion is still blocked, and the message reports the different value',
      async (seen) => {
        const shown = [
          'get',
          'karmada',
          left,
          ...inNamespace,
          '-o',
          'jsonpath={.status.conditions}',
        ];
        const found = await kubectl(management, shown);
        seen(found.slice(0, 600));
        return found.includes('the annotation has a different value now') ? true : undefined;
      },
    );
    await kubectl(management, command.split(' ').slice(1));
    await kubectl(management, ['wait', '--for=delete', `karmada/${left}`, ...inNamespace]);
    expect(await names(management, left)).toEqual([]);
    const events = ['get', 'events', ...inNamespace, '-o', 'jsonpath={.items[*].message}'];
    await poll('the Event exists', async (seen) => {
      const found = await kubectl(management, events);
      seen(found.slice(-300));
      return found.includes(`app.kubernetes.io/instance=${left}`) ? true : undefined;
    });
    expect(await names(host, left)).toContain(`statefulset.apps/${instanceName(left, 'etcd')}`);
    await kubectl(host, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  it('rejects a kubeconfig with an exec plugin without running it or sending a request', async () => {
    const requests: string[] = [];
    const { gateway } = addressesOf(slotOf(management.name) ?? NaN);
    const listener: Server = createServer((request) => requests.push(request.url ?? ''));
    await new Promise<void>((resolve) => listener.listen(0, gateway, resolve));
    const { port } = listener.address() as { port: number };
    const kubeconfig = dump({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: `https://${gateway}:${port}` } }],
      users: [{ name: 'a', user: { exec: { command: 'touch', args: ['/tmp/ran'] } } }],
    });
    await apply(management, secretOf('hostile', { kubeconfig }));
    await apply(management, karmadaOf('hostile', 'hostile'));
    const found = await until('Ready', { reason: 'HostSecretInvalid' }, 'hostile');
    expect(found.message).toContain('user.exec');
    expect(requests).toEqual([]);
    listener.close();
    const ran = ['exec', '-n', operatorNamespace, 'deployment/karmada-operator', '--'];
    const check = ['/usr/local/bin/node', '-p', "require('fs').existsSync('/tmp/ran')"];
    expect(await kubectl(management, [...ran, ...check])).toBe('false\n');
    // The operator created nothing, so nothing blocks the deletion.
    await remove('hostile');
  }, 120_000);

  it('has exactly the RBAC permissions that these tests used', async () => {
    const [granted, used] = [await grantedRights(), await usedRights([host, third])];
    expect([...used].filter((right) => !granted.has(right))).toEqual([]);
    const unused = [...granted].filter((right) => !used.has(right) && !UNSEEN.has(right));
    expect(unused).toEqual([]);
  });
});
