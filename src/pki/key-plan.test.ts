import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ensureCertificates } from './ensure.ts';
import { decode, issuance, ready, readsOf, request } from './fixture.test-data.ts';
import { keyFactsOf, NEW_KEY, withKeyPlan, type KeyPlan } from './key-plan.ts';
import { makeKey, type KeyGenerator } from './keys.ts';
import { privateKeyPem, publicKeyPem } from './pem.ts';
import { serviceAccountIn } from './secrets-read.ts';
import type { SecretData, SecretReads, SecretRole, ServiceAccountKeys } from './types.ts';

const [a, b, c] = await Promise.all([makeKey('ec-p256'), makeKey('ec-p256'), makeKey('ec-p256')]);
const pem = { A: privateKeyPem(a), B: privateKeyPem(b), C: privateKeyPem(c) };
const pub = { A: publicKeyPem(a), B: publicKeyPem(b), C: publicKeyPem(c) };
const hash = {
  A: hashOf(pem.A),
  B: hashOf(pem.B),
  C: hashOf(pem.C),
};

function hashOf(key: string): string {
  const verifying = [createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString()];
  return keyFactsOf({ signing: key, verifying }).signing;
}

/** Creates C. */
const C_NEXT: KeyGenerator = { generate: () => Promise.resolve(c) };

const BEFORE: ServiceAccountKeys = { signing: pem.A, verifying: [pub.A], successor: pem.B };

const PREPARING: KeyPlan = {
  signing: hash.A,
  verifying: [hash.A, hash.B],
  successor: hash.B,
};
const SWITCHING: KeyPlan = { signing: hash.B, verifying: [hash.B, hash.A], retired: hash.A };
const FORMER = { former: hash.A };
const OVERLAP: KeyPlan = {
  ...{ signing: hash.B, verifying: [hash.B, hash.A], successor: NEW_KEY },
  ...FORMER,
};
const COMPLETING: KeyPlan = {
  ...{ signing: hash.B, verifying: [hash.B, hash.C], successor: hash.C },
  ...FORMER,
};
const COMPLETED: ServiceAccountKeys = {
  ...{ signing: pem.B, verifying: [pub.B, pub.C], successor: pem.C },
  former: pub.A,
};

const SWITCHED: ServiceAccountKeys = {
  signing: pem.B,
  verifying: [pub.B, pub.A],
  retired: pem.A,
};

describe('withKeyPlan', () => {
  it.each<[string, ServiceAccountKeys, KeyPlan, ServiceAccountKeys]>([
    [
      'creates a successor',
      { signing: pem.A, verifying: [pub.A] },
      { successor: NEW_KEY },
      {
        ...{ signing: pem.A, verifying: [pub.A], successor: pem.C },
      },
    ],
    ['keeps a successor that verifies nothing', BEFORE, { successor: NEW_KEY }, BEFORE],
    ['verifies with both keys', BEFORE, PREPARING, { ...BEFORE, verifying: [pub.A, pub.B] }],
    ['signs with the new key', { ...BEFORE, verifying: [pub.A, pub.B] }, SWITCHING, SWITCHED],
    [
      'signs with the former key again',
      SWITCHED,
      PREPARING,
      {
        ...{ signing: pem.A, verifying: [pub.A, pub.B], successor: pem.B },
      },
    ],
    [
      'destroys the former key, and creates the next one',
      SWITCHED,
      OVERLAP,
      {
        ...{ signing: pem.B, verifying: [pub.B, pub.A], successor: pem.C },
        former: pub.A,
      },
    ],
    ['ends the trust in the former key', { ...SWITCHED, successor: pem.C }, COMPLETING, COMPLETED],
    [
      'trusts the former key again when the last phase is aborted',
      COMPLETED,
      OVERLAP,
      { ...COMPLETED, verifying: [pub.B, pub.A] },
    ],
    [
      'changes nothing without the key that signs',
      { signing: pem.A, verifying: [pub.A] },
      {
        ...SWITCHING,
      },
      { signing: pem.A, verifying: [pub.A] },
    ],
    ['changes nothing without a key that verifies', BEFORE, COMPLETING, BEFORE],
  ])('%s', async (_, before, plan, expected) => {
    expect(await withKeyPlan(before, plan, C_NEXT)).toEqual(expected);
  });
});

