/** What the Secrets of a control plane have of one CA: pure. CAs are SHA-256 fingerprints. */
import { certificateBlocks } from '../untrusted/pem.ts';
import { optionalField } from '../kubernetes/objects/records.ts';
import { bundleOf, readAuthority, readSuccessor } from './bundle.ts';
import { constraintFault } from './ca-constraints.ts';
import { identifyCertificate, isSignedBy } from './certificate-info.ts';
import { crossSignedIn } from './cross-certificates.ts';
import { wantedAuthorities, wantedLeaves } from './inventory.ts';
import { probedRoot } from './probe.ts';
import type { AuthorityInfo, CertificateInfo } from './public-info.ts';
import { crossIn, pairAt, valueAt } from './secrets-read.ts';
import { probeLocation, retiredLocation, successorLocation } from './spare-locations.ts';
import type { AuthoritySpec } from './specs.ts';
import type { AuthorityName, KeyPair, PkiInputs, SecretReads, SecretRole } from './types.ts';

/** One Secret with certificates of the CA. */
interface SecretFacts {
  readonly role: SecretRole;
  /** CA of all its certificates; absent if they differ. */
  readonly signer?: string;
  /** CAs that it trusts; absent if it has only certificates. */
  readonly bundle?: readonly string[];
}

export interface AuthorityFacts {
  /** CA that signs, in the Secret in use. */
  readonly active: CertificateInfo;
  /** In the order in which certificates change: first that with the active CA. */
  readonly secrets: readonly SecretFacts[];
  /** CA that signs, in the CA backup Secret. */
  readonly saved: string;
  readonly successor?: CertificateInfo;
  /** Why clients that have only a copy of the active CA would not accept certificates of its successor. */
  readonly successorFault?: string;
  /** CAs whose certificate a Secret has. */
  readonly known: readonly string[];
  /** CAs with their private keys. */
  readonly pairs: ReadonlyMap<string, KeyPair>;
  /** Leaf certificate that shows who trusts a CA, by this CA. */
  readonly probes: ReadonlyMap<string, KeyPair>;
  /** Which CAs are certified by which. */
  readonly crossSigned: readonly { readonly root: string; readonly by: string }[];
}

/** Returns the Secrets with certificates or bundles of a CA, that with the active CA first, without the CA backup. */
export const rolesOf = (inputs: PkiInputs, name: AuthorityName): readonly SecretRole[] => {
  const stored = [
    ...wantedAuthorities(inputs).filter((one) => one.name === name),
    ...wantedLeaves(inputs).filter(({ signer }) => signer === name),
  ].flatMap((one) => one.stored.map(({ secret }) => secret));
  return [...new Set(stored)].filter((role) => role !== 'ca-backup');
};

/** Reads a CA. @returns undefined if one of its Secrets has no readable CA */
export function authorityFacts(
  inputs: PkiInputs,
  name: AuthorityName,
  reads: SecretReads,
  now: Date,
): AuthorityFacts | undefined {
  const spec = wantedAuthorities(inputs).find((one) => one.name === name);
  if (spec === undefined) return undefined;
  const [used, saved] = [infoIn(spec, reads, 'cert'), infoIn(spec, reads, 'ca-backup')];
  if (used === undefined || saved === undefined) return undefined;
  const [successor, retired] = [successorLocation(name), retiredLocation(name)].map((location) =>
    readSuccessor(pairAt(reads, location)),
  );
  const spares = [saved.own, ...(successor ? [successor] : []), ...(retired ? [retired] : [])];
  const known: Known = new Map([
    ...used.certificates,
    ...saved.certificates,
    ...spares.map(({ pair, info }) => [info.sha256, pair.certificate] as const),
  ]);
  const probes = probesIn(pairAt(reads, probeLocation(name)), now);
  const isOther = successor !== undefined && successor.info.sha256 !== saved.own.info.sha256;
  const next = isOther ? successor : undefined;
  return {
    active: used.own.info,
    secrets: rolesOf(inputs, name).map((role) => secretFacts(inputs, { spec, role, reads }, known)),
    saved: saved.own.info.sha256,
    ...optionalField('successor', next?.info),
    ...optionalField('successorFault', faultBelow(name, used.own, next)),
    known: [...known.keys(), ...probes.keys()],
    pairs: new Map(spares.map(({ pair, info }) => [info.sha256, pair])),
    probes,
    crossSigned: crossSignedOf(name, reads, known),
  };
}

