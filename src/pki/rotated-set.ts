/** Applies the plans of rotations to a certificate set. */
import { optionalField } from '../kubernetes/objects/records.ts';
import { certificateBlocks } from '../untrusted/pem.ts';
import {
  pairsIn,
  storedAuthority,
  withAuthorityPlan,
  type AuthorityPlans,
} from './authority-plan.ts';
import { identifyCertificate } from './certificate-info.ts';
import type { CustomCA } from './custom-ca.ts';
import { withCross } from './cross-certificates.ts';
import { AUTHORITIES } from './inventory.ts';
import type { Issuance } from './keys.ts';
import { withKeyPlan, type KeyPlan } from './key-plan.ts';
import type { StartingSet } from './new-set.ts';
import { providedAuthority } from './offered-ca.ts';
import { trialLeaves } from './plan.ts';
import { pairAt, valueAt, type ParsedSecrets } from './secrets-read.ts';
import { withoutFormer } from './service-account-keys.ts';
import { probeLocation } from './spare-locations.ts';
import type { AuthoritySpec } from './specs.ts';
import type { Authority, CertificateSet, PkiInputs, SecretReads } from './types.ts';

interface Rotating {
  readonly inputs: PkiInputs;
  /** See `EnsureRequest`. */
  readonly customAuthority?: CustomCA;
  readonly reads: SecretReads;
  readonly parsed: ParsedSecrets;
  readonly keyPlan?: KeyPlan;
  readonly authorityPlans?: AuthorityPlans;
  /** Whether a rotation is under way, or a Secret is paused. */
  readonly keepsTrust?: boolean;
  /** Whether the record of the rotations is not valid, so that nothing is known about CAs that no bundle contains. */
  readonly isRecordUnknown?: boolean;
}

/** Returns the set with the CAs and ServiceAccount keys that rotations demand. Others stay as they are. */
export async function rotated(
  start: StartingSet,
  rotating: Rotating,
  issuance: Issuance,
): Promise<StartingSet> {
  const authorities = await rotatedAuthorities(start.set.authorities, rotating, issuance);
  const { serviceAccount } = start.set;
  const { keyPlan, keepsTrust } = rotating;
  const cross = await certifiedAuthority({ ...start.set, authorities }, rotating, issuance);
  const set = { ...start.set, authorities, ...(cross.length > 0 && { cross }) };
  if (serviceAccount === undefined) return { ...start, set };
  if (keyPlan === undefined) {
    const isKept = keepsTrust === true || serviceAccount.former === undefined;
    const keys = isKept ? serviceAccount : withoutFormer(serviceAccount);
    return { ...start, set: { ...set, serviceAccount: keys } };
  }
  const planned = await withKeyPlan(serviceAccount, keyPlan, issuance.keys);
  return { ...start, set: { ...set, serviceAccount: planned } };
}

/** Returns the CAs that are certified by their predecessors, with that of a rotation. */
async function certifiedAuthority(
  { authorities: { ca }, cross = [] }: CertificateSet,
  { authorityPlans }: Rotating,
  issuance: Issuance,
): Promise<readonly string[]> {
  const { certified } = authorityPlans?.get('ca') ?? {};
  if (certified === undefined || ca === undefined) return cross;
  const pairs = pairsIn([ca]);
  const [root, by] = [certified.root, certified.by].map((sha256) => pairs.get(sha256)?.pair);
  return root === undefined || by === undefined ? cross : withCross(cross, { root, by }, issuance);
}

type Authorities = CertificateSet['authorities'];

async function rotatedAuthorities(
  authorities: Authorities,
  rotating: Rotating,
  issuance: Issuance,
): Promise<Authorities> {
  const { reads, parsed, authorityPlans, isRecordUnknown } = rotating;
  if (isRecordUnknown === true) return keptAuthorities(authorities, reads);
  let all = authorities;
  for (const spec of AUTHORITIES) {
    const { name } = spec;
    const plan = authorityPlans?.get(name);
    const found = parsed.authorities.get(name);
    if (plan === undefined || found === undefined) continue;
    const { joined, cert, 'ca-backup': saved, other } = found;
    const provided = plan.isProvided ? providedIn(rotating, issuance) : undefined;
    const stored = storedAuthority(
      [joined, cert, saved, other, provided],
      pairAt(reads, probeLocation(name)),
    );
    const planned = await withAuthorityPlan(spec, stored, plan, issuance);
    if (planned !== undefined) all = { ...all, [name]: planned };
  }
  return all;
}

/** The CA that the user provides now. */
const providedIn = (
  { inputs, customAuthority }: Rotating,
  { now }: Issuance,
): Authority | undefined =>
  customAuthority && providedAuthority(customAuthority, { now, leaves: trialLeaves(inputs) });

/** Returns the CAs with what a rotation may need later, and publishes no successor that no bundle contains yet. */
const keptAuthorities = (authorities: Authorities, reads: SecretReads): Authorities =>
  Object.fromEntries(
    AUTHORITIES.flatMap((spec) => {
      const authority = authorities[spec.name];
      if (authority === undefined) return [];
      const probe = pairAt(reads, probeLocation(spec.name));
      const kept = isPublished(spec, authority, reads) ? authority : withheld(authority);
      return [[spec.name, { ...kept, ...optionalField('probe', probe) }] as const];
    }),
  );

/** Whether a bundle contains the successor. */
const isPublished = (
  { stored }: AuthoritySpec,
  { info: { successor } }: Authority,
  reads: SecretReads,
): boolean =>
  stored
    .map(({ secret, certificate }) => valueAt(reads, secret, certificate) ?? '')
    .flatMap(certificateBlocks)
    .some((pem) => identifyCertificate(pem)?.sha256 === successor?.sha256);

/** Keeps the successor only in the CA backup Secret. */
function withheld({ successor, info, ...authority }: Authority): Authority {
  const { successor: next, ...known } = info;
  const bundle = info.bundle.filter(({ sha256 }) => sha256 !== next?.sha256);
  return {
    ...authority,
    ...optionalField('unpublished', successor),
    info: { ...known, bundle, ...optionalField('unpublished', next) },
  };
}