describe('a rotation that is interrupted between two Secrets', () => {
  const keysIn = (reads: SecretReads, role: SecretRole): ServiceAccountKeys => {
    const data = reads[role];
    const keys = typeof data === 'object' ? serviceAccountIn(data) : undefined;
    if (keys === undefined) throw new Error(`no keys in ${role}`);
    return keys;
  };
  const ensured = async (reads: SecretReads, keyPlan?: KeyPlan): Promise<SecretReads> =>
    readsOf(
      ready(
        await ensureCertificates(
          request({ reads, ...(keyPlan && { keyPlan }) }),
          issuance(undefined, { generate: makeKey }),
        ),
      ),
    );

  /** A plan for each phase, with the keys of a control plane. */
  async function phases(): Promise<{ first: SecretReads; plans: readonly KeyPlan[] }> {
    const installed = ready(
      await ensureCertificates(request(), issuance(undefined, { generate: makeKey })),
    );
    const first = await ensured(readsOf(installed), { successor: NEW_KEY });
    const { signing, successor = '' } = keyFactsOf(keysIn(first, 'ca-backup'));
    const both = [signing, successor];
    return {
      first,
      plans: [
        { signing, verifying: both, successor },
        { signing: successor, verifying: both.toReversed(), retired: signing },
        {
          ...{ signing: successor, verifying: both.toReversed(), successor: NEW_KEY },
          former: signing,
        },
      ],
    };
  }

  it('ends with the same keys, whichever Secret was written', async () => {
    const { first, plans } = await phases();
    let before = first;
    for (const plan of plans) {
      const whole = await ensured(before, plan);
      const kept = keyFactsOf(keysIn(whole, 'ca-backup'));
      for (const role of ['service-account-key', 'ca-backup'] as const) {
        const partly = { ...before, [role]: whole[role] };
        const after = await ensured(partly, plan);
        expect(keyFactsOf(keysIn(after, 'service-account-key'))).toEqual(
          keyFactsOf(keysIn(whole, 'service-account-key')),
        );
        const { successor, ...others } = keyFactsOf(keysIn(after, 'ca-backup'));
        expect(others.signing).toBe(kept.signing);
        expect(plan.successor === NEW_KEY || successor === kept.successor).toBe(true);
      }
      expect(await ensured(whole, plan)).toEqual(whole);
      before = whole;
    }
    // Without a plan, the keys stay, besides the former one at the end of the rotation.
    const { 'service-account-former.pub': former, ...saved } = before['ca-backup'] as SecretData;
    expect(former).toBeDefined();
    const after = await ensured(before);
    expect(after).toEqual({ ...before, 'ca-backup': saved });
    expect(await ensured(after)).toEqual(after);
    expect(decode(before['service-account-key'], 'service-account.pub')).toContain('PUBLIC KEY');
  });
});

describe('withKeyPlan after the restore of a CA backup Secret', () => {
  const saved = { successor: pem.A, retired: pem.B };

  it.each<[string, ServiceAccountKeys, KeyPlan]>([
    [
      'lets no former key sign that verifies nothing any more',
      { signing: pem.B, verifying: [pub.B, pub.C], ...saved },
      PREPARING,
    ],
    [
      'replaces no key that is none of the rotation',
      { signing: pem.C, verifying: [pub.C], ...saved },
      SWITCHING,
    ],
    [
      'replaces no key that is none of the rotation in the overlap',
      { signing: pem.C, verifying: [pub.C], ...saved },
      OVERLAP,
    ],
  ])('%s', async (_, keys, plan) => {
    expect(await withKeyPlan(keys, plan, C_NEXT)).toBe(keys);
  });
});
