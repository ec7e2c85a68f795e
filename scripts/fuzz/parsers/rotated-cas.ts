/** Readers of rotations of CAs: bundles in Secrets and objects, answers to certificate requests, and certificates of Pods. */
import type { Rotation } from '../../../src/features/rotation/record.ts';
import { sharedRoots, withoutRoot } from '../../../src/features/rotation/shared-trust.ts';
import { requestActions, signedRequestOf } from '../../../src/features/rotation/signed-request.ts';
import {
  MAX_BUNDLES,
  reducedToBundles,
  trustedBy,
} from '../../../src/features/rotation/trusting-objects.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { authorityFacts, signerAmong } from '../../../src/pki/authority-facts.ts';
import { certificatePem } from '../../../src/pki/pem.ts';
import { excessIn } from '../../../src/pki/secret-bounds.ts';
import type { SecretData, SecretReads } from '../../../src/pki/types.ts';
import { OWN_BUNDLE, UNTRUSTED } from '../../../src/untrusted/limits.ts';
import { readCertificate } from '../../../src/untrusted/x509.ts';
import type { UntrustedParser } from '../parser.ts';
import { JSON_TOKENS } from './backups.ts';
import { CONTROL_PLANE, PEM_TOKENS } from './certificates.ts';
import { AUTHORITY, CLIENT } from './pairs.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const ROOT = 'a'.repeat(64);
const CA_ROTATED = { authority: 'ca', phase: 'Switching' } as const;
const PAIRS = new Map([[ROOT, AUTHORITY]]);

const base64 = (input: Buffer | string): string => Buffer.from(input).toString('base64');
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const CA = { 'ca.crt': base64(AUTHORITY.certificate), 'ca.key': base64(AUTHORITY.key) };
const SECRETS = {
  cert: CA,
  'ca-backup': CA,
  'karmada-controller-manager-config': { 'ca.crt': base64(AUTHORITY.certificate) },
} as const;

/** Values that a rotation reads as certificates, each of which has the input in turn. */
const VALUES: readonly (readonly [keyof typeof SECRETS, readonly string[]])[] = [
  ['cert', ['ca.crt', 'karmada.crt', 'apiserver.crt']],
  ['ca-backup', ['ca.crt', 'ca-cross.crt', 'ca-successor.crt', 'ca-retired.crt', 'ca-probe.crt']],
  ['karmada-controller-manager-config', ['ca.crt', 'tls.crt']],
];

const secretsWith = (role: keyof typeof SECRETS, values: SecretData): SecretReads => ({
  ...SECRETS,
  [role]: { ...SECRETS[role], ...values },
});

const requestWith = (input: Buffer): KubernetesObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'karmada-operator-rotation', creationTimestamp: '2026-11-21T11:00:00Z' },
  status: { certificate: base64(input), conditions: [{ type: 'Approved' }] },
});

const KINDS = [
  'ValidatingWebhookConfiguration',
  'APIService',
  'CustomResourceDefinition',
  'ConfigMap',
];
const CLIENT_CONFIG = { clientConfig: { caBundle: base64(AUTHORITY.certificate) } };
const TRUSTING = {
  webhooks: [CLIENT_CONFIG, CLIENT_CONFIG],
  spec: { caBundle: CLIENT_CONFIG.clientConfig.caBundle, conversion: { webhook: CLIENT_CONFIG } },
  data: { kubeconfig: `certificate-authority-data: ${CLIENT_CONFIG.clientConfig.caBundle}\n` },
};

const bundle = Buffer.from(AUTHORITY.certificate + CLIENT.certificate);
const shared = { errors: [], tokens: PEM_TOKENS, seeds: [bundle], limit: OWN_BUNDLE.size };

export const ROTATED_CA_PARSERS: readonly UntrustedParser[] = [
  {
    ...shared,
    name: 'certificates in Secrets during a rotation',
    seeds: [bundle, Buffer.from(CLIENT.certificate + AUTHORITY.certificate)],
    parse: (input: Buffer): unknown => {
      const value = base64(input);
      return VALUES.flatMap(([role, keys]) =>
        [...keys.map((key) => [key]), keys].map((some) => {
          const reads = secretsWith(role, Object.fromEntries(some.map((key) => [key, value])));
          return excessIn(CONTROL_PLANE, reads) ?? authorityFacts(CONTROL_PLANE, 'ca', reads, NOW);
        }),
      );
    },
  },
  {
    ...shared,
    name: 'ConfigMap with the CAs of API servers',
    limit: UNTRUSTED.pem,
    parse: (input: Buffer): unknown => {
      const text = input.toString('utf8');
      const configMap = {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
        data: { 'client-ca-file': text },
      };
      return [sharedRoots({ configMap, observedAt: 0 }, 'ca'), withoutRoot(configMap, 'ca', ROOT)];
    },
  },
  {
    ...shared,
    name: 'CA bundle of a webhook configuration',
    parse: (input: Buffer): unknown => {
      const copies = Array.from({ length: MAX_BUNDLES }, (_, index) => ({
        clientConfig: { caBundle: base64(Buffer.concat([input, Buffer.alloc(index, 10)])) },
      }));
      const metadata = { name: 'x' };
      const [kind = ''] = KINDS;
      const found = reducedToBundles({ apiVersion: 'v1', kind, metadata, webhooks: copies });
      return found && trustedBy([found], 0);
    },
  },
  {
    name: 'object with CAs in a control plane',
    errors: [],
    seeds: [json(TRUSTING)],
    tokens: [...JSON_TOKENS, '"webhooks":[', '"clientConfig":', '"caBundle":', '"kubeconfig":'],
    limit: UNTRUSTED.pem,
    parse: (input: Buffer): unknown => {
      const content = objectIn(input);
      return KINDS.map((kind) => {
        const metadata = { name: 'x' };
        const found = reducedToBundles({ ...content, apiVersion: 'v1', kind, metadata });
        return found && trustedBy([found], 0);
      });
    },
  },
  {
    ...shared,
    name: 'answer to a certificate request',
    parse: (input: Buffer): unknown => {
      const seen = { request: requestWith(input), observedAt: 0 };
      const rotation: Rotation = {
        ...{ ...CA_ROTATED, since: 0, writtenAt: 0 },
        ...{ from: 'b'.repeat(64), to: ROOT },
      };
      const asked = { rotation, seen, pairs: PAIRS };
      return [signedRequestOf(asked), requestActions(asked, NOW.getTime())];
    },
  },
  {
    ...shared,
    name: 'certificate that a Pod presents',
    seeds: [AUTHORITY, CLIENT].flatMap(
      ({ certificate }) => readCertificate(certificate)?.raw ?? [],
    ),
    tokens: ['0\x82\x01\x00', '0\x80', '\x06\x03\x55\x1d\x11', '\x04\x82\x00\x10', '\xa3', '\x00'],
    parse: (input) => signerAmong(PAIRS, certificatePem(input)),
  },
];

/** An API server has parsed the object. */
function objectIn(input: Buffer): object {
  try {
    const value: unknown = JSON.parse(input.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
