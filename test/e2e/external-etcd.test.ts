/**
 * @size large
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import type { KeyPair } from '../../src/pki/types.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { etcdTags } from '../../tools/embedded-cluster/releases.ts';
import { apply, getObject, quiet, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import {
  createCA,
  endpointOf,
  etcdObjects,
  filesOf,
  leaf,
  secretOf,
  serviceOf,
} from '../harness/external-etcd.ts';
import { countKeys } from '../harness/run-on-node.ts';
import { installOperator } from '../harness/operator.ts';

const name = 'karmada';
/** Namespace of the etcd and of the Secret with its client credentials. */
const storage = 'external-etcd-storage';
const service = serviceOf(storage);
const endpoint = endpointOf(storage);
const [elsewhere, second, refused] = [
  'external-etcd-elsewhere',
  'external-etcd-second',
  'external-etcd-refused',
] as const;
const source = {
  name: 'access',
  namespace: storage,
  annotations: { 'operator.karmada.io/allowed-namespaces': '*' },
};
const named = { name: source.name, namespace: storage };

interface SecretObject extends KubernetesObject {
  readonly data: Readonly<Record<string, string>>;
}

function karmadaOf(
  namespace: string,
  external: { endpoints?: readonly string[]; secretRef: object },
  prefix?: string,
): object {
  const extraArgs = prefix === undefined ? {} : { extraArgs: { 'etcd-prefix': prefix } };
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name, namespace },
    spec: {
      components: {
        etcd: { external: { endpoints: [endpoint], ...external } },
        karmadaAPIServer: extraArgs,
        karmadaAggregatedAPIServer: extraArgs,
        karmadaMetricsAdapter: { enabled: false },
      },
    },
  };
}

