/** CAs during a rotation: pure, besides new keys. CAs are SHA-256 fingerprints. */
import { optionalField } from '../kubernetes/objects/records.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import { bundleOf, createSuccessor, readSuccessor, type Successor } from './bundle.ts';
import { identifyCertificate } from './certificate-info.ts';
import type { Issuance } from './keys.ts';
import { NEW_KEY } from './key-plan.ts';
import { issueProbe, probedRoot } from './probe.ts';
import type { CertificateIdentity } from './public-info.ts';
import type { AuthoritySpec } from './specs.ts';
import type { Authority, AuthorityName, KeyPair } from './types.ts';

/** What a rotation demands of one CA. */
export interface AuthorityPlan {
  /** CA that signs. */
  readonly signer: string;
  /** What clients trust, that which signs first. */
  readonly bundle: readonly string[];
  /** CA that signs next, whose private key is kept. `new`: one that no bundle contains, which is created if there is none. */
  readonly successor?: string;
  /** CA that signed before. Without it, its private key is destroyed. */
  readonly retired?: string;
  /** CA of the stored leaf that shows who still accepts it. */
  readonly probe?: string;
  /** CA that is certified by its predecessor, as long as both private keys exist. */
  readonly certified?: { readonly root: string; readonly by: string };
  /** Whether the Secret of a custom CA has the CA that signs next. */
  readonly isProvided?: true;
}

/** Plans of the CAs that are rotated. */
export type AuthorityPlans = ReadonlyMap<AuthorityName, AuthorityPlan>;

/** What the Secrets have of one CA. */
interface StoredAuthority {
  /** The CA of each Secret, that in use first. */
  readonly found: readonly Authority[];
  readonly probe?: KeyPair;
}

type Identity = Pick<CertificateIdentity, 'sha256'>;

/** A certificate with what it is known by. */
interface Certificate {
  readonly pem: string;
  readonly id: Identity;
}

type Certificates = ReadonlyMap<string, Certificate>;
type Pairs = ReadonlyMap<string, Successor>;

/**
 * Returns the CA as a plan demands it.
 * @returns undefined if a certificate or a private key that the plan needs is missing, so that nobody ever trusts less than it must; also
 *   if the plan is of an earlier phase than the Secret in use, because a CA backup Secret was restored
 */
export async function withAuthorityPlan(
  spec: AuthoritySpec,
  stored: StoredAuthority,
  plan: AuthorityPlan,
  issuance: Issuance,
): Promise<Authority | undefined> {
  if (isOutdated(plan, stored)) return undefined;
  const pairs = pairsIn(stored.found);
  const certificates = certificatesIn(stored);
  const active = pairs.get(plan.signer);
  const bundle = plan.bundle.flatMap((sha256) => certificates.get(sha256) ?? []);
  if (active === undefined || bundle.length < plan.bundle.length) return undefined;
  const retired = plan.retired === undefined ? undefined : pairs.get(plan.retired);
  const next = await successorOf(spec, { plan, pairs }, issuance);
  const probe = await probeOf(spec, { stored, plan, pairs }, issuance);
  return assembled({ active, next, retired, probe }, bundle);
}

/** Whether the plan lets a CA sign again that clients no longer trust, or replaces a CA that it does not know. */
function isOutdated(plan: AuthorityPlan, { found: [used] }: StoredAuthority): boolean {
  const { signer, probe, successor } = plan;
  const sha256 = used?.info.active.sha256;
  if (used === undefined || probe === undefined || sha256 === signer) return false;
  // The former CA has a probe from the first phase on, in which the next one is the successor.
  const isFirst = signer === probe;
  if (sha256 !== (isFirst ? successor : probe)) return true;
  return isFirst && used.info.bundle.every((one) => one.sha256 !== signer);
}

interface Parts {
  readonly active: Successor;
  readonly next: Successor | undefined;
  readonly retired: Successor | undefined;
  readonly probe: KeyPair | undefined;
}

