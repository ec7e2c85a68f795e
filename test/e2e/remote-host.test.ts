import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dump, load, loadAll } from 'js-yaml';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { down } from '../cluster/down.ts';
import { interrupt } from '../cluster/interrupt.ts';
import { checkout } from '../cluster/paths.ts';
import { poll } from '../cluster/poll.ts';
import { createProgress } from '../cluster/progress.ts';
import { addressesOf, slotOf } from '../cluster/slot.ts';
import { up } from '../cluster/up.ts';
import { operatorNamespace } from '../demo/install.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { sharedCluster } from '../harness/shared.ts';

const progress = createProgress(process.stderr);
const namespace = 'remote-test';
const name = 'karmada';
const inNamespace = ['-n', namespace];
/** Key of the CA in a Secret of a ServiceAccount, as JSONPath has it. */
const CA = String.raw`ca\.crt`;
const MADE = 'deployments,statefulsets,services,secrets,poddisruptionbudgets,pods';

const data = (values: Readonly<Record<string, string>>): object => ({
  data: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  ),
});

const secretOf = (called: string, values: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: called, namespace },
  ...data(values),
});

function karmadaOf(called: string, hostCluster: object): object {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: called, namespace },
    spec: {
      hostCluster,
      components: {
        etcd: { local: { volumeData: { emptyDir: {} } } },
        karmadaMetricsAdapter: { enabled: false },
      },
    },
  };
}

