/**
 * Constraints of a CA certificate on the certificates below it (RFC 5280, 4.2.1.3, 4.2.1.9, 4.2.1.10, 4.2.1.12), as the TLS
 * libraries of Go and OpenSSL apply them. Pure functions.
 */
import type { X509Certificate } from 'node:crypto';
import { readCertificate } from '../untrusted/x509.ts';
import { parseAddress } from './address.ts';
import { children, contents, decode, dotted, isContext, type Asn1 } from './asn1.ts';
import { isSignedBy } from './certificate-info.ts';
import { OID } from './oids.ts';
import type { ExtendedUsage } from './public-info.ts';
import { readExtensions, type Extension } from './structure.ts';

/** A certificate that the CA would sign. */
export interface TrialLeaf {
  readonly name: string;
  readonly usages: readonly ExtendedUsage[];
  readonly dns: readonly string[];
  readonly ips: readonly string[];
}

interface Subtrees {
  readonly dns: readonly string[];
  /** Address and mask, 8 or 32 bytes. */
  readonly ips: readonly Uint8Array[];
}

interface Constraints {
  /** Whether the key may sign certificates. */
  readonly signs: boolean;
  /** Number of CA certificates below it; absent: no limit. */
  readonly pathLength?: number;
  /** Object identifiers of the extended key usage; absent: all usages. */
  readonly usages?: readonly string[];
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** Critical extensions, or forms of names in critical name constraints, that Go programs reject. */
  readonly unsupported: readonly string[];
}

const NONE: Subtrees = { dns: [], ips: [] };
/** Critical extensions that Go programs accept. */
const KNOWN: ReadonlySet<string> = new Set([
  OID.keyUsage,
  OID.subjectAltName,
  OID.basicConstraints,
  OID.nameConstraints,
  OID.extendedKeyUsage,
  OID.subjectKeyId,
  OID.authorityKeyId,
  OID.certificatePolicies,
  OID.distributionPoints,
  OID.policyConstraints,
  OID.policyMappings,
  OID.inhibitAnyPolicy,
]);

/**
 * Explains why clients would not accept the certificates of a CA.
 * @param chain PEM: certificate of the CA, then the certificates above it up to the root, as far as they are known
 * @returns a clause that follows the name of the CA; undefined if they accept all of them
 */
export function constraintFault(
  chain: readonly string[],
  leaves: readonly TrialLeaf[],
): string | undefined {
  for (const [depth, pem] of chain.entries()) {
    const certificate = readCertificate(pem);
    if (certificate === undefined) return 'the certificate of a CA is not readable';
    const own = faultOf(readConstraints(certificate), depth, leaves);
    const subject = certificate.subject.replaceAll('\n', ', ');
    if (own !== undefined) return `the CA certificate "${subject}" ${own}`;
  }
  return undefined;
}

/** Public CAs have chains of two or three. The limit bounds the signatures to verify, because users choose the certificates. */
const MAX_CHAIN_LENGTH = 8;

/**
 * Returns a CA certificate and those above it, up to the root, in this order.
 * @param others PEM certificates that may be above it
 */
export function chainOf(own: string, others: readonly string[]): readonly string[] {
  const chain = [own];
  for (let last = own; chain.length < MAX_CHAIN_LENGTH;) {
    const current = last;
    const issuer = others.find((other) => !chain.includes(other) && isSignedBy(current, other));
    if (issuer === undefined) return chain;
    chain.push(issuer);
    last = issuer;
  }
  return chain;
}

function faultOf(
  constraints: Constraints | undefined,
  depth: number,
  leaves: readonly TrialLeaf[],
): string | undefined {
  if (constraints === undefined) return 'has extensions that are not valid DER';
  const { signs, pathLength, unsupported } = constraints;
  if (!signs) return 'has a key usage without keyCertSign, so it must not sign certificates';
  if (pathLength !== undefined && pathLength < depth)
    return `has a path length constraint of ${pathLength}, but ${depth} CA certificates are below it`;
  if (unsupported.length > 0)
    return `has critical constraints that the components do not support (${unsupported.join(', ')})`;
  return usageFault(constraints, leaves) ?? nameFault(constraints, leaves);
}

function usageFault({ usages }: Constraints, leaves: readonly TrialLeaf[]): string | undefined {
  // OpenSSL, and so this operator, does not accept anyExtendedKeyUsage of a CA.
  if (usages === undefined) return undefined;
  const lacking = (['serverAuth', 'clientAuth'] as const).filter(
    (usage) => !usages.includes(OID[usage]) && leaves.some((leaf) => leaf.usages.includes(usage)),
  );
  return lacking.length === 0
    ? undefined
    : `has an extended key usage without ${lacking.join(' and ')}, which certificates of the control plane need`;
}

