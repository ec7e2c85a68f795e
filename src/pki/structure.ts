/** Reads the parts of a certificate's structure that the platform's own parser does not give. */
import { children, contents, decode, dotted, isContext } from './asn1.ts';
import type { Asn1 } from './asn1.ts';
import { formatAddress } from './address.ts';
import { OID } from './oids.ts';

export interface Structure {
  /** the whole subject, to be put into other certificates as their issuer byte by byte */
  readonly subject: Asn1;
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** contents of the extension, absent in certificates of some old authorities */
  readonly subjectKeyId?: Buffer;
  /** lower case, sorted */
  readonly dns: readonly string[];
  /** canonical text, sorted */
  readonly ips: readonly string[];
}

/**
 * @param der one X.509 version 3 certificate
 * @throws when the bytes have no such structure
 */
export function readStructure(der: Uint8Array): Structure {
  const [tbs] = children(decode(der));
  const fields = children(tbs);
  const first = fields[0] !== undefined && isContext(fields[0], 0) ? 1 : 0;
  const subject = fields[first + 4];
  if (subject === undefined) throw new Error('the certificate has no subject field');
  const extensions = readExtensions(fields.find((field) => isContext(field, 3)));
  const keyId = extensions.get(OID.subjectKeyId);
  const names = readNames(extensions.get(OID.subjectAltName));
  return {
    subject,
    commonName: attributes(subject, OID.commonName)[0] ?? '',
    organizations: attributes(subject, OID.organization),
    ...(keyId === undefined ? {} : { subjectKeyId: contents(decode(keyId)) }),
    ...names,
  };
}

/** Contents of each extension by its identifier. */
function readExtensions(field: Asn1 | undefined): Map<string, Buffer> {
  const list = children(children(field)[0]).map(children);
  return new Map(list.map((parts) => [dotted(parts[0]), contents(parts.at(-1))]));
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

/** Values of one attribute of a distinguished name. */
const attributes = (name: Asn1, type: string): readonly string[] =>
  children(name)
    .flatMap((relative) => children(relative))
    .map(children)
    .filter(([identifier]) => dotted(identifier) === type)
    .map(([, value]) => contents(value).toString('utf8'));

/** DER of the public key bits of a SubjectPublicKeyInfo, which key identifiers are made from. */
export function publicKeyBits(spki: Uint8Array): Buffer {
  const [, key] = children(decode(spki));
  return contents(key).subarray(1);
}