describeCluster('external etcd', () => {
  let cluster: Cluster;
  let ca: KeyPair;
  let client: KeyPair;

  const remove = (namespace: string): Promise<unknown> =>
    tryKubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=180s']);

  const deleteKarmada = (namespace: string): Promise<string> =>
    kubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--timeout=120s']);

  async function untilCondition(
    namespace: string,
    type: string,
    expected: (condition: Condition) => boolean,
    deadlineMs = 30_000,
  ): Promise<Condition> {
    return poll(
      `condition ${type} of ${namespace}`,
      async (seen) => {
        const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
        seen(JSON.stringify(status?.conditions));
        const found = status?.conditions?.find((condition) => condition.type === type);
        return found !== undefined && expected(found) ? found : undefined;
      },
      { deadlineMs, intervalMs: 300 },
    );
  }

  /** Returns all objects in a Namespace that the operator could have created. */
  const made = async (namespace: string): Promise<string> =>
    (
      await kubectl(cluster, [
        'get',
        'secrets,services,deployments,statefulsets,poddisruptionbudgets,pods',
        '-n',
        namespace,
        '-o',
        'name',
      ])
    ).trim();

  const secretIn = (namespace: string, called: string): Promise<SecretObject> =>
    getObject<SecretObject>(cluster, 'secret', called, namespace);

  async function keysBelow(prefix: string): Promise<number> {
    const clusterIP = ['get', 'service', 'etcd', '-n', storage, '-o', 'jsonpath={.spec.clusterIP}'];
    const { certificate: cert, key } = client;
    const host = await kubectl(cluster, clusterIP);
    const access = { host, ca: ca.certificate, cert, key, serverName: service };
    return countKeys(cluster, access, prefix);
  }

  const apiServerPods = async (namespace: string): Promise<string> =>
    kubectl(cluster, [
      'get',
      'pods',
      '-n',
      namespace,
      '-o',
      'name',
      '-l',
      'app.kubernetes.io/name=karmada-apiserver',
    ]);

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    for (const namespace of [elsewhere, second, refused]) {
      await tryKubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--timeout=120s']);
      await remove(namespace);
    }
    await remove(storage);
    await installOperator(cluster);
    for (const namespace of [storage, elsewhere, second, refused])
      await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    ca = await createCA();
    client = await leaf(ca, storage, { kind: 'rsa-2048' });
    const server = await leaf(ca, storage, { usage: 'serverAuth' });
    await apply(cluster, ...etcdObjects(storage, server, ca.certificate));
    await apply(cluster, secretOf(source, filesOf(ca.certificate, client)));
    await kubectl(cluster, [
      'rollout',
      'status',
      'statefulset/etcd',
      '-n',
      storage,
      '--timeout=120s',
    ]);
  }, 1_800_000);

  afterAll(async () => {
    for (const namespace of [elsewhere, second, refused])
      await tryKubectl(cluster, ['delete', 'karmada', name, '-n', namespace, '--timeout=120s']);
    for (const namespace of [elsewhere, second, refused, storage])
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 300_000);

  interface Rejected {
    readonly files: () => Promise<Record<string, string>>;
    readonly endpoints?: readonly string[];
    readonly reason: string;
    readonly message: RegExp;
  }

  it.each<[string, Rejected]>([
    [
      'an unreachable endpoint',
      {
        files: async () => filesOf(ca.certificate, client),
        endpoints: [`https://${service}:1`],
        reason: 'EtcdUnreachable',
        message:
          /https:\/\/etcd\.external-etcd-storage\.svc\.cluster\.local:1: .*; start the etcd member/,
      },
    ],
    [
      'a host name that cannot be resolved',
      {
        files: async () => filesOf(ca.certificate, client),
        endpoints: ['https://unknown.example.invalid:2379'],
        reason: 'EtcdNameNotResolved',
        message: /https:\/\/unknown\.example\.invalid:2379: the host name cannot be resolved/,
      },
    ],
    [
      'a rejected client certificate',
      {
        files: async () => filesOf(ca.certificate, await leaf(await createCA(), storage)),
        reason: 'EtcdClientCertificateRefused',
        message: /rejects the client certificate; store a client certificate in tls\.crt/,
      },
    ],
    [
      'a server certificate of another CA',
      {
        files: async () => filesOf((await createCA()).certificate, client),
        reason: 'EtcdCertificateUntrusted',
        message: /the server certificate is not signed by a CA in ca\.crt/,
      },
    ],
    [
      'an expired client certificate',
      {
        files: async () =>
          filesOf(
            ca.certificate,
            await leaf(ca, storage, { now: new Date(Date.now() - 31 * 86_400_000) }),
          ),
        reason: 'EtcdClientCertificateExpired',
        message: /^Secret external-etcd-refused\/any-name: the certificate in tls\.crt expired at/,
      },
    ],
  ])(
    'reports %s within 15 s and creates nothing',
    async (_, { files, endpoints, reason, message }) => {
      const secret = { name: 'any-name', namespace: refused };
      await apply(cluster, secretOf(secret, await files()));
      const before = await made(refused);
      const began = Date.now();
      const external = { ...(endpoints && { endpoints }), secretRef: { name: secret.name } };
      await apply(cluster, karmadaOf(refused, external));
      const ready = await untilCondition(
        refused,
        'Ready',
        (condition) => condition.reason === 'Failed',
      );
      expect(Date.now() - began).toBeLessThan(15_000);
      expect(ready.message).toMatch(message);
      const found = await untilCondition(refused, 'EtcdReady', ({ status }) => status === 'False');
      expect(found).toMatchObject({ reason, message: ready.message });
      expect(await made(refused)).toBe(before);
      await deleteKarmada(refused);
      expect(await made(refused)).toBe(before);
    },
    120_000,
  );

  it('installs the control plane as soon as the Secret is corrected', async () => {
    const wrong = filesOf(ca.certificate, await leaf(await createCA(), storage));
    await apply(cluster, secretOf(source, wrong));
    await apply(cluster, karmadaOf(elsewhere, { secretRef: named }));
    await untilCondition(elsewhere, 'EtcdReady', ({ reason }) => reason.endsWith('Refused'));
    expect(await made(elsewhere)).toBe('');
    await apply(cluster, secretOf(source, filesOf(ca.certificate, client)));
    const { status } = await untilReady(cluster, name, elsewhere);
    expect(status).toMatchObject({
      etcd: 'external',
      versions: { etcd: etcdTags.current.split('-')[0] },
    });
    const healthy = await untilCondition(elsewhere, 'EtcdHealthy', () => true);
    expect(healthy).toMatchObject({ status: 'True', reason: 'Quorum' });
    expect(await keysBelow('/registry/')).toBeGreaterThan(0);
    const copy = await secretIn(elsewhere, `${name}-etcd-client`);
    expect(copy.data).toEqual((await secretIn(storage, source.name)).data);
  }, 300_000);

  it('writes nothing in the steady state despite repeated health checks', async () => {
    const versions = async (): Promise<string> =>
      kubectl(cluster, [
        'get',
        'karmadas,secrets,deployments',
        '-n',
        elsewhere,
        '-o',
        'jsonpath={.items[*].metadata.resourceVersion}',
      ]);
    // The operator reads the UID with a health check.
    await poll('the UID of the data is recorded', async () => {
      const { status } = await getObject<Karmada>(cluster, 'karmada', name, elsewhere);
      return status?.etcdDataUID;
    });
    await quiet(10_000);
    const before = await versions();
    await quiet(70_000);
    expect(await versions()).toBe(before);
  }, 180_000);

  it('rejects a second control plane with the same key prefix and installs it with another prefix', async () => {
    const secret = { name: `${name}-etcd-cert`, namespace: second };
    await apply(cluster, secretOf(secret, filesOf(ca.certificate, await leaf(ca, storage))));
    const mounted = await secretIn(second, secret.name);
    const external = { secretRef: { name: secret.name } };
    await apply(cluster, karmadaOf(second, external));
    const found = await untilCondition(second, 'EtcdReady', ({ status }) => status === 'False');
    expect(found).toMatchObject({
      reason: 'EtcdShared',
      message: expect.stringContaining(`Karmada ${elsewhere}/${name}`),
    });
    expect(await made(second)).toBe(`secret/${secret.name}`);
    await apply(cluster, karmadaOf(second, external, '/second'));
    await untilReady(cluster, name, second);
    expect(await keysBelow('/second/')).toBeGreaterThan(0);
    const { metadata } = await secretIn(second, secret.name);
    expect(metadata.resourceVersion).toBe(mounted.metadata.resourceVersion);
    expect(await made(second)).not.toContain(`${name}-etcd-client`);
  }, 300_000);

  it('keeps etcd data and user Secrets when one of two Karmadas is deleted', async () => {
    const [theirs, mounted] = [
      await secretIn(storage, source.name),
      await secretIn(second, `${name}-etcd-cert`),
    ];
    await deleteKarmada(second);
    expect(await made(second)).toBe(`secret/${name}-etcd-cert`);
    expect(await secretIn(second, `${name}-etcd-cert`)).toEqual(mounted);
    expect(await secretIn(storage, source.name)).toEqual(theirs);
    expect(await keysBelow('/second/')).toBeGreaterThan(0);
  }, 180_000);

  it('starts on the data of a deleted control plane only after a confirmation that names it', async () => {
    const external = { secretRef: { name: `${name}-etcd-cert` } };
    await apply(cluster, karmadaOf(second, external, '/second'));
    const { message } = await untilCondition(
      second,
      'EtcdReady',
      ({ reason }) => reason === 'EtcdDataForeign',
    );
    expect(await made(second)).toBe(`secret/${name}-etcd-cert`);
    const [, pair = ''] = /(operator\.karmada\.io\/etcd-take-over=[0-9a-f-]+)$/.exec(message) ?? [];
    await kubectl(cluster, ['annotate', '-n', second, 'karmada', name, pair]);
    const { status } = await untilReady(cluster, name, second);
    expect(pair).toContain(status?.etcdDataUID);
    await deleteKarmada(second);
  }, 300_000);

  it('keeps all objects of the control plane while the etcd is unavailable', async () => {
    const before = await made(elsewhere);
    const scale = (count: number): Promise<string> =>
      kubectl(cluster, ['scale', 'statefulset/etcd', '-n', storage, `--replicas=${String(count)}`]);
    await scale(0);
    await untilCondition(elsewhere, 'EtcdHealthy', ({ status }) => status === 'False', 120_000);
    expect(await made(elsewhere)).toBe(before);
    await scale(1);
    await untilCondition(elsewhere, 'EtcdHealthy', ({ status }) => status === 'True', 120_000);
    await untilReady(cluster, name, elsewhere);
    expect(await made(elsewhere)).toBe(before);
  }, 400_000);

  it('applies a changed Secret and restarts the API server only for a new CA', async () => {
    const pods = await apiServerPods(elsewhere);
    const until = (what: string, expected: Record<string, string>): Promise<true> =>
      poll(
        what,
        async (seen) => {
          const { data } = await secretIn(elsewhere, `${name}-etcd-client`);
          seen(Object.keys(data).join());
          const same = Object.entries(expected).every(
            ([key, text]) => Buffer.from(data[key] ?? '', 'base64').toString() === text,
          );
          return same ? true : undefined;
        },
        { deadlineMs: 120_000, intervalMs: 500 },
      );
    const renewed = filesOf(ca.certificate, await leaf(ca, storage));
    await apply(cluster, secretOf(source, renewed));
    await until('the copy contains the new client certificate', renewed);
    await untilReady(cluster, name, elsewhere);
    expect(await apiServerPods(elsewhere)).toBe(pods);
    const more = { ...renewed, 'ca.crt': ca.certificate + (await createCA()).certificate };
    await apply(cluster, secretOf(source, more));
    await until('the copy contains both CAs', more);
    await poll(
      'the API server runs in a new Pod',
      async (seen) => {
        const now = await apiServerPods(elsewhere);
        seen(now);
        return now !== '' && !now.includes(pods.trim()) ? true : undefined;
      },
      { deadlineMs: 180_000, intervalMs: 500 },
    );
    await untilReady(cluster, name, elsewhere);
  }, 600_000);

  it('reports and keeps a foreign Secret with the name of the copy', async () => {
    const place = { name: `${name}-etcd-client`, namespace: refused };
    await apply(cluster, secretOf(place, { mine: 'yes' }));
    const before = await secretIn(refused, place.name);
    const present = await made(refused);
    await apply(cluster, karmadaOf(refused, { secretRef: named }, '/refused'));
    const found = await untilCondition(refused, 'Ready', ({ reason }) => reason === 'Conflict');
    expect(found.message).toContain(
      `Secret ${refused}/${place.name}: exists, but the operator neither created nor adopted it`,
    );
    expect(await made(refused)).toBe(present);
    await deleteKarmada(refused);
    expect(await secretIn(refused, place.name)).toEqual(before);
  }, 180_000);

  it('keeps etcd data and the source Secret when the last Karmada is deleted', async () => {
    const controlPlane = await openControlPlane(cluster, name, elsewhere);
    expect(await controlPlane.kubectl(['get', 'apiservices', '-o', 'name'])).toContain('karmada');
    const theirs = await secretIn(storage, source.name);
    const keys = await keysBelow('/registry/');
    await deleteKarmada(elsewhere);
    expect(await made(elsewhere)).toBe('');
    expect(await secretIn(storage, source.name)).toEqual(theirs);
    // Leases of the stopped components may expire.
    expect(await keysBelow('/registry/')).toBeGreaterThan(keys / 2);
  }, 180_000);
});
