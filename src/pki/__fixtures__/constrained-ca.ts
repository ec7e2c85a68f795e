/** CA certificates with constraints, for tests. */
import { createPublicKey, sign, type KeyObject } from 'node:crypto';
import {
  bits,
  decode,
  encode,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  sequence,
  set,
  time,
  utf8,
  yes,
  type Asn1,
} from '../asn1.ts';
import { NOW, inDays } from '../fixture.test-data.ts';
import { makeKey } from '../keys.ts';
import { OID } from '../oids.ts';
import { certificatePem, privateKeyPem } from '../pem.ts';
import type { KeyPair } from '../types.ts';
import { keyIdentifier } from '../x509.ts';

/** Extensions of a CA; absent ones are not in the certificate, except basic constraints. */
export interface CAExtensions {
  readonly pathLength?: number;
  /** Bits of the key usage: 0x04 is keyCertSign, 0x80 digitalSignature. */
  readonly keyUsage?: number;
  readonly usages?: readonly string[];
  readonly permitted?: readonly Asn1[];
  readonly excluded?: readonly Asn1[];
  /** Object identifier of a critical extension without content. */
  readonly critical?: string;
}

export const dnsTree = (name: string): Asn1 => implicit(2, Buffer.from(name));
export const ipTree = (...bytes: number[]): Asn1 => implicit(7, Uint8Array.from(bytes));
export const directoryTree = (organization: string): Asn1 =>
  explicit(4, nameOf(organization, OID.organization));

const nameOf = (text: string, type: string = OID.commonName): Asn1 =>
  sequence(set(sequence(oid(type), utf8(text))));

const extension = (type: string, value: Asn1, critical = true): Asn1 =>
  sequence(oid(type), ...(critical ? [yes()] : []), octets(encode(value)));

function extensionsOf(given: CAExtensions, key: KeyObject): readonly Asn1[] {
  const { pathLength, keyUsage, usages, permitted, excluded, critical } = given;
  const length = pathLength === undefined ? [] : [integer(Uint8Array.of(pathLength))];
  const trees = (list: readonly Asn1[] | undefined, tag: number): readonly Asn1[] =>
    list === undefined ? [] : [explicit(tag, sequence(...list.map((one) => sequence(one))))];
  // [tag] IMPLICIT SEQUENCE: the content of the sequence without its header.
  const subtrees = [...trees(permitted, 0), ...trees(excluded, 1)].map(flattened);
  return [
    extension(OID.basicConstraints, sequence(yes(), ...length)),
    extension(OID.subjectKeyId, octets(keyIdentifier(key)), false),
    ...(keyUsage === undefined ? [] : [extension(OID.keyUsage, bits(Uint8Array.of(keyUsage), 1))]),
    ...(usages === undefined
      ? []
      : [extension(OID.extendedKeyUsage, sequence(...usages.map((one) => oid(one))), false)]),
    ...(subtrees.length === 0 ? [] : [extension(OID.nameConstraints, sequence(...subtrees))]),
    ...(critical === undefined ? [] : [extension(critical, sequence())]),
  ];
}

function flattened(tagged: Asn1): Asn1 {
  const [inner] = tagged.value as unknown as readonly Asn1[];
  return { ...tagged, value: (inner as Asn1).value };
}

/** Creates a CA certificate. @param issuer CA above it; absent: self-signed */
export async function constrainedCA(
  name: string,
  given: CAExtensions,
  issuer?: { readonly name: string; readonly pair: KeyPair; readonly key: KeyObject },
): Promise<{ readonly name: string; readonly pair: KeyPair; readonly key: KeyObject }> {
  const key = await makeKey('ec-p256');
  const algorithm = sequence(oid(OID.ecdsaSha256));
  const tbs = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(
      keyIdentifier(key)
        .subarray(0, 8)
        .map((byte, index) => (index === 0 ? 0x40 : byte)),
    ),
    algorithm,
    nameOf(issuer?.name ?? name),
    sequence(time(inDays(-1)), time(inDays(3650))),
    nameOf(name),
    decode(createPublicKey(key).export({ type: 'spki', format: 'der' })),
    explicit(3, sequence(...extensionsOf(given, key))),
  );
  const signature = sign('sha256', encode(tbs), issuer?.key ?? key);
  const certificate = certificatePem(encode(sequence(tbs, algorithm, bits(signature))));
  return { name, key, pair: { certificate, key: privateKeyPem(key) } };
}

/** Time of the certificates. */
export const ISSUED = NOW;
