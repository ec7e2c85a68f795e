/** Reads parts of a certificate that the X.509 parser of Node.js does not expose. */
import { children, contents, decode, dotted, isContext } from './asn1.ts';
import type { Asn1 } from './asn1.ts';
import { formatAddress } from './address.ts';
import { OID } from './oids.ts';

export interface Structure {
  /** complete subject, copied unchanged as issuer into signed certificates */
  readonly subject: Asn1;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** content of the extension; absent in certificates of some old CAs */
  readonly subjectKeyId?: Buffer;
  /** lower case, sorted */
  readonly dns: readonly string[];
  /** canonical text, sorted */
  readonly ips: readonly string[];
}

/**
 * Reads subject and subject alternative names.
 * @param der one X.509 version 3 certificate
 * @throws Error when the bytes are not such a certificate
 */
export function readStructure(der: Uint8Array): Structure {
  const [tbs] = children(decode(der));
  const fields = children(tbs);
  const first = fields[0] !== undefined && isContext(fields[0], 0) ? 1 : 0;
  const subject = fields[first + 4];
  if (subject === undefined) throw new Error('the certificate has no subject field');
  const extensions = extensionsOf(fields);
  const keyId = extensions.get(OID.subjectKeyId)?.content;
  const names = readNames(extensions.get(OID.subjectAltName)?.content);
  return {
    subject,
    commonName: attributes(subject, OID.commonName)[0] ?? '',
    organizations: attributes(subject, OID.organization),
    ...(keyId === undefined ? {} : { subjectKeyId: contents(decode(keyId)) }),
    ...names,
  };
}

export interface Extension {
  readonly critical: boolean;
  readonly content: Buffer;
}

/** Returns the extensions of a certificate by object identifier. @throws as readStructure */
export const readExtensions = (der: Uint8Array): ReadonlyMap<string, Extension> =>
  extensionsOf(children(children(decode(der))[0]));

/** @param fields of the signed part of a certificate */
function extensionsOf(fields: readonly Asn1[]): ReadonlyMap<string, Extension> {
  const field = fields.find((one) => isContext(one, 3));
  const list = children(children(field)[0]).map(children);
  // DER omits the default value of `critical`, which is FALSE.
  return new Map(
    list.map((parts) => [
      dotted(parts[0]),
      { critical: parts.length === 3, content: contents(parts.at(-1)) },
    ]),
  );
}

function readNames(extension: Buffer | undefined): Pick<Structure, 'dns' | 'ips'> {
  const names = extension === undefined ? [] : children(decode(extension));
  const dns = names.filter((name) => isContext(name, 2)).map((name) => contents(name).toString());
  const ips = names.filter((name) => isContext(name, 7)).map((name) => contents(name));
  return {
    dns: dns.map((name) => name.toLowerCase()).sort(),
    ips: ips
      .filter((bytes) => bytes.length === 4 || bytes.length === 16)
      .map(formatAddress)
      .sort(),
  };
}

/** Returns the values of one attribute type of a distinguished name. */
const attributes = (name: Asn1, type: string): readonly string[] =>
  children(name)
    .flatMap((relative) => children(relative))
    .map(children)
    .filter(([identifier]) => dotted(identifier) === type)
    .map(([, value]) => contents(value).toString('utf8'));

/** Returns the public key bits of a SubjectPublicKeyInfo, the input for key identifiers. */
export function publicKeyBits(spki: Uint8Array): Buffer {
  const [, key] = children(decode(spki));
  return contents(key).subarray(1);
}
