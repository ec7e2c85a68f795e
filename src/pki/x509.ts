/**
 * Issues X.509 version 3 certificates (RFC 5280). node-forge encodes the structure. Node.js provides keys,
 * digests and signatures, so that both RSA and EC CAs can sign, outside the event loop.
 */
import type { ExtendedUsage } from './public-info.ts';
import { createHash, createPublicKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { parseAddress } from './address.ts';
import {
  bits,
  decode,
  encode,
  explicit,
  implicit,
  integer,
  nothing,
  octets,
  oid,
  sequence,
  set,
  time,
  utf8,
  yes,
  type Asn1,
} from './asn1.ts';
import { OID } from './oids.ts';
import { RSA_BITS } from '../untrusted/limits.ts';
import { readCertificate, readPrivateKey } from '../untrusted/x509.ts';
import { privateKeyPem, certificatePem } from './pem.ts';
import type { Subject } from './specs.ts';
import { publicKeyBits, readStructure, type Structure } from './structure.ts';
import type { KeyPair, RandomBytes } from './types.ts';

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/**
 * Backdating of NotBefore in milliseconds, because node clocks may be behind the operator clock. A short certificate would
 * otherwise be due for renewal when it is issued.
 * @param validity from the time of issue to the expiry, in milliseconds
 */
export const backdateOf = (validity: number): number => Math.min(HOUR, Math.max(0, validity / 10));
const AUTHORITY_DAYS = 3650;

/** Content of a certificate. */
export interface Certified {
  readonly subject: Subject;
  readonly validityDays: number;
  /** absent for a CA */
  readonly leaf?: {
    readonly usages: readonly ExtendedUsage[];
    readonly dns: readonly string[];
    readonly ips: readonly string[];
  };
  /** CA that another CA certifies: the certificate has its complete name and its key identifier. */
  readonly authority?: Pick<Structure, 'subject' | 'subjectKeyId'>;
}

/** Clock and randomness for issuing certificates. */
export interface IssueContext {
  readonly now: Date;
  readonly random: RandomBytes;
}

/** Signing CA: the parts of its certificate that signed certificates contain. */
export interface Issuer {
  readonly name: Asn1;
  readonly keyId?: Buffer;
  readonly key: KeyObject;
  /** ms since the epoch */
  readonly notAfter: number;
}

/** Creates a self-signed CA certificate with a validity period of ten years. */
export async function selfSigned(
  commonName: string,
  key: KeyObject,
  context: IssueContext,
): Promise<KeyPair> {
  const subject = { commonName };
  const keyId = keyIdentifier(key);
  const issuer: Issuer = { name: distinguishedName(subject), keyId, key, notAfter: Infinity };
  const certified: Certified = { subject, validityDays: AUTHORITY_DAYS };
  return { certificate: await issue(certified, key, issuer, context), key: privateKeyPem(key) };
}

/**
 * Creates a leaf certificate signed by a CA. It expires at the latest with the CA.
 * @param key private key of the leaf certificate
 * @throws Error when the CA cannot sign: unreadable, key and certificate do not match, unsupported key type
 */
export async function signedBy(
  authority: KeyPair,
  certified: Certified,
  key: KeyObject,
  context: IssueContext,
): Promise<KeyPair> {
  return signedWith(readIssuer(authority), certified, key, context);
}

/** Creates a leaf certificate like `signedBy`, with a CA that was read before. */
export const signedWith = async (
  issuer: Issuer,
  certified: Certified,
  key: KeyObject,
  context: IssueContext,
): Promise<KeyPair> => ({
  certificate: await issue(certified, key, issuer, context),
  key: privateKeyPem(key),
});

/** Reads a CA that signs. @throws Error as `signedBy` */
export function readIssuer(authority: KeyPair): Issuer {
  const certificate = readCertificate(authority.certificate);
  if (certificate === undefined) throw new Error('the certificate of the CA is unreadable');
  const key = readPrivateKey(authority.key, RSA_BITS.authority);
  if (key === undefined || !certificate.checkPrivateKey(key))
    throw new Error(`the key of CA "${certificate.subject}" does not match its certificate`);
  const { subject, subjectKeyId } = readStructure(certificate.raw);
  return {
    name: subject,
    ...(subjectKeyId === undefined ? {} : { keyId: subjectKeyId }),
    key,
    notAfter: certificate.validToDate.getTime(),
  };
}

async function issue(
  certified: Certified,
  key: KeyObject,
  issuer: Issuer,
  { now, random }: IssueContext,
): Promise<string> {
  const scheme = signatureScheme(issuer.key);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const end = Math.min(now.getTime() + certified.validityDays * DAY, issuer.notAfter);
  const tbs = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(serialNumber(random)),
    scheme.identifier,
    issuer.name,
    sequence(time(new Date(now.getTime() - backdateOf(end - now.getTime()))), time(new Date(end))),
    certified.authority?.subject ?? distinguishedName(certified.subject),
    decode(spki),
    explicit(3, sequence(...extensions(certified, key, issuer.keyId))),
  );
  const signature = await signBytes(scheme.digest, encode(tbs), issuer.key);
  return certificatePem(encode(sequence(tbs, scheme.identifier, bits(signature))));
}