/** Whether agents and users have copies of a CA. */
const isCopied = (name: AuthorityName): boolean => name === 'ca';

const crossSignedOf = (
  name: AuthorityName,
  reads: SecretReads,
  known: Known,
): AuthorityFacts['crossSigned'] =>
  isCopied(name) ? crossSignedIn(crossIn(reads, undefined), known) : [];

type Own = Read['own'];

/** Why clients with a copy of a CA would not accept certificates of its successor, which it certifies. */
function faultBelow(name: AuthorityName, own: Own, successor: Own | undefined): string | undefined {
  if (!isCopied(name) || successor === undefined) return undefined;
  return constraintFault([successor.pair.certificate, own.pair.certificate], []);
}

/** Certificates of CAs, PEM. */
type Known = ReadonlyMap<string, string>;

interface Read {
  readonly own: { readonly pair: KeyPair; readonly info: AuthorityInfo['active'] };
  readonly certificates: readonly (readonly [string, string])[];
}

function infoIn(
  { stored }: AuthoritySpec,
  reads: SecretReads,
  secret: SecretRole,
): Read | undefined {
  const location = stored.find((one) => one.secret === secret);
  const files = location && pairAt(reads, location);
  const authority = files && readAuthority({ bundle: files.certificate, key: files.key });
  if (authority === undefined) return undefined;
  const { active, info } = authority;
  return {
    own: { pair: active, info: info.active },
    certificates: bundleOf(authority).flatMap((pem, index) => {
      const id = info.bundle[index];
      return id === undefined ? [] : [[id.sha256, pem] as const];
    }),
  };
}

interface Place {
  readonly spec: AuthoritySpec;
  readonly role: SecretRole;
  readonly reads: SecretReads;
}

function secretFacts(inputs: PkiInputs, place: Place, known: Known): SecretFacts {
  const { spec, role, reads } = place;
  const own = infoIn(spec, reads, role)?.own.info.sha256;
  const leaves = wantedLeaves(inputs)
    .filter(({ signer }) => signer === spec.name)
    .flatMap(({ stored }) => stored.filter(({ secret }) => secret === role))
    .map((location) => signerOf(pairAt(reads, location), known));
  const isStored = spec.stored.some(({ secret }) => secret === role);
  const [signer, ...others] = new Set([...(isStored ? [own] : []), ...leaves]);
  return {
    role,
    ...optionalField('signer', others.length > 0 ? undefined : signer),
    ...optionalField('bundle', bundleIn(place)),
  };
}

/** Key of the bundle in Secrets of clients, which have no private key of a CA. */
const CLIENT_BUNDLE = 'ca.crt';

function bundleIn({ spec, role, reads }: Place): readonly string[] | undefined {
  const location = spec.stored.find(({ secret }) => secret === role);
  const isOfClients = spec.name === 'ca' && valueAt(reads, role, CLIENT_BUNDLE) !== undefined;
  const key = location?.certificate ?? (isOfClients ? CLIENT_BUNDLE : undefined);
  if (key === undefined) return undefined;
  const text = valueAt(reads, role, key) ?? '';
  return certificateBlocks(text).map((pem) => identifyCertificate(pem)?.sha256 ?? '');
}

/** Returns which of these CAs has signed a certificate. @param pairs by SHA-256 @returns undefined if none of them has */
export const signerAmong = (
  pairs: ReadonlyMap<string, KeyPair>,
  certificate: string,
): string | undefined =>
  [...pairs].find(([, one]) => isSignedBy(certificate, one.certificate))?.[0];

const signerOf = (pair: KeyPair | undefined, known: Known): string | undefined =>
  pair && [...known].find(([, pem]) => isSignedBy(pair.certificate, pem))?.[0];

function probesIn(probe: KeyPair | undefined, now: Date): ReadonlyMap<string, KeyPair> {
  const root = probe && probedRoot(probe, now);
  return new Map(probe === undefined || root === undefined ? [] : [[root, probe]]);
}
