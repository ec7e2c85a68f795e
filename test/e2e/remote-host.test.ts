import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump, loadAll } from 'js-yaml';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { down } from '../cluster/down.ts';
import { interrupt } from '../cluster/interrupt.ts';
import { checkout } from '../cluster/paths.ts';
import { poll } from '../cluster/poll.ts';
import { createProgress } from '../cluster/progress.ts';
import { addressesOf, slotOf } from '../cluster/slot.ts';
import { up } from '../cluster/up.ts';
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
/** DNS domain of the member, which has a control plane of its own, too. */
const DOMAIN = 'third.example.org';

const UNSEEN: ReadonlySet<string> = new Set([
  // An apply that makes an object, and a way to a pod, are authorized twice; the audit log shows the first verb alone.
  'create deployments.apps',
  'create statefulsets.apps',
  'create poddisruptionbudgets.policy',
  'create services',
  'create pods/portforward',
  // Needed seldom: integration/reconcile/rights shows each of them.
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

describeCluster('a control plane in another cluster than the operator', () => {
  let home: Cluster;
  let host: Cluster;
  let third: Cluster;
  let server: string;
  let credentials: HostCredentials;

  const until = (type: string, wanted: Partial<Condition>, of = name): Promise<Condition> =>
    poll(
      `${type} of ${of} is ${JSON.stringify(wanted)}`,
      async (seen) => {
        const { status } = await getObject<Karmada>(home, 'karmada', of, namespace);
        const found = status?.conditions?.find((condition) => condition.type === type);
        seen(JSON.stringify(found));
        const same = Object.entries(wanted).every(
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

  /** Until an object of the host is there. */
  const untilThere = (cluster: Cluster, object: string): Promise<true> =>
    poll(`${object} is there`, async (seen) => {
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
    await kubectl(home, ['delete', 'karmada', called, ...inNamespace, '--timeout=180s']);
  };

  beforeAll(async () => {
    home = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
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
    await tryKubectl(home, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(home, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(home);
    credentials = await letIn(host);
    await apply(home, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const kubeconfig = await kubeconfigWith(host, credentials);
    await apply(home, secretOf('host', { kubeconfig }));
    await apply(
      home,
      secretOf('third', { kubeconfig: await kubeconfigWith(third, await letIn(third)) }),
    );
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(home, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(home, ['delete', 'namespace', namespace, '--wait=false']);
    for (const { name: other } of [host, third]) await down(other, progress);
  }, 240_000);

  it('the sample, with a token and a node port, has a member in a third cluster and leaves nothing', async () => {
    const text = await readFile(join(checkout, 'samples/karmada-remote-host.yaml'), 'utf8');
    const [first, second] = loadAll(text.replace('https://host.example.com:6443', server)) as [
      { metadata: { name: string } },
      { metadata: { name: string } },
    ];
    const own = first.metadata.name;
    const { name: called } = second.metadata;
    await tryKubectl(host, ['delete', 'namespace', own, '--timeout=120s']);
    await apply(home, first, secretOf('host-cluster', credentials, own));
    await apply(home, second);
    await untilReady(home, called, own);
    const plane = await openControlPlane(host, called, own);
    await plane.karmadactl(['join', 'third', ...(await accessTo(third))]);
    await untilMember(plane, 'third', 'Push');
    const list = { apiVersion: 'v1', kind: 'List', items: dividedDeployment(2) };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const shown = 'jsonpath={.status.readyReplicas}';
    const divided = ['get', 'deployment', 'divided', '-n', 'default', '-o', shown];
    await poll('two replicas run in the member', async (seen) => {
      const result = await tryKubectl(third, divided);
      seen(result.stdout + result.stderr);
      return result.stdout === '2' ? true : undefined;
    });
    await plane.karmadactl(['unjoin', 'third', ...(await accessTo(third))]);
    await kubectl(home, ['delete', 'karmada', called, '-n', own, '--timeout=120s']);
    // The claim of etcd is kept, with the copy of the authorities that goes with it.
    for (const [cluster, left] of [
      [host, 'secret/karmada-demo-ca-backup'],
      [home, 'secret/host-cluster'],
    ] as const) {
      const found = await kubectl(cluster, ['get', MADE, '-n', own, '-o', 'name']);
      expect(found.trim()).toBe(left);
    }
    await kubectl(home, ['delete', 'namespace', own, '--wait=false']);
  }, 420_000);

  it('comes to Ready with a kubeconfig and a ClusterIP, and nothing of it runs at home', async () => {
    const karmadaWebhook = { podDisruptionBudgetConfig: { maxUnavailable: 1 } };
    const components = { ...small, karmadaSearch: {}, karmadaWebhook };
    const imagePullSecrets = [{ name: 'registry' }];
    const config = JSON.stringify({ auths: { 'registry.example.com': { auth: 'YTpi' } } });
    await apply(home, {
      ...secretOf('registry', { '.dockerconfigjson': config }),
      type: 'kubernetes.io/dockerconfigjson',
    });
    await apply(
      home,
      karmadaOf(name, 'host', { version: 'v1.16.0', components, imagePullSecrets }),
    );
    await untilReady(home, name, namespace);
    const reached = await until('HostReachable', { status: 'True' });
    expect(reached.message).toBe(server);
    expect(await names(home)).toEqual([`secret/${name}-admin-config`]);
    expect(await names(host)).toEqual(
      expect.arrayContaining([`deployment.apps/${name}-scheduler`, `service/${name}-apiserver`]),
    );
    const plane = await openControlPlane(host, name, namespace);
    expect(await plane.kubectl(['get', 'crd', '-o', 'name'])).toContain('policy.karmada.io');
  }, 300_000);

  it('the kubeconfig at home is kept equal to that on the host', async () => {
    const wanted = await kubeconfigIn(host);
    expect(wanted).not.toBe('');
    expect(await kubeconfigIn(home)).toBe(wanted);
    await kubectl(home, ['delete', 'secret', `${name}-admin-config`, ...inNamespace]);
    await poll('the copy is back', async (seen) => {
      const found = await kubeconfigIn(home);
      seen(found.slice(0, 10));
      return found === wanted ? true : undefined;
    });
  }, 120_000);

  it('the Secret that pulls images is copied to the host', async () => {
    const inside = ['get', 'secret', 'registry', ...inNamespace, '-o', 'jsonpath={.data}'];
    expect(await kubectl(host, inside)).toBe(await kubectl(home, inside));
    await kubectl(host, ['delete', 'secret', 'registry', ...inNamespace]);
    await untilThere(host, 'secret/registry');
  }, 120_000);

  it('what is deleted on the host or inside the control plane comes back', async () => {
    await kubectl(host, ['delete', 'deployment', `${name}-webhook`, ...inNamespace]);
    await untilThere(host, `deployment/${name}-webhook`);
    const plane = await openControlPlane(host, name, namespace);
    const mutating = ['mutatingwebhookconfiguration', 'mutating-config'];
    await plane.kubectl(['delete', ...mutating]);
    await poll('the configuration is back', async (seen) => {
      const { code, stderr } = await plane.tryKubectl(['get', ...mutating]);
      seen(stderr);
      return code === 0 ? true : undefined;
    });
    await untilReady(home, name, namespace);
  }, 120_000);

  it('another version is rolled out as planned', async () => {
    await patchAsPlanned(home, { name, namespace, host }, { version: 'v1.17.1' }, () =>
      untilReady(home, name, namespace, 300_000),
    );
    const { status } = await getObject<Karmada>(home, 'karmada', name, namespace);
    expect(status?.versions).toMatchObject({ karmada: 'v1.17.1', kubernetes: 'v1.35.4' });
  }, 420_000);

  it('an add-on that is switched off leaves nothing', async () => {
    const search = `${name}-search`;
    expect(await names(host)).toContain(`deployment.apps/${search}`);
    await patchAsPlanned(
      home,
      { name, namespace, host },
      { components: { karmadaSearch: { enabled: false } } },
    );
    await poll(
      'nothing of it is left',
      async (seen) => {
        const left = (await names(host)).filter((line) => line.includes(search));
        seen(left.join());
        return left.length === 0 ? true : undefined;
      },
      { deadlineMs: 180_000 },
    );
  }, 360_000);

  it('at rest nothing is written to the host', async () => {
    await untilReady(home, name, namespace);
    const since = Date.now();
    await quiet(20_000);
    expect(await writesTo(host, since)).toEqual([]);
  }, 120_000);

  it('a host that is away is named, and all goes on when it is back', async () => {
    const away = interrupt(host, 'kube-apiserver', 40_000);
    const found = await until('HostReachable', { status: 'False', reason: 'HostUnreachable' });
    expect(found.message).toContain(server);
    await until('Ready', { status: 'Unknown' });
    await away;
    await untilReady(home, name, namespace);
    await until('HostReachable', { status: 'True' });
  }, 240_000);

  it('a Secret that leads to another cluster than before is not followed', async () => {
    const leadTo = async (cluster: Cluster, own: HostCredentials): Promise<void> => {
      await apply(home, secretOf('host', { kubeconfig: await kubeconfigWith(cluster, own) }));
    };
    await leadTo(third, await letIn(third));
    const found = await until('HostReachable', { status: 'False', reason: 'HostChanged' });
    expect(found.message).toContain('than the one with the control plane and its data');
    expect(await names(third)).toEqual([]);
    await leadTo(host, credentials);
    await until('HostReachable', { status: 'True' });
    await untilReady(home, name, namespace);
  }, 180_000);

  it('a deletion leaves nothing, there and at home', async () => {
    await remove();
    expect([await names(host), await names(home)]).toEqual([[], []]);
    const registry = ['get', 'secret', 'registry', ...inNamespace, '--ignore-not-found'];
    expect(await kubectl(host, registry)).toBe('');
    expect(await kubectl(home, registry)).not.toBe('');
  }, 240_000);

  it('the names of another DNS domain are used throughout', async () => {
    const networking = { dnsDomain: DOMAIN };
    const hostCluster = { secretRef: { name: 'third', namespace }, networking };
    const local = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } };
    const components = { ...small, etcd: { local } };
    await apply(home, karmadaOf('elsewhere', 'third', { hostCluster, components }));
    await untilReady(home, 'elsewhere', namespace);
    const plane = await openControlPlane(third, 'elsewhere', namespace);
    const aggregated = instanceName('elsewhere', 'aggregated-apiserver');
    const way = ['get', 'service', aggregated, '-n', 'karmada-system', '-o'];
    expect(await plane.kubectl([...way, 'jsonpath={.spec.externalName}'])).toContain(
      `.svc.${DOMAIN}`,
    );
    expect(await plane.kubectl(['get', 'clusters'])).toBe('');
    await remove('elsewhere');
    expect(await names(third, 'elsewhere')).toEqual([]);
    const claims = ['get', 'persistentvolumeclaims', ...inNamespace, '-o', 'name'];
    expect(await kubectl(third, claims)).toBe('');
  }, 300_000);

  const MOMENTS = ['an install', 'an upgrade', 'a deletion'] as const;

  const titleOf = (moment: string): string =>
    `a host that is away for two minutes in the middle of ${moment} holds up nobody else, and it ends right`;

  it.each(drawn('e2e/remote-host', MOMENTS, 1, titleOf).map((one) => [titleOf(one), one] as const))(
    '%s',
    async (_, moment) => {
      const [away, beside] = ['away', 'beside'];
      const older = moment === 'an upgrade' ? { version: 'v1.16.0' } : {};
      await apply(home, karmadaOf(away, 'host', older));
      if (moment === 'an install')
        await untilThere(host, `statefulset/${instanceName(away, 'etcd')}`);
      else await untilReady(home, away, namespace);
      if (moment === 'an upgrade') {
        const patch = JSON.stringify({ spec: { version: 'v1.17.1' } });
        await kubectl(home, [
          'patch',
          'karmada',
          away,
          ...inNamespace,
          '--type=merge',
          '-p',
          patch,
        ]);
        await until('Progressing', { status: 'True' }, away);
      }
      if (moment === 'a deletion')
        await kubectl(home, ['delete', 'karmada', away, ...inNamespace, '--wait=false']);
      const back = interrupt(host, 'kube-apiserver', 120_000);
      await until('HostReachable', { status: 'False' }, away);
      await apply(home, { ...karmadaOf(beside, ''), spec: { components: small } });
      await untilReady(home, beside, namespace);
      await until('HostReachable', { status: 'False' }, away);
      await remove(beside);
      await back;
      if (moment !== 'a deletion') {
        const { status } = await untilReady(home, away, namespace);
        expect(status?.versions?.karmada).toBe('v1.17.1');
        await kubectl(home, ['delete', 'karmada', away, ...inNamespace, '--wait=false']);
      }
      const deleted = ['wait', '--for=delete', `karmada/${away}`, ...inNamespace];
      await kubectl(home, [...deleted, '--timeout=180s']);
      expect([await names(host, away), await names(home, away)]).toEqual([[], []]);
    },
    600_000,
  );

  it('without its Secret it is let go only when its owner says so, and what stays is named', async () => {
    const left = 'left';
    await apply(home, karmadaOf(left, 'host'));
    await untilThere(host, `statefulset/${instanceName(left, 'etcd')}`);
    await kubectl(home, ['delete', 'secret', 'host', ...inNamespace]);
    await until('HostReachable', { status: 'False', reason: 'HostSecretMissing' }, left);
    await until('Ready', { reason: 'HostSecretMissing' }, left);
    await kubectl(home, ['delete', 'karmada', left, ...inNamespace, '--wait=false']);
    const waits = await until('Ready', { reason: 'Deleting' }, left);
    const [command = ''] = /kubectl .*abandon-host=[0-9a-f-]{36}/.exec(waits.message) ?? [];
    const anything = 'operator.karmada.io/abandon-host=true';
    await kubectl(home, ['annotate', 'karmada', left, ...inNamespace, anything]);
    await poll('it still waits, and says that the value is another one', async (seen) => {
      const shown = ['get', 'karmada', left, ...inNamespace, '-o', 'jsonpath={.status.conditions}'];
      const found = await kubectl(home, shown);
      seen(found.slice(0, 600));
      return found.includes('the annotation has another value now') ? true : undefined;
    });
    await kubectl(home, command.split(' ').slice(1));
    await kubectl(home, ['wait', '--for=delete', `karmada/${left}`, ...inNamespace]);
    expect(await names(home, left)).toEqual([]);
    const events = ['get', 'events', ...inNamespace, '-o', 'jsonpath={.items[*].message}'];
    await poll('the Event is there', async (seen) => {
      const found = await kubectl(home, events);
      seen(found.slice(-300));
      return found.includes(`app.kubernetes.io/instance=${left}`) ? true : undefined;
    });
    expect(await names(host, left)).toContain(`statefulset.apps/${instanceName(left, 'etcd')}`);
    await kubectl(host, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  it('a kubeconfig that would run something is refused, and nothing is run or sent', async () => {
    const requests: string[] = [];
    const { gateway } = addressesOf(slotOf(home.name) ?? NaN);
    const listener: Server = createServer((request) => requests.push(request.url ?? ''));
    await new Promise<void>((resolve) => listener.listen(0, gateway, resolve));
    const { port } = listener.address() as { port: number };
    const kubeconfig = dump({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: `https://${gateway}:${port}` } }],
      users: [{ name: 'a', user: { exec: { command: 'touch', args: ['/tmp/ran'] } } }],
    });
    await apply(home, secretOf('hostile', { kubeconfig }));
    await apply(home, karmadaOf('hostile', 'hostile'));
    const found = await until('Ready', { reason: 'HostSecretInvalid' }, 'hostile');
    expect(found.message).toContain('user.exec');
    expect(requests).toEqual([]);
    listener.close();
    const ran = ['exec', '-n', operatorNamespace, 'deployment/karmada-operator', '--'];
    const look = ['/usr/local/bin/node', '-p', "require('fs').existsSync('/tmp/ran')"];
    expect(await kubectl(home, [...ran, ...look])).toBe('false\n');
    // Nothing was made anywhere, so that nothing holds it.
    await remove('hostile');
  }, 120_000);

  it('the role for hosts grants what all of this used, and nothing else', async () => {
    const [granted, used] = [await grantedRights(), await usedRights([host, third])];
    expect([...used].filter((right) => !granted.has(right))).toEqual([]);
    const unused = [...granted].filter((right) => !used.has(right) && !UNSEEN.has(right));
    expect(unused).toEqual([]);
  });
});
