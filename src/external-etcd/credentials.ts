/**
 * Validates the Secret with the etcd client credentials of the API servers. Pure functions.
 *
 * Rejects everything with which the API servers fail to start. They parse all of ca.crt, and parse tls.crt and tls.key
 * like tls.X509KeyPair of Go.
 */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { CertificateInfo } from '../pki/public-info.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { sha256 } from '../kubernetes/objects/intent.ts';
import { describeCertificate, publicKeyHash } from '../pki/certificate-info.ts';
import { pemBlocks, pemFault, type PemBlock } from '../untrusted/pem.ts';
import { noKeyText, privateKeyBlock, readPrivateKey } from '../untrusted/x509.ts';

/** Keys of the Secret, as in the upstream operator. */
export const CREDENTIAL_KEYS = ['ca.crt', 'tls.crt', 'tls.key'] as const;

type CredentialKey = (typeof CREDENTIAL_KEYS)[number];

/** PEM credentials of an etcd client. They contain the private key, so they are kept only during one check. */
export type Credentials = Readonly<Record<CredentialKey, string>>;

/** Public information about the credentials. */
export interface Access {
  /** SHA-256 of each value, hex. */
  readonly hashes: Credentials;
  /** Hash of the trusted certificates, hex. API servers read these certificates only at start. */
  readonly trust: string;
  /** Expiry of the client certificate, wall clock in milliseconds. */
  readonly notAfter: number;
}

export type ReadCredentials =
  { readonly credentials: Credentials; readonly access: Access } | { readonly problem: Problem };

/** Secret as read from the API server. Without data if it does not exist. */
export interface FoundSecret {
  /** `namespace/name` */
  readonly name: string;
  /** base64 by key */
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Reads the credentials from a Secret.
 * @returns credentials, or a problem with the error and the action for the user
 */
export function readCredentials({ name, data }: FoundSecret, now: Date): ReadCredentials {
  const refuse = (reason: Reason, fault: string): { readonly problem: Problem } => ({
    problem: { reason, message: `Secret ${name}: ${fault}` },
  });
  if (data === undefined) {
    const remedy = 'create it with the keys ca.crt, tls.crt and tls.key of an etcd client';
    return refuse('EtcdSecretMissing', `not found; ${remedy}`);
  }
  const credentials = decode(data);
  const missing = CREDENTIAL_KEYS.filter((key) => credentials[key].trim() === '');
  if (missing.length > 0) return refuse('EtcdSecretIncomplete', lacking(missing));
  const excess = excessIn(credentials);
  if (excess !== undefined) return refuse('EtcdSecretInvalid', excess);
  const trusted = readTrusted(credentials['ca.crt'], now);
  if ('fault' in trusted) return refuse('EtcdSecretInvalid', trusted.fault);
  const client = readPair(credentials['tls.crt'], credentials['tls.key']);
  if ('fault' in client) return refuse('EtcdSecretInvalid', client.fault);
  const period = faultOfPeriod('tls.crt', client.certificate, now);
  if (period !== undefined) return refuse('EtcdClientCertificateExpired', period);
  return {
    credentials,
    access: {
      hashes: hashesOf(data),
      trust: sha256(trusted.hashes.join()),
      notAfter: client.certificate.notAfter.getTime(),
    },
  };
}

const byKey = (value: (key: CredentialKey) => string): Credentials => ({
  'ca.crt': value('ca.crt'),
  'tls.crt': value('tls.crt'),
  'tls.key': value('tls.key'),
});

const decode = (data: Readonly<Record<string, string>>): Credentials =>
  byKey((key) => Buffer.from(data[key] ?? '', 'base64').toString('utf8'));

/** Returns the SHA-256 of each value. Hashes the raw bytes, which may be invalid text. */
export const hashesOf = (data: Readonly<Record<string, string>>): Credentials =>
  byKey((key) => sha256(Buffer.from(data[key] ?? '', 'base64')));

const MEANING: Credentials = {
  'ca.crt': 'the CA of the etcd members',
  'tls.crt': 'an etcd client certificate',
  'tls.key': 'the private key of tls.crt',
};

function lacking(keys: readonly CredentialKey[]): string {
  const remedy = keys.map((key) => `${key} (${MEANING[key]})`).join(', ');
  return `missing or empty ${keys.join(', ')}; store in PEM format ${remedy}`;
}

type Fault = { readonly fault: string };

const certificatesIn = (blocks: readonly PemBlock[]): readonly string[] =>
  blocks.flatMap(({ label, text }) => (label === 'CERTIFICATE' ? [text] : []));

/** Returns the trusted certificates. The etcd client rejects a CA file with a block that is not a certificate. */
function readTrusted(pem: string, now: Date): { readonly hashes: readonly string[] } | Fault {
  const blocks = pemBlocks(pem);
  const certificates = certificatesIn(blocks);
  if (certificates.length === 0)
    return { fault: `ca.crt contains no PEM certificate; ${REMEDY['ca.crt']}` };
  if (certificates.length < blocks.length)
    return { fault: `ca.crt contains PEM blocks that are not certificates; ${REMEDY['ca.crt']}` };
  const readable = certificates.map(describeCertificate).filter((info) => info !== undefined);
  if (readable.length < certificates.length)
    return { fault: `ca.crt contains an invalid certificate; ${REMEDY['ca.crt']}` };
  const faults = readable.map((info) => faultOfPeriod('ca.crt', info, now));
  const [first] = faults;
  if (first !== undefined && !faults.includes(undefined)) return { fault: first };
  return { hashes: [...new Set(readable.map((info) => info.sha256))].sort() };
}

function excessIn(credentials: Credentials): string | undefined {
  for (const key of CREDENTIAL_KEYS) {
    const excess = pemFault(credentials[key]);
    if (excess !== undefined) return `${key} ${excess}; ${REMEDY[key]}`;
  }
  return undefined;
}

const REMEDY = {
  'ca.crt':
    'store only the CA certificates that signed the server certificates of the etcd members',
  'tls.crt': 'store an etcd client certificate, followed by its intermediate CA certificates',
  'tls.key': 'store the unencrypted private key of tls.crt',
} as const;

function readPair(bundle: string, keys: string): { readonly certificate: CertificateInfo } | Fault {
  const [first] = certificatesIn(pemBlocks(bundle));
  const certificate = first === undefined ? undefined : describeCertificate(first);
  if (certificate === undefined)
    return { fault: `tls.crt contains no valid PEM certificate; ${REMEDY['tls.crt']}` };
  const key = readPrivateKey(privateKeyBlock(keys));
  if (key === undefined) return { fault: `tls.key contains ${noKeyText()}; ${REMEDY['tls.key']}` };
  if (!isKnown(key))
    return {
      fault: `tls.key contains a private key that is neither RSA, Ed25519 nor EC on P-256, P-384 or P-521; ${REMEDY['tls.key']}`,
    };
  return publicKeyHash(createPublicKey(key)) === certificate.publicKey
    ? { certificate }
    : {
        fault: `tls.key does not match the certificate in tls.crt; ${REMEDY['tls.key']}`,
      };
}

const CURVES: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

function isKnown({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  return type === 'rsa' || type === 'ed25519' || CURVES.has(details?.namedCurve);
}

function faultOfPeriod(key: CredentialKey, info: CertificateInfo, now: Date): string | undefined {
  const { notBefore, notAfter } = info;
  if (notAfter <= now)
    return `the certificate in ${key} expired at ${notAfter.toISOString()}; store a new certificate`;
  if (notBefore > now)
    return `the certificate in ${key} is not valid before ${notBefore.toISOString()}; check the clocks, or store another certificate`;
  return undefined;
}
