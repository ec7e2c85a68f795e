import { describe, expect, it } from '@jest/globals';
import { CATALOG } from '../../api/component-catalog.ts';
import { authorityFacts } from '../../pki/authority-facts.ts';
import { ensureCertificates, type EnsureRequest } from '../../pki/ensure.ts';
import {
  INPUTS,
  issuance,
  NOW,
  ready,
  readsOf,
  request,
  type Ready,
} from '../../pki/fixture.test-data.ts';
import { certificateHashes } from '../../pki/hashes.ts';
import { keyFactsOf, NEW_KEY } from '../../pki/key-plan.ts';
import { serviceAccountIn } from '../../pki/secrets-read.ts';
import type { SecretReads } from '../../pki/types.ts';
import { ROTATION_PHASES, type RotationAuthority } from './authority.ts';
import { pkiPlansIn } from './pki-plans.ts';
import { EMPTY_RECORD, formatRecord, type Rotation } from './record.ts';
import { ROTATION_RESTARTS } from './restarts.ts';

const ensured = async (reads: SecretReads | undefined, more: Partial<EnsureRequest> = {}) =>
  ready(await ensureCertificates(request({ ...(reads && { reads }), ...more }), issuance()));

/** What signs and what is to sign. */
function rootsIn(authority: RotationAuthority, reads: SecretReads): Pick<Rotation, 'from' | 'to'> {
  if (authority !== 'service-account-key') {
    const { active, successor } = authorityFacts(INPUTS, authority, reads, NOW) ?? {};
    return { from: active?.sha256 ?? '', to: successor?.sha256 ?? '' };
  }
  const backup = reads['ca-backup'];
  const keys = typeof backup === 'object' ? serviceAccountIn(backup) : undefined;
  if (keys === undefined) throw new Error('no keys');
  const { signing, successor = '' } = keyFactsOf(keys);
  return { from: signing, to: successor };
}

/** Certificates of a new control plane, with the successor that a rotation needs, and then those of each phase. */
async function phasesOf(authority: RotationAuthority): Promise<readonly Ready[]> {
  const isKey = authority === 'service-account-key';
  const first = await ensured(readsOf(await ensured(undefined)), {
    ...(isKey && { keyPlan: { successor: NEW_KEY } }),
  });
  const all = [first];
  const roots = rootsIn(authority, readsOf(first));
  for (const phase of ROTATION_PHASES) {
    const reads = readsOf(all.at(-1) ?? first);
    const next = phase === 'Completing' ? { next: rootsIn(authority, reads).to } : {};
    const rotation: Rotation = { authority, phase, since: NOW.getTime(), ...roots, ...next };
    const plans = pkiPlansIn(formatRecord({ ...EMPTY_RECORD, rotations: [rotation] }));
    all.push(
      await ensured(reads, {
        ...{ authorityPlans: plans.authorities, keepsTrust: true },
        ...(plans.keys && { keyPlan: plans.keys }),
      }),
    );
  }
  return all;
}

/** How often the hash in the template of each component changes. */
function restartsIn(phases: readonly Ready[]): Readonly<Record<string, number>> {
  const hashes = phases.map(({ info }) => new Map(Object.entries(certificateHashes(INPUTS, info))));
  return Object.fromEntries(
    CATALOG.flatMap(({ name, suffix }) => {
      const own = hashes.map((all) => all.get(suffix));
      const count = own.filter((hash, index) => index > 0 && hash !== own[index - 1]).length;
      return count === 0 ? [] : [[name, count] as const];
    }),
  );
}

describe('ROTATION_RESTARTS', () => {
  it.each(Object.keys(ROTATION_RESTARTS) as RotationAuthority[])(
    'names each restart of a rotation of %s',
    async (authority) => {
      expect(restartsIn(await phasesOf(authority))).toEqual(ROTATION_RESTARTS[authority]);
    },
  );
});