/** Joins the parts of a CA. @param bundle what clients trust */
function assembled(
  { active, next, retired, probe }: Parts,
  bundle: readonly Certificate[],
): Authority {
  const order = [active.info.sha256, next?.info.sha256];
  const rank = ({ id }: Certificate): number => {
    const place = order.indexOf(id.sha256);
    return place < 0 ? order.length : place;
  };
  const sorted = bundle.toSorted((one, other) => rank(one) - rank(other));
  const place = sorted.some((one) => rank(one) === 1) ? 'successor' : 'unpublished';
  return {
    active: active.pair,
    ...optionalField(place, next?.pair),
    ...optionalField('retired', retired?.pair),
    ...optionalField('probe', probe),
    trusted: sorted.filter((one) => rank(one) === order.length).map(({ pem }) => pem),
    info: {
      active: active.info,
      ...optionalField(place, next?.info),
      ...optionalField('retired', retired?.info),
      bundle: sorted.map(({ id }) => id),
    },
  };
}

/** Returns the private keys of CAs with their certificates, by SHA-256. */
export const pairsIn = (found: readonly Authority[]): Pairs =>
  new Map(
    found.flatMap(({ active, successor, retired, info }) =>
      [
        [active, info.active] as const,
        [successor, info.successor] as const,
        [retired, info.retired] as const,
      ].flatMap(([pair, one]) =>
        pair === undefined || one === undefined ? [] : [[one.sha256, { pair, info: one }] as const],
      ),
    ),
  );

const certificatesIn = ({ found, probe }: StoredAuthority): Certificates =>
  new Map([
    ...probedIn(probe),
    ...found.flatMap((authority) => [
      ...zip(bundleOf(authority), authority.info.bundle),
      ...zip([authority.retired?.certificate], [authority.info.retired]),
    ]),
  ]);

/** In the last phase, the former CA is in no bundle. When it is aborted, its certificate comes from the leaf that it signed. */
function probedIn(probe: KeyPair | undefined): readonly (readonly [string, Certificate])[] {
  const [, pem] = certificateBlocks(probe?.certificate ?? '');
  return zip([pem], [pem === undefined ? undefined : identifyCertificate(pem)]);
}

/** Joins certificates with what they are known by, which is in the same order. */
const zip = (
  pems: readonly (string | undefined)[],
  ids: readonly (Identity | undefined)[],
): readonly (readonly [string, Certificate])[] =>
  pems.flatMap((pem, index) => {
    const id = ids[index];
    return pem === undefined || id === undefined ? [] : [[id.sha256, { pem, id }] as const];
  });

async function successorOf(
  spec: AuthoritySpec,
  { plan, pairs }: { readonly plan: AuthorityPlan; readonly pairs: Pairs },
  issuance: Issuance,
): Promise<Successor | undefined> {
  const { successor, bundle } = plan;
  if (successor === undefined) return undefined;
  if (successor !== NEW_KEY) return pairs.get(successor);
  const unused = [...pairs].find(([sha256]) => !bundle.includes(sha256));
  return unused?.[1] ?? readSuccessor(await createSuccessor(spec, issuance.keys, issuance));
}

interface Probing {
  readonly stored: StoredAuthority;
  readonly plan: AuthorityPlan;
  readonly pairs: Pairs;
}

/** The stored leaf, which outlives the private key of its CA, or a new one as long as this key exists. */
async function probeOf(
  { name }: AuthoritySpec,
  { stored, plan, pairs }: Probing,
  issuance: Issuance,
): Promise<KeyPair | undefined> {
  const { probe: root } = plan;
  if (root === undefined) return undefined;
  const { probe } = stored;
  if (probe !== undefined && probedRoot(probe, issuance.now) === root) return probe;
  const authority = pairs.get(root)?.pair;
  return authority && issueProbe(name, authority, issuance);
}

/** Fields of a stored CA. */
export const storedAuthority = (
  found: readonly (Authority | undefined)[],
  probe: KeyPair | undefined,
): StoredAuthority => ({
  found: found.filter((one) => one !== undefined),
  ...optionalField('probe', probe),
});
