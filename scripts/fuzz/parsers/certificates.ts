/** Readers of PEM, certificates and private keys. */
import { readCredentials } from '../../../src/external-etcd/credentials.ts';
import { credentialExpiry } from '../../../src/member-clusters/credential-expiry.ts';
import type { TrialLeaf } from '../../../src/pki/ca-constraints.ts';
import { faultOf } from '../../../src/pki/custom-ca.ts';
import { describeCertificate } from '../../../src/pki/certificate-info.ts';
import { readAuthority } from '../../../src/pki/bundle.ts';
import { AUTHORITIES } from '../../../src/pki/inventory.ts';
import { allOptional } from '../../../src/pki/fixture.test-data.ts';
import { splitPublicKeys } from '../../../src/pki/pem.ts';
import {
  formatReissues,
  parseReissues,
  REISSUE_LIMITS,
  type ReissueRecord,
} from '../../../src/pki/reissue-record.ts';
import { MAX_ROTATE_LENGTH, parseRotate } from '../../../src/pki/rotate-request.ts';
import { excessIn } from '../../../src/pki/secret-bounds.ts';
import type { PkiInputs, SecretReads } from '../../../src/pki/types.ts';
import { OWN_BUNDLE, UNTRUSTED } from '../../../src/untrusted/limits.ts';
import { certificateBlocks } from '../../../src/untrusted/pem.ts';
import { readCertificate, readPrivateKey } from '../../../src/untrusted/x509.ts';
import type { UntrustedParser } from '../parser.ts';
import { AUTHORITY, CLIENT } from './pairs.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
/** What a custom CA would sign. */
const LEAVES: readonly TrialLeaf[] = [
  { name: 'apiserver', usages: ['serverAuth'], dns: ['karmada.example.com'], ips: ['10.0.0.1'] },
];

export const PEM_TOKENS = [
  '-----BEGIN A',
  '-----BEGIN CERTIFICATE-----\n',
  '-----BEGIN CERTIFICATE-----',
  '-----END CERTIFICATE-----\n',
  '-----BEGIN PRIVATE KEY-----\n',
  '-----BEGIN EC PRIVATE KEY-----\nMA==\n-----END EC PRIVATE KEY-----\n',
  '-----BEGIN ',
  '-----END ',
  '-----',
  'PRIVATE KEY',
  'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n',
  'MII',
  '\r\n',
  ' ',
  '=',
  'A',
];

const base64 = (input: Buffer): string => input.toString('base64');

/** It decides which Secrets there are. */
export const CONTROL_PLANE: PkiInputs = {
  name: 'demo',
  namespace: 'team',
  dnsDomain: 'cluster.local',
  serviceSubnet: '10.96.0.0/12',
  etcd: 'local',
  leafValidityDays: 365,
  addons: allOptional(true),
  metricsClient: true,
  customAuthority: false,
  exposedAddresses: [],
  clusterAddresses: [],
  extraSans: { apiServer: [], aggregatedAPIServer: [], etcdServer: [], etcdPeer: [] },
  inClusterServer: 'https://demo:5443',
  externalServer: 'https://demo:5443',
};

const STORED = AUTHORITIES.flatMap(({ stored }) => stored);

/** Secrets of a control plane whose CA bundles all have this value. */
const secretsWith = (value: string): SecretReads =>
  Object.fromEntries(
    STORED.map(({ secret }) => {
      const keys = STORED.filter((one) => one.secret === secret);
      return [secret, Object.fromEntries(keys.map(({ certificate }) => [certificate, value]))];
    }),
  );

/** Each key of the Secret in turn has the input. */
function etcdSecrets(input: Buffer): unknown {
  const good = {
    'ca.crt': base64(Buffer.from(AUTHORITY.certificate)),
    'tls.crt': base64(Buffer.from(CLIENT.certificate)),
    'tls.key': base64(Buffer.from(CLIENT.key)),
  };
  return Object.keys(good).map((key) =>
    readCredentials({ name: 'a/b', data: { ...good, [key]: base64(input) } }, NOW),
  );
}

const REISSUES: ReissueRecord = {
  executed: ['apiserver/1'],
  leaves: {
    apiserver: { from: 'a'.repeat(64), request: 'apiserver/1', at: '2026-01-01T00:00:00.000Z' },
  },
};

