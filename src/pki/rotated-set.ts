/** Applies the plans of rotations to a certificate set. */
import {
  pairsIn,
  storedAuthority,
  withAuthorityPlan,
  type AuthorityPlans,
} from './authority-plan.ts';
import { withCross } from './cross-certificates.ts';
import { AUTHORITIES } from './inventory.ts';
import type { Issuance } from './keys.ts';
import { withKeyPlan, type KeyPlan } from './key-plan.ts';
import type { StartingSet } from './new-set.ts';
import { pairAt, type ParsedSecrets } from './secrets-read.ts';
import { withoutFormer } from './service-account-keys.ts';
import { probeLocation } from './spare-locations.ts';
import type { CertificateSet, SecretReads } from './types.ts';

interface Rotating {
  readonly reads: SecretReads;
  readonly parsed: ParsedSecrets;
  readonly keyPlan?: KeyPlan;
  readonly authorityPlans?: AuthorityPlans;
  /** Whether a rotation is under way, or a Secret is paused. */
  readonly keepsTrust?: boolean;
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
  { reads, parsed, authorityPlans }: Rotating,
  issuance: Issuance,
): Promise<Authorities> {
  let all = authorities;
  for (const spec of AUTHORITIES) {
    const { name } = spec;
    const plan = authorityPlans?.get(name);
    const found = parsed.authorities.get(name);
    if (plan === undefined || found === undefined) continue;
    const { joined, cert, 'ca-backup': saved, other } = found;
    const stored = storedAuthority(
      [joined, cert, saved, other],
      pairAt(reads, probeLocation(name)),
    );
    const planned = await withAuthorityPlan(spec, stored, plan, issuance);
    if (planned !== undefined) all = { ...all, [name]: planned };
  }
  return all;
}
