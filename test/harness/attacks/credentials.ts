/** Attacks with data that takes long to parse. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { secretOf } from '../external-etcd.ts';
import { untilTold, type Attack } from './attack.ts';
import { karmadaIn } from './objects.ts';

const namespace = 'attack-pem';
/** Nearly the largest Secret that an API server accepts, with many beginnings of PEM blocks. */
const HOSTILE = '-----BEGIN A'.repeat(80_000);

const secret = (name: string, files: Record<string, string>): KubernetesObject =>
  secretOf({ name, namespace }, files) as KubernetesObject;

/** One Secret for each field of a Karmada that names a Secret with certificates. */
export const pemAttack: Attack = {
  namespaces: [namespace],
  objects: [
    secret('etcd', { 'ca.crt': HOSTILE, 'tls.crt': 'x', 'tls.key': 'x' }),
    secret('authority', { 'tls.crt': HOSTILE, 'tls.key': 'x' }),
    secret('host', { token: 'token', caBundle: HOSTILE }),
    karmadaIn(namespace, 'etcd', {
      components: {
        etcd: {
          external: { endpoints: ['https://10.0.0.1:2379'], secretRef: { name: 'etcd' } },
        },
      },
    }),
    karmadaIn(namespace, 'authority', {
      customCertificate: { apiServerCACert: { name: 'authority', namespace } },
    }),
    karmadaIn(namespace, 'host', {
      hostCluster: {
        apiEndpoint: 'https://10.0.0.1:6443',
        secretRef: { name: 'host', namespace },
      },
    }),
  ],
  async reached(client) {
    const told = (name: string, type: string, reason: string): Promise<string> =>
      untilTold(client, { namespace, name }, type, reason);
    return (
      await Promise.all([
        told('etcd', 'EtcdReady', 'EtcdSecretInvalid'),
        told('authority', 'CertificatesValid', 'CustomAuthorityUnusable'),
        told('host', 'HostReachable', 'HostSecretInvalid'),
      ])
    ).join('; ');
  },
};