function nameFault(
  { permitted, excluded }: Constraints,
  leaves: readonly TrialLeaf[],
): string | undefined {
  const names = [...new Set(leaves.flatMap(({ dns }) => dns))];
  const addresses = [...new Set(leaves.flatMap(({ ips }) => ips))];
  const refused = [
    ...names.filter((name) => !isPermittedName(name, permitted.dns, excluded.dns)),
    ...addresses.filter((ip) => !isPermittedAddress(ip, permitted.ips, excluded.ips)),
  ];
  if (refused.length === 0) return undefined;
  const shown = refused.slice(0, 5).join(', ');
  const more = refused.length > 5 ? ` and ${refused.length - 5} more` : '';
  return `has name constraints that do not permit the SANs ${shown}${more}`;
}

const isPermittedName = (
  name: string,
  permitted: readonly string[],
  excluded: readonly string[],
): boolean =>
  (permitted.length === 0 || permitted.some((tree) => isBelow(name, tree))) &&
  !excluded.some((tree) => isBelow(name, tree) || coversTree(name, tree));

/** Whether a DNS name is in a subtree. A leading dot of the subtree excludes the domain itself. */
function isBelow(name: string, tree: string): boolean {
  if (tree === '') return true;
  const domain = tree.toLowerCase();
  if (domain.startsWith('.')) return name.endsWith(domain);
  return name === domain || name.endsWith(`.${domain}`);
}

/** Whether a wildcard name contains a name of the subtree. */
const coversTree = (name: string, tree: string): boolean =>
  name.startsWith('*.') && isBelow(tree.toLowerCase(), name.slice(2));

function isPermittedAddress(
  text: string,
  permitted: readonly Uint8Array[],
  excluded: readonly Uint8Array[],
): boolean {
  const address = parseAddress(text);
  if (address === undefined) return true;
  const inAny = (trees: readonly Uint8Array[]): boolean =>
    trees.some((tree) => isInRange(address, tree));
  return (permitted.length === 0 || inAny(permitted)) && !inAny(excluded);
}

function isInRange(address: Uint8Array, tree: Uint8Array): boolean {
  if (tree.length !== address.length * 2) return false;
  return address.every((byte, index) => {
    const mask = tree[address.length + index] ?? 0;
    return (byte & mask) === ((tree[index] ?? 0) & mask);
  });
}

/** Reads the constraints of a CA certificate. @returns undefined if its extensions are malformed */
function readConstraints({ raw }: X509Certificate): Constraints | undefined {
  try {
    return constraintsIn(readExtensions(raw));
  } catch {
    return undefined;
  }
}

/** @throws Error if the content of an extension is not DER */
function constraintsIn(extensions: ReadonlyMap<string, Extension>): Constraints {
  const names = extensions.get(OID.nameConstraints);
  const usages = extensions.get(OID.extendedKeyUsage);
  const pathLength = pathLengthOf(extensions.get(OID.basicConstraints));
  return {
    signs: maySign(extensions.get(OID.keyUsage)),
    ...(pathLength !== undefined && { pathLength }),
    ...(usages && { usages: children(decode(usages.content)).map(dotted) }),
    permitted: subtrees(names, 0),
    excluded: subtrees(names, 1),
    unsupported: [
      ...[...extensions].flatMap(([oid, { critical }]) =>
        critical && !KNOWN.has(oid) ? [oid] : [],
      ),
      ...(names?.critical === true ? unsupportedNames(names) : []),
    ],
  };
}

const KEY_CERT_SIGN = 0x04;

/** The first byte of a BIT STRING is the number of its unused bits. */
const maySign = (extension: Extension | undefined): boolean =>
  extension === undefined || ((contents(decode(extension.content))[1] ?? 0) & KEY_CERT_SIGN) !== 0;

function pathLengthOf(extension: Extension | undefined): number | undefined {
  const [, length] = extension === undefined ? [] : children(decode(extension.content));
  return length === undefined ? undefined : Number(`0x0${contents(length).toString('hex')}`);
}

const subtreeNames = (extension: Extension | undefined, tag: 0 | 1): readonly Asn1[] =>
  (extension === undefined ? [] : children(decode(extension.content)))
    .filter((part) => isContext(part, tag))
    .flatMap(children)
    .flatMap((subtree) => children(subtree).slice(0, 1));

/** @param tag 0: permitted, 1: excluded */
function subtrees(extension: Extension | undefined, tag: 0 | 1): Subtrees {
  const names = subtreeNames(extension, tag);
  if (names.length === 0) return NONE;
  const of = (form: number): readonly Buffer[] =>
    names.filter((name) => isContext(name, form)).map(contents);
  return { dns: of(2).map((name) => name.toString('latin1')), ips: of(7) };
}

/** Forms of names in name constraints: e-mail, DNS, URI and IP address. */
const NAME_FORMS = [1, 2, 6, 7];

const unsupportedNames = (extension: Extension): readonly string[] =>
  ([0, 1] as const)
    .flatMap((tag) => subtreeNames(extension, tag))
    .some((name) => !NAME_FORMS.some((form) => isContext(name, form)))
    ? ['name constraints on other names than DNS names and IP addresses']
    : [];