/** Returns 128 random bits. A first byte of 0x40 to 0x7f keeps the number positive and of constant length. */
function serialNumber(random: RandomBytes): Uint8Array {
  const serial = Uint8Array.from(random(16));
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

interface SignatureScheme {
  readonly digest: string;
  readonly identifier: Asn1;
}

const ECDSA: Readonly<Record<string, readonly [digest: string, identifier: string]>> = {
  prime256v1: ['sha256', OID.ecdsaSha256],
  secp384r1: ['sha384', OID.ecdsaSha384],
  secp521r1: ['sha512', OID.ecdsaSha512],
};

const ecdsaOf = ({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): (typeof ECDSA)[string] | undefined =>
  asymmetricKeyType === 'ec' ? ECDSA[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;

/** Returns whether the operator can sign certificates with a key of this type. */
export function canSign(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'rsa' || ecdsaOf(key) !== undefined;
}

/** @throws Error if the operator cannot sign with a key of this type */
export function signatureScheme(key: KeyObject): SignatureScheme {
  if (key.asymmetricKeyType === 'rsa')
    return { digest: 'sha256', identifier: sequence(oid(OID.rsaSha256), nothing()) };
  const ecdsa = ecdsaOf(key);
  if (ecdsa === undefined)
    throw new Error(
      `CA key of type ${key.asymmetricKeyType ?? 'unknown'} is not supported; use RSA, or EC on P-256, P-384 or P-521`,
    );
  return { digest: ecdsa[0], identifier: sequence(oid(ecdsa[1])) };
}

/** Signs outside the event loop. */
export const signBytes = (digest: string, bytes: Buffer, key: KeyObject): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    sign(digest, bytes, key, (error, signature) =>
      error === null ? resolve(signature) : reject(error),
    );
  });

/** Encodes a distinguished name: organization before common name, as in the upstream operator. */
export function distinguishedName({ commonName, organization }: Subject): Asn1 {
  const attribute = (type: string, value: string): Asn1 => set(sequence(oid(type), utf8(value)));
  const first = organization === undefined ? [] : [attribute(OID.organization, organization)];
  return sequence(...first, attribute(OID.commonName, commonName));
}

/** Returns the SHA-1 of the public key bits (RFC 5280, 4.2.1.2, method 1). An identifier, not used for security. */
export function keyIdentifier(key: KeyObject): Buffer {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return createHash('sha1').update(publicKeyBits(spki)).digest();
}

const SIGN = 0x80;
const ENCIPHER = 0x20;
const CERTIFY = 0x04;

/** Encodes the key usage. An EC key must not have `keyEncipherment` (RFC 8813, 3). */
function keyUsage(key: KeyObject, isLeaf: boolean): Asn1 {
  const usage = key.asymmetricKeyType === 'rsa' ? SIGN | ENCIPHER : SIGN;
  if (!isLeaf) return bits(Uint8Array.of(usage | CERTIFY), 2);
  return bits(Uint8Array.of(usage), usage === SIGN ? 7 : 5);
}

function extensions(certified: Certified, key: KeyObject, issuerKeyId?: Buffer): readonly Asn1[] {
  const { leaf, authority } = certified;
  const authorityKeyId = (id: Buffer): Asn1 =>
    extension(OID.authorityKeyId, sequence(implicit(0, id)));
  return [
    critical(OID.keyUsage, keyUsage(key, leaf !== undefined)),
    critical(OID.basicConstraints, leaf === undefined ? sequence(yes()) : sequence()),
    extension(OID.subjectKeyId, octets(authority?.subjectKeyId ?? keyIdentifier(key))),
    ...(issuerKeyId === undefined ? [] : [authorityKeyId(issuerKeyId)]),
    ...(leaf === undefined ? [] : leafExtensions(leaf)),
  ];
}

function leafExtensions({ usages, dns, ips }: NonNullable<Certified['leaf']>): readonly Asn1[] {
  const names = [
    ...dns.map((name) => implicit(2, Buffer.from(name, 'latin1'))),
    ...ips.map((ip) => implicit(7, parseAddress(ip) ?? new Uint8Array())),
  ];
  return [
    extension(OID.extendedKeyUsage, sequence(...usages.map((usage) => oid(OID[usage])))),
    ...(names.length === 0 ? [] : [extension(OID.subjectAltName, sequence(...names))]),
  ];
}

const extension = (type: string, value: Asn1): Asn1 => sequence(oid(type), octets(encode(value)));

const critical = (type: string, value: Asn1): Asn1 =>
  sequence(oid(type), yes(), octets(encode(value)));