describeCluster('a control plane in another cluster than the operator', () => {
  let home: Cluster;
  let host: Cluster;
  let server: string;

  const condition = async (type: string, of = name): Promise<Condition | undefined> => {
    const { status } = await getObject<Karmada>(home, 'karmada', of, namespace);
    return status?.conditions?.find((found) => found.type === type);
  };

  const until = (type: string, wanted: Partial<Condition>, of = name): Promise<Condition> =>
    poll(
      `${type} of ${of} is ${JSON.stringify(wanted)}`,
      async (seen) => {
        const found = await condition(type, of);
        seen(JSON.stringify(found));
        const same = Object.entries(wanted).every(
          ([key, value]) => found?.[key as keyof Condition] === value,
        );
        return same ? found : undefined;
      },
      { deadlineMs: 90_000 },
    );

  /** What a Secret of the remote role has in the host. */
  const credential = async (key: string): Promise<string> => {
    const secret = ['get', 'secret', 'karmada-operator-remote', '-n', 'karmada-system', '-o'];
    return poll('the token is there', async (seen) => {
      const text = await kubectl(host, [...secret, `jsonpath={.data.${key}}`]);
      seen(text.slice(0, 10));
      return text === '' ? undefined : Buffer.from(text, 'base64').toString('utf8');
    });
  };

  const names = async (cluster: Cluster, kinds = MADE): Promise<string[]> => {
    const text = await kubectl(cluster, ['get', kinds, ...inNamespace, '-o', 'name']);
    return text.split('\n').filter((line) => line.includes(`/${name}-`));
  };

  const kubeconfigIn = (cluster: Cluster): Promise<string> =>
    kubectl(cluster, [
      ...['get', 'secret', `${name}-admin-config`, ...inNamespace],
      ...['--ignore-not-found', '-o', 'jsonpath={.data.kubeconfig}'],
    ]);

  const remove = async (called = name): Promise<void> => {
    await kubectl(home, ['delete', 'karmada', called, ...inNamespace, '--timeout=120s']);
  };

  beforeAll(async () => {
    home = await useCluster(['busybox']);
    host = await up({
      name: `${sharedCluster}-remote`,
      images: ['etcd', 'kubernetes', 'karmada'],
      progress,
    });
    server = `https://${addressesOf(slotOf(host.name) ?? NaN).node}:6443`;
    await tryKubectl(home, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(home, ['delete', 'namespace', namespace, '--timeout=180s']);
    await installOperator(home);
    const rights = await readFile(join(checkout, 'config/remote-host/rights.yaml'), 'utf8');
    await apply(host, ...(loadAll(rights) as object[]));
    const token = await credential('token');
    await apply(home, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const admin = load(await readFile(host.kubeconfig, 'utf8')) as object;
    const kubeconfig = dump({
      ...admin,
      users: [{ name: 'operator', user: { token } }],
      contexts: [
        {
          name: 'remote',
          context: { cluster: `karmada-embedded-${host.name}`, user: 'operator' },
        },
      ],
      'current-context': 'remote',
    });
    await apply(home, secretOf('by-kubeconfig', { kubeconfig }));
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(home, ['delete', 'karmada', '--all', ...inNamespace, '--timeout=60s']);
    await tryKubectl(home, ['delete', 'namespace', namespace, '--wait=false']);
    await down(`${sharedCluster}-remote`, progress);
  }, 240_000);

  it('6.1 10. the sample, with a token and a node port, comes to Ready and leaves nothing', async () => {
    const text = await readFile(join(checkout, 'samples/karmada-remote-host.yaml'), 'utf8');
    const [first, second] = loadAll(text.replace('https://host.example.com:6443', server)) as [
      { metadata: { name: string } },
      { metadata: { name: string } },
    ];
    const own = first.metadata.name;
    await tryKubectl(host, ['delete', 'namespace', own, '--timeout=120s']);
    await apply(home, first);
    const values = { token: await credential('token'), caBundle: await credential(CA) };
    const metadata = { name: 'host-cluster', namespace: own };
    await apply(home, { ...secretOf('', values), metadata });
    await apply(home, second);
    await untilReady(home, second.metadata.name, own);
    await kubectl(home, ['delete', 'karmada', second.metadata.name, '-n', own, '--timeout=120s']);
    // The claim of etcd is kept, with the copy of the authorities that goes with it.
    for (const [cluster, left] of [
      [host, 'secret/karmada-demo-ca-backup'],
      [home, 'secret/host-cluster'],
    ] as const) {
      const found = await kubectl(cluster, ['get', MADE, '-n', own, '-o', 'name']);
      expect(found.trim()).toBe(left);
    }
    await kubectl(home, ['delete', 'namespace', own, '--wait=false']);
  }, 300_000);

  it('6.1 comes to Ready with a kubeconfig and a ClusterIP, and nothing of it runs at home', async () => {
    const secretRef = { name: 'by-kubeconfig', namespace };
    await apply(home, karmadaOf(name, { secretRef }));
    await untilReady(home, name, namespace);
    expect(await condition('HostReachable')).toMatchObject({ status: 'True', message: server });
    const own = await names(home);
    expect(own).toEqual([`secret/${name}-admin-config`]);
    expect(await names(host)).toEqual(
      expect.arrayContaining([`deployment.apps/${name}-scheduler`, `service/${name}-apiserver`]),
    );
    const plane = await openControlPlane(host, name, namespace);
    expect(await plane.kubectl(['get', 'crd', '-o', 'name'])).toContain('policy.karmada.io');
  }, 300_000);

  it('7.5 the kubeconfig at home is kept equal to that on the host', async () => {
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

  it('7.2 what is deleted on the host comes back', async () => {
    const webhook = ['deployment', `${name}-webhook`, ...inNamespace];
    await kubectl(host, ['delete', ...webhook]);
    await poll('the webhook is back', async (seen) => {
      const { code, stderr } = await tryKubectl(host, ['get', ...webhook]);
      seen(stderr);
      return code === 0 ? true : undefined;
    });
    await untilReady(home, name, namespace);
  }, 120_000);

  it('7.4 a host that is away is named, and all goes on when it is back', async () => {
    const away = interrupt(host, 'kube-apiserver', 40_000);
    const found = await until('HostReachable', { status: 'False', reason: 'HostUnreachable' });
    expect(found.message).toContain(server);
    expect(await condition('Ready')).toMatchObject({ status: 'Unknown' });
    await away;
    await untilReady(home, name, namespace);
    expect(await condition('HostReachable')).toMatchObject({ status: 'True' });
  }, 240_000);

  it('7.4 without its Secret it is let go only when its owner says so, and what stays is named', async () => {
    await kubectl(home, ['delete', 'secret', 'by-kubeconfig', ...inNamespace]);
    await until('HostReachable', { status: 'False', reason: 'HostSecretMissing' });
    expect(await condition('Ready')).toMatchObject({ status: 'Unknown' });
    await kubectl(home, ['delete', 'karmada', name, ...inNamespace, '--wait=false']);
    const waits = await until('Ready', { reason: 'Deleting' });
    expect(waits.message).toContain('operator.karmada.io/abandon-host=true');
    const abandon = 'operator.karmada.io/abandon-host=true';
    await kubectl(home, ['annotate', 'karmada', name, ...inNamespace, abandon]);
    await kubectl(home, ['wait', '--for=delete', `karmada/${name}`, ...inNamespace]);
    expect(await names(home)).toEqual([]);
    const events = ['get', 'events', ...inNamespace, '-o', 'jsonpath={.items[*].message}'];
    await poll('the Event is there', async (seen) => {
      const found = await kubectl(home, events);
      seen(found.slice(-300));
      return found.includes(`app.kubernetes.io/instance=${name}`) ? true : undefined;
    });
    expect(await names(host)).toContain(`statefulset.apps/${name}-etcd`);
    await kubectl(host, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  it('6.3 a kubeconfig that would run something is refused, and nothing is run or sent', async () => {
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
    await apply(home, karmadaOf('hostile', { secretRef: { name: 'hostile', namespace } }));
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
});