const bundle = Buffer.from(AUTHORITY.certificate + CLIENT.certificate);
const shared = { errors: [], tokens: PEM_TOKENS, limit: UNTRUSTED.pem };

export const CERTIFICATE_PARSERS: readonly UntrustedParser[] = [
  {
    ...shared,
    name: 'PEM',
    seeds: [bundle, Buffer.from(CLIENT.key)],
    parse: (input: Buffer): unknown => {
      const text = input.toString('latin1');
      return [certificateBlocks(text).map(describeCertificate), splitPublicKeys(text)];
    },
  },
  {
    ...shared,
    name: 'certificate in DER',
    seeds: [AUTHORITY, CLIENT].flatMap(
      ({ certificate }) => readCertificate(certificate)?.raw ?? [],
    ),
    tokens: [
      '0\x82\x01\x00',
      '0\x80',
      '\x06\x03\x55\x1d\x11',
      '\x04\x82\x00\x10',
      '\xa3',
      '1\x0b0\x09',
      '\x00',
    ],
    parse: (input) =>
      describeCertificate(
        `-----BEGIN CERTIFICATE-----\n${base64(input)}\n-----END CERTIFICATE-----\n`,
      ),
  },
  {
    ...shared,
    name: 'private key',
    seeds: [Buffer.from(AUTHORITY.key), Buffer.from(CLIENT.key)],
    parse: (input) => readPrivateKey(input.toString('latin1')),
  },
  {
    name: 'request to reissue certificates',
    errors: [],
    seeds: ['leaves/1', 'apiserver,etcd-peer/2026-11', 'ca,etcd-ca/1'].map((one) =>
      Buffer.from(one),
    ),
    tokens: ['leaves', 'ca', 'karmada', ',', '/', '/1', '-', '\n'],
    limit: MAX_ROTATE_LENGTH,
    parse: (input) => parseRotate(input.toString('utf8')),
  },
  {
    name: 'record of requested reissues',
    errors: [],
    seeds: [Buffer.from(formatReissues(REISSUES))],
    tokens: [
      '{',
      '}',
      '[',
      ']',
      ',',
      '"to":',
      '"executed":[]',
      '"apiserver":{}',
      'null',
      '0'.repeat(64),
    ],
    limit: REISSUE_LIMITS.size,
    parse: (input) => parseReissues(input.toString('utf8')),
  },
  {
    ...shared,
    name: 'Secret of an external etcd',
    seeds: [bundle, Buffer.from(CLIENT.key)],
    parse: etcdSecrets,
  },
  {
    ...shared,
    name: 'Secrets of a control plane',
    seeds: [bundle, Buffer.from(AUTHORITY.certificate.repeat(OWN_BUNDLE.blocks + 1))],
    limit: OWN_BUNDLE.size,
    parse: (input: Buffer): unknown => {
      const bundle = input.toString('utf8');
      const excess = excessIn(CONTROL_PLANE, secretsWith(base64(input)));
      return excess ?? [readAuthority({ bundle, key: AUTHORITY.key }), splitPublicKeys(bundle)];
    },
  },
  {
    ...shared,
    name: 'custom CA',
    seeds: [bundle, Buffer.from(AUTHORITY.key)],
    limit: OWN_BUNDLE.size,
    parse: (input: Buffer): unknown => {
      const text = input.toString('utf8');
      const files = [
        { bundle: text, key: AUTHORITY.key },
        { bundle: AUTHORITY.certificate, key: text },
      ];
      return files.map(
        (one) => faultOf({ secret: 'a/b', files: one }, NOW, LEAVES) ?? readAuthority(one),
      );
    },
  },
  {
    ...shared,
    name: 'credentials of a member cluster',
    seeds: [bundle, Buffer.from(`e30.${base64(Buffer.from('{"exp":1800000000}'))}.c2ln`)],
    tokens: [...PEM_TOKENS, '.', 'e30.', '{"exp":'],
    parse: (input: Buffer): unknown => {
      const data = { token: base64(input), caBundle: base64(input) };
      return credentialExpiry({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, data });
    },
  },
];
