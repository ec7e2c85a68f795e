/** An etcd in the host cluster that no operator manages, with certificates of a CA of its own. */
import { randomBytes } from 'node:crypto';
import { makeKey, type KeyAlgorithm } from '../../src/pki/keys.ts';
import type { KeyPair } from '../../src/pki/types.ts';
import { selfSigned, signedBy } from '../../src/pki/x509.ts';
import { etcdTags } from '../../tools/embedded-cluster/releases.ts';

/** DNS name of the etcd in a namespace. */
export const serviceOf = (storage: string): string => `etcd.${storage}.svc.cluster.local`;

export const endpointOf = (storage: string): string => `https://${serviceOf(storage)}:2379`;

export const createCA = async (kind: KeyAlgorithm = 'ec-p256'): Promise<KeyPair> =>
  selfSigned('Example CA', await makeKey(kind), { now: new Date(), random: randomBytes });

/** Creates a certificate for the etcd in the namespace `storage`, or for one of its clients. */
export async function leaf(
  signer: KeyPair,
  storage: string,
  more: { usage?: 'serverAuth' | 'clientAuth'; kind?: KeyAlgorithm; now?: Date; ip?: string } = {},
): Promise<KeyPair> {
  const { usage = 'clientAuth', kind = 'ec-p256', now = new Date(), ip } = more;
  const server = usage === 'serverAuth';
  const names = { dns: server ? [serviceOf(storage)] : [], ips: ip === undefined ? [] : [ip] };
  // The JSON gateway of an etcd member connects to this member as a client.
  const usages = server ? (['serverAuth', 'clientAuth'] as const) : (['clientAuth'] as const);
  const certified = {
    subject: { commonName: usage },
    validityDays: 30,
    leaf: { usages, ...names },
  };
  return signedBy(signer, certified, await makeKey(kind), { now, random: randomBytes });
}

/** Data of a Secret with a client certificate, as a Karmada references it. */
export const filesOf = (ca: string, { certificate, key }: KeyPair): Record<string, string> => ({
  'ca.crt': ca,
  'tls.crt': certificate,
  'tls.key': key,
});

export const secretOf = (
  metadata: { name: string; namespace: string; annotations?: Record<string, string> },
  files: Record<string, string>,
): object => {
  const entries = Object.entries(files);
  const data = Object.fromEntries(
    entries.map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
};

/** Objects of the etcd in the namespace `storage`. */
export function etcdObjects(storage: string, server: KeyPair, ca: string): object[] {
  const files = '/etc/etcd';
  const labels = { app: 'etcd' };
  const container = {
    name: 'etcd',
    image: `registry.k8s.io/etcd:${etcdTags.current}`,
    command: [
      'etcd',
      '--data-dir=/data',
      '--listen-client-urls=https://0.0.0.0:2379',
      `--advertise-client-urls=${endpointOf(storage)}`,
      '--client-cert-auth',
      `--trusted-ca-file=${files}/ca.crt`,
      `--cert-file=${files}/tls.crt`,
      `--key-file=${files}/tls.key`,
    ],
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'files', mountPath: files },
    ],
  };
  const volumes = [{ name: 'files', secret: { secretName: 'server' } }];
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const template = { metadata: { labels }, spec: { containers: [container], volumes } };
  const of = { name: 'etcd', namespace: storage };
  const selector = { matchLabels: labels };
  return [
    secretOf({ name: 'server', namespace: storage }, filesOf(ca, server)),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: of,
      spec: { selector: labels, ports: [{ port: 2379 }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: of,
      spec: { serviceName: 'etcd', selector, template, volumeClaimTemplates: [claim] },
    },
  ];
}
