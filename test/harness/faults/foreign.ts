/** Objects of the user that a control plane references, and objects of others with its names. */
import { constrainedCA, dnsTree } from '../../../src/pki/__fixtures__/constrained-ca.ts';
import { OID } from '../../../src/pki/oids.ts';
import type { KeyPair } from '../../../src/pki/types.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { object, SMALL, type Fault, type Named } from './fault.ts';

/** @param id of the fault, whose Namespace has the Secret */
const customCA = (id: string): object => ({
  customCertificate: { apiServerCACert: { name: 'custom-ca', namespace: `fault-${id}` } },
});

const secretOf = ({ certificate, key }: KeyPair): object =>
  object('Secret', 'custom-ca', { stringData: { 'tls.crt': certificate, 'tls.key': key } });

const unusable = (what: RegExp): Named => ({
  type: 'CertificatesValid',
  reason: 'CustomAuthorityUnusable',
  object: what,
  remedy: /store a CA certificate/,
});

const AUTHORITIES: readonly Fault[] = [
  {
    id: 'ca-missing',
    title: 'a custom CA whose Secret does not exist',
    spec: customCA('ca-missing'),
    named: unusable(/Secret \S*custom-ca: not found/),
  },
  {
    id: 'ca-no-pem',
    title: 'a custom CA that is no certificate',
    spec: customCA('ca-no-pem'),
    objects: () => [secretOf({ certificate: 'none', key: 'none' })],
    named: unusable(/tls\.crt contains no valid PEM certificate/),
  },
  {
    id: 'ca-key',
    title: 'a custom CA with the private key of another one',
    spec: customCA('ca-key'),
    objects: async () => {
      const [one, other] = [await constrainedCA('one', {}), await constrainedCA('other', {})];
      return [secretOf({ certificate: one.pair.certificate, key: other.pair.key })];
    },
    named: unusable(/matches no certificate in tls\.crt/),
  },
  {
    id: 'ca-names',
    title: 'a custom CA with name constraints',
    reports: ['cert-manager/cert-manager#2446', 'k3s-io/k3s#12335'],
    spec: customCA('ca-names'),
    objects: async () => [
      secretOf((await constrainedCA('narrow', { permitted: [dnsTree('example.com')] })).pair),
    ],
    named: unusable(/name constraints that do not permit the SANs/),
  },
  {
    id: 'ca-usage',
    title: 'a custom CA only for server certificates',
    spec: customCA('ca-usage'),
    objects: async () => [
      secretOf((await constrainedCA('server', { usages: [OID.serverAuth] })).pair),
    ],
    named: unusable(/extended key usage without clientAuth/),
  },
  {
    id: 'ca-leaf',
    title: 'a custom CA that is no CA',
    spec: customCA('ca-leaf'),
    objects: async () => {
      const { cert, key } = await newPair(
        { commonName: 'leaf' },
        await newPair({ commonName: 'ca' }),
      );
      return [secretOf({ certificate: cert, key })];
    },
    named: unusable(/the certificate in tls\.crt is not a CA certificate/),
  },
];

const external = (endpoint: string): object => ({
  etcd: { external: { endpoints: [endpoint], secretRef: { name: 'etcd-client' } } },
});

const ETCD: readonly Fault[] = [
  {
    id: 'etcd-secret',
    title: 'an external etcd whose Secret does not exist',
    components: external('https://etcd.example.com:2379'),
    named: {
      type: 'EtcdReady',
      reason: 'EtcdSecretMissing',
      object: /Secret \S*etcd-client: not found/,
      remedy: /create it with the keys ca\.crt, tls\.crt and tls\.key of an etcd client/,
    },
  },
  {
    id: 'etcd-secret-keys',
    title: 'an external etcd whose Secret has no client certificate',
    components: external('https://other-etcd.example.com:2379'),
    objects: () => [object('Secret', 'etcd-client', { stringData: { 'ca.crt': 'none' } })],
    named: {
      type: 'EtcdReady',
      reason: 'EtcdSecretIncomplete',
      object: /Secret \S*etcd-client/,
      remedy: /store in PEM format tls\.crt/,
    },
  },
];

const foreign = (namespace: string, kind: string, name: string, more: object): object => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace },
  ...more,
});

const CONFLICTS: readonly Fault[] = [
  {
    id: 'conflict-secret',
    title: 'a Secret of another installation with the name of its own',
    objects: (namespace) => [
      foreign(namespace, 'Secret', 'karmada-cert', { stringData: { 'ca.crt': 'x' } }),
    ],
    named: {
      type: 'Ready',
      reason: 'Conflict',
      object: /Secret \S*karmada-cert: exists/,
      remedy: /give the Karmada another metadata\.name or another Namespace/,
    },
  },
  {
    id: 'conflict-service',
    title: 'a Service of another installation with the name of its own',
    objects: (namespace) => [
      foreign(namespace, 'Service', 'karmada-apiserver', { spec: { ports: [{ port: 1 }] } }),
    ],
    named: {
      type: 'Degraded',
      reason: 'Conflict',
      object: /Service \S*karmada-apiserver: exists/,
      remedy: /keep running the operator that created it, or use another name/,
    },
  },
];

const ARCHIVES: readonly Fault[] = [
  {
    id: 'crds-unreachable',
    title: 'CRDs at an address that the operator does not connect to',
    reports: ['karmada-io/karmada#4125'],
    components: SMALL,
    spec: { crdTarball: { httpSource: { url: 'http://127.0.0.1:9/crds.tar.gz' } } },
    named: {
      type: 'Degraded',
      reason: 'CrdArchiveDownloadFailed',
      object: /spec\.crdTarball\.httpSource\.url/,
      remedy: /use another address, or start the operator with --allow-addresses/,
    },
  },
  {
    id: 'crds-config-map',
    title: 'CRDs in a ConfigMap that does not exist',
    components: SMALL,
    spec: { crdTarball: { configMapRef: { name: 'none' } } },
    named: {
      type: 'Degraded',
      reason: 'CrdArchiveMissing',
      object: /ConfigMap \S*none not found/,
      remedy: /create it with kubectl -n \S+ create configmap none/,
    },
  },
];

export const FOREIGN_FAULTS: readonly Fault[] = [
  ...AUTHORITIES,
  ...ETCD,
  ...CONFLICTS,
  ...ARCHIVES,
];
