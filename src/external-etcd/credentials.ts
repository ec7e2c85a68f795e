/**
 * The Secret with which the API servers get into an external etcd: what is wrong with it, and its public side. Pure.
 *
 * Refused is what the servers cannot start with: they read all of ca.crt, and the pair as Go's tls.X509KeyPair does.
 */
import type { Problem } from '../api/problem.ts';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { sha256 } from '../kubernetes/intent.ts';
import {
  describeCertificate,
  publicKeyHash,
  type CertificateInfo,
} from '../pki/certificate-info.ts';
import { readPrivateKey, splitCertificates } from '../pki/pem.ts';

/** Keys of the Secret, upstream's. */
export const CREDENTIAL_KEYS = ['ca.crt', 'tls.crt', 'tls.key'] as const;

type CredentialKey = (typeof CREDENTIAL_KEYS)[number];

/** What a client shows and trusts, PEM; private, so it lives only as long as one check takes. */
export type Credentials = Readonly<Record<CredentialKey, string>>;

/** The public side of credentials. */
export interface Access {
  /** SHA-256 of each value, hex. */
  readonly hashes: Credentials;
  /** Hash of the trusted certificates, hex: API servers read those only when they start. */
  readonly trust: string;
  /** When the client's certificate ends, wall clock in milliseconds. */
  readonly notAfter: number;
}

export type ReadCredentials =
  { readonly credentials: Credentials; readonly access: Access } | { readonly problem: Problem };

/** A Secret as it was read; without data when there is none. */
export interface FoundSecret {
  /** `namespace/name` */
  readonly name: string;
  /** base64 by key */
  readonly data?: Readonly<Record<string, string>>;
}

/** Reads the credentials out of a Secret, or says what is wrong with it and what to do. */
export function readCredentials({ name, data }: FoundSecret, now: Date): ReadCredentials {
  const refuse = (reason: string, fault: string): { readonly problem: Problem } => ({
    problem: { reason, message: `Secret ${name} ${fault}` },
  });
  if (data === undefined) {
    const remedy = 'make it with the keys ca.crt, tls.crt and tls.key of an etcd client';
    return refuse('EtcdSecretMissing', `does not exist; ${remedy}`);
  }
  const credentials = decode(data);
  const missing = CREDENTIAL_KEYS.filter((key) => credentials[key].trim() === '');
  if (missing.length > 0) return refuse('EtcdSecretIncomplete', lacking(missing));
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

/** Of the bytes as they are in the Secret, which need not be text. */
export const hashesOf = (data: Readonly<Record<string, string>>): Credentials =>
  byKey((key) => sha256(Buffer.from(data[key] ?? '', 'base64')));

const MEANING: Credentials = {
  'ca.crt': 'the CA of the members',
  'tls.crt': 'the certificate of an etcd client',
  'tls.key': 'the private key of that certificate',
};

function lacking(keys: readonly CredentialKey[]): string {
  const remedy = keys.map((key) => `${key}: ${MEANING[key]}`).join(', ');
  return `has nothing in ${keys.join(', ')}; put there in PEM ${remedy}`;
}

/** Any block of PEM; etcd's client refuses a file of authorities with one that is no certificate. */
const BLOCK = /-----BEGIN [^-]+-----[\s\S]*?-----END [^-]+-----/g;

type Fault = { readonly fault: string };

function readTrusted(pem: string, now: Date): { readonly hashes: readonly string[] } | Fault {
  const blocks = pem.match(BLOCK) ?? [];
  const certificates = splitCertificates(pem);
  if (certificates.length === 0)
    return { fault: `has no certificate in ca.crt that can be read as PEM; ${REMEDY['ca.crt']}` };
  if (certificates.length < blocks.length)
    return { fault: `has something else than certificates in ca.crt; ${REMEDY['ca.crt']}` };
  const readable = certificates.map(describeCertificate).filter((info) => info !== undefined);
  if (readable.length < certificates.length)
    return { fault: `has a certificate in ca.crt that is broken; ${REMEDY['ca.crt']}` };
  const faults = readable.map((info) => faultOfPeriod('ca.crt', info, now));
  const [first] = faults;
  if (first !== undefined && !faults.includes(undefined)) return { fault: first };
  return { hashes: [...new Set(readable.map((info) => info.sha256))].sort() };
}

const REMEDY = {
  'ca.crt':
    'put the certificates of the CA there that signed those of the members, and nothing else',
  'tls.crt': 'put the certificate of an etcd client there, and those of intermediate CAs after it',
  'tls.key': 'put the private key there that belongs to tls.crt, not encrypted',
} as const;

function readPair(bundle: string, keys: string): { readonly certificate: CertificateInfo } | Fault {
  const [first] = splitCertificates(bundle);
  const certificate = first === undefined ? undefined : describeCertificate(first);
  if (certificate === undefined)
    return { fault: `has no certificate in tls.crt that can be read as PEM; ${REMEDY['tls.crt']}` };
  const key = readPrivateKey(PRIVATE_KEY.exec(keys)?.[0] ?? '');
  if (key === undefined)
    return { fault: `has no private key in tls.key that can be read as PEM; ${REMEDY['tls.key']}` };
  if (!isKnown(key))
    return {
      fault: `has a private key in tls.key that is neither RSA, Ed25519 nor EC on P-256, P-384 or P-521; ${REMEDY['tls.key']}`,
    };
  return publicKeyHash(createPublicKey(key)) === certificate.publicKey
    ? { certificate }
    : {
        fault: `has a private key in tls.key that does not belong to tls.crt; ${REMEDY['tls.key']}`,
      };
}

/** The first key of a file; OpenSSL writes parameters of a curve before it. */
const PRIVATE_KEY = /-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY)-----[\s\S]*?-----END \1-----/;

const CURVES: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

function isKnown({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  return type === 'rsa' || type === 'ed25519' || CURVES.has(details?.namedCurve);
}

function faultOfPeriod(key: CredentialKey, info: CertificateInfo, now: Date): string | undefined {
  const { notBefore, notAfter } = info;
  if (notAfter <= now)
    return `has a certificate in ${key} that expired at ${notAfter.toISOString()}; put a new one there`;
  if (notBefore > now)
    return `has a certificate in ${key} that is not valid before ${notBefore.toISOString()}; check the clocks, or put another one there`;
  return undefined;
}
