/**
 * Restricts the addresses that the operator connects to on behalf of a user (protection against SSRF). Loopback,
 * link-local and cloud metadata addresses reach services of the Pod or node of the operator that the user cannot
 * reach.
 */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import type { InTurn } from '../fairness/received-data.ts';

/** A CIDR range such as `10.0.0.0/8`. */
export type Cidr = readonly [IPv4 | IPv6, number];

/** Ranges of restricted addresses that the operator may connect to nevertheless. */
export interface AddressPolicy {
  readonly allowed: readonly Cidr[];
}

/** How the operator connects to the addresses that the users of one namespace specify. */
export interface TenantAddresses extends AddressPolicy {
  /** Resolves names. */
  readonly lookup: LookupFunction;
  /** Handles what the servers send. Without it, all is handled at once. */
  readonly inTurn?: InTurn;
}

/** Returns how the operator connects to the addresses that the users of a namespace specify. */
export type AddressesOf = (namespace: string) => TenantAddresses;

/** Default policy: no restricted address is allowed. */
export const DEFAULT_ADDRESSES: AddressPolicy = { allowed: [] };

/** Parses a CIDR range. A single address is a range with one address. @throws Error when the text is neither */
export function parseCidr(text: string): Cidr {
  if (ipaddr.isValid(text)) {
    const address = ipaddr.parse(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  return ipaddr.parseCIDR(text);
}

/** Metadata addresses outside the link-local ranges: AWS, Google, Oracle, Alibaba and Azure. */
const METADATA = [
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  '192.0.0.192',
  '100.100.100.200',
  '168.63.129.16',
].map(parseCidr);

/** Range names of ipaddr.js and their names in messages. */
const REFUSED: Readonly<Record<string, string>> = {
  unspecified: 'unspecified',
  loopback: 'loopback',
  linkLocal: 'link-local',
  multicast: 'multicast',
  broadcast: 'broadcast',
};

/**
 * Reason why the operator does not connect to an address.
 * @returns the kind of the address, such as `loopback`; undefined when the address is allowed
 */
export function refusedKind(address: string, { allowed }: AddressPolicy): string | undefined {
  if (!ipaddr.isValid(withoutZone(address))) return 'unknown';
  const parsed = unwrapped(ipaddr.process(withoutZone(address)));
  if (allowed.some((range) => contains(range, parsed))) return undefined;
  if (METADATA.some((range) => contains(range, parsed))) return 'metadata';
  return REFUSED[parsed.range()];
}

const withoutZone = (address: string): string => address.split('%', 1)[0] ?? '';

/** Extracts an IPv4 address from IPv6: mapped (RFC 4291), translated (RFC 6052) or 6to4 (RFC 3056). */
function unwrapped(address: IPv4 | IPv6): IPv4 | IPv6 {
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === 'rfc6052' || range === 'rfc6145') return ipaddr.fromByteArray(bytes.slice(12));
  if (range === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6));
  const compatible = bytes.length === 16 && bytes.slice(0, 12).every((byte) => byte === 0);
  return compatible && (bytes[12] ?? 0) !== 0 ? ipaddr.fromByteArray(bytes.slice(12)) : address;
}

function contains([network, bits]: Cidr, address: IPv4 | IPv6): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/** The operator rejects a connection to a restricted address. */
export class AddressError extends Error {
  readonly code = ADDRESS_NOT_ALLOWED;

  constructor(host: string, address: string, kind: string) {
    const what = host === address ? host : `${host} resolves to ${address}, which`;
    super(
      `${what} is ${withArticle(kind)} address, and the operator does not connect to such addresses; use another address, or start the operator with --allow-addresses`,
    );
    this.name = 'AddressError';
  }
}

const withArticle = (kind: string): string => `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;

/** Error code of AddressError. */
export const ADDRESS_NOT_ALLOWED = 'ERR_ADDRESS_NOT_ALLOWED';

/**
 * Checks a host without DNS lookup. Behind a proxy this is the only check, because the proxy resolves the name.
 * @param host of a URL: a name, or an address with or without brackets
 * @returns the error when the host is a restricted address or `localhost`; undefined otherwise
 */
export function hostError(host: string, policy: AddressPolicy): AddressError | undefined {
  const bare = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isLocal = /(^|\.)localhost$/i.test(bare);
  const address = isLocal ? '127.0.0.1' : bare;
  if (isIP(withoutZone(address)) === 0) return undefined;
  const kind = refusedKind(address, policy);
  return kind === undefined ? undefined : new AddressError(bare, bare, kind);
}

/**
 * Wraps a DNS lookup for connections. It returns only allowed addresses, so that the connection uses the very address
 * that was checked (protection against DNS rebinding).
 */
export function guardedLookup(policy: TenantAddresses): LookupFunction {
  return (name, options, done) => {
    policy.lookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '');
      const addresses = listOf(found);
      const allowed = addresses.filter(({ address }) => refusedKind(address, policy) === undefined);
      const [first] = allowed;
      if (first === undefined) return done(errorOf(name, addresses, policy), '');
      if (options.all === true) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

const listOf = (found: string | LookupAddress[]): readonly LookupAddress[] =>
  typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;

function errorOf(
  name: string,
  [first]: readonly LookupAddress[],
  policy: AddressPolicy,
): NodeJS.ErrnoException {
  if (first === undefined)
    return Object.assign(new Error(`${name}: no address found`), { code: 'ENOTFOUND' });
  return new AddressError(name, first.address, refusedKind(first.address, policy) ?? 'unknown');
}
