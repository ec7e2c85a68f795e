import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { makeKey } from '../../src/pki/keys.ts';
import type { KeyPair } from '../../src/pki/types.ts';
import { selfSigned } from '../../src/pki/x509.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { servedCertificate } from '../harness/run-on-node.ts';
import { installOperator } from '../harness/operator.ts';
import { patchAsPlanned } from '../harness/plan.ts';

const name = 'karmada';
const DAY = 86_400_000;

/** Creates a CA with OpenSSL. */
async function createCA(kind: readonly string[]): Promise<KeyPair> {
  const folder = await mkdtemp(join(tmpdir(), 'ca-'));
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const subject = ['-subj', '/O=Example Ltd/CN=Example Issuing CA', '-days', '900'];
  const files = ['-keyout', key, '-out', certificate, '-nodes'];
  await run(['openssl', 'req', '-x509', ...kind, ...subject, ...files]);
  return { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
}

/** Creates a CA that was valid for ten years and expired at the end of 2024. */
async function createExpiredCA(): Promise<KeyPair> {
  const key = await makeKey('ec-p256');
  return selfSigned('Example Issuing CA', key, {
    now: new Date('2015-01-01T00:00:00Z'),
    random: randomBytes,
  });
}

const RSA = ['-newkey', 'rsa:2048'];
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'];

function secretOf(namespace: string, { certificate, key }: KeyPair): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'example-ca', namespace },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  };
}

const karmadaOf = (namespace: string): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: { etcd: { local: { volumeData: { emptyDir: {} } } } },
    customCertificate: {
      apiServerCACert: { name: 'example-ca', namespace },
      leafCertValidityDays: 90,
    },
  },
});

describeCluster('custom CA', () => {
  let cluster: Cluster;
  const namespaces = ['custom-ca-rsa', 'custom-ca-ec'] as const;

  const remove = (namespace: string): Promise<unknown> =>
    tryKubectl(cluster, ['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=180s']);

  /** Returns the serving certificate of the API server. */
  async function served(namespace: string): Promise<X509Certificate> {
    const service = await getObject<KubernetesObject>(
      cluster,
      'service',
      'karmada-apiserver',
      namespace,
    );
    const { clusterIP: host = '' } = service['spec'] as { clusterIP?: string };
    return servedCertificate(cluster, { host, port: 5443 });
  }

  const daysOf = ({ validFromDate, validToDate }: X509Certificate): number =>
    Math.round((validToDate.getTime() - validFromDate.getTime()) / DAY);

  beforeAll(async () => {
    cluster = await useCluster(['busybox', 'etcd', 'kubernetes', 'karmada']);
    await Promise.all(namespaces.map(remove));
    await installOperator(cluster);
    for (const namespace of namespaces)
      await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }, 1_800_000);

  afterAll(async () => {
    for (const namespace of namespaces)
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 120_000);

  it('reports an expired CA with its Secret and issues no certificate', async () => {
    const [, namespace] = namespaces;
    await apply(cluster, secretOf(namespace, await createExpiredCA()), karmadaOf(namespace));
    await poll(
      'the condition reports the expired CA',
      async (seen) => {
        const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
        const found = status?.conditions?.find(({ type }) => type === 'CertificatesValid');
        seen(JSON.stringify(status?.conditions));
        const expected =
          /Secret custom-ca-ec\/example-ca: the CA certificate .* expired at 2024-12-/;
        return found?.status === 'False' && expected.test(found.message) ? true : undefined;
      },
      { deadlineMs: 15_000 },
    );
    const made = await kubectl(cluster, ['get', 'secrets,pods', '-n', namespace, '-o', 'name']);
    expect(made.trim()).toBe('secret/example-ca');
  }, 120_000);

  it.each([
    [namespaces[0], RSA],
    [namespaces[1], EC],
  ] as const)(
    'signs the serving certificates of a working control plane in %s',
    async (namespace, kind) => {
      const own = await createCA(kind);
      await apply(cluster, secretOf(namespace, own), karmadaOf(namespace));
      await untilReady(cluster, name, namespace);
      const certificate = await served(namespace);
      expect(certificate.verify(new X509Certificate(own.certificate).publicKey)).toBe(true);
      expect(daysOf(certificate)).toBe(90);
      const controlPlane = await openControlPlane(cluster, name, namespace);
      expect(await controlPlane.kubectl(['get', 'apiservices', '-o', 'name'])).toContain('karmada');
      const secret = await getObject<{ data: Record<string, string> }>(
        cluster,
        'secret',
        'karmada-cert',
        namespace,
      );
      const bundle = Buffer.from(secret.data['ca.crt'] ?? '', 'base64').toString();
      expect(bundle.trim()).toBe(own.certificate.trim());
    },
    300_000,
  );

  it('applies a changed leafCertValidityDays without a restart of the API server', async () => {
    const [namespace] = namespaces;
    const podsOf = (): Promise<string> =>
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
    const before = await podsOf();
    const change = { customCertificate: { leafCertValidityDays: 30 } };
    await patchAsPlanned(cluster, { name, namespace }, change, async () => {
      await poll(
        'the API server serves a certificate that is valid for 30 days',
        async (seen) => {
          const days = daysOf(await served(namespace));
          seen(`${days} days`);
          return days === 30 ? true : undefined;
        },
        { deadlineMs: 240_000, intervalMs: 1_000 },
      );
      await untilReady(cluster, name, namespace);
    });
    expect(await podsOf()).toBe(before);
  }, 300_000);
});
