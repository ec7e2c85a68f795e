/** The Secrets in each phase of a rotation to a CA that a user provides. */
import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { authorityFacts } from '../../pki/authority-facts.ts';
import type { CustomCA } from '../../pki/custom-ca.ts';
import { describeCertificate } from '../../pki/certificate-info.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import {
  countingRandom,
  decode,
  inDays,
  INPUTS as OWN,
  issuance,
  NOW,
  ready,
  readsOf,
  request,
  type Ready,
} from '../../pki/fixture.test-data.ts';
import { makeKey } from '../../pki/keys.ts';
import type { KeyPair, SecretReads } from '../../pki/types.ts';
import { selfSigned, signedBy } from '../../pki/x509.ts';
import { certificateBlocks } from '../../untrusted/pem.ts';
import { rotatedBy } from '../certificates/planned-by-rotation.ts';
import { customFacts } from './custom-facts.ts';
import { EMPTY_RECORD, formatRecord, type Rotation } from './record.ts';

const INPUTS = { ...OWN, customAuthority: true };
const CONTEXT = { now: NOW, random: countingRandom() };
const EARLIER = { now: inDays(-30), random: countingRandom() };

const secretOf = (key: string, ...bundle: readonly KeyPair[]): CustomCA => ({
  secret: 'team/example-ca',
  files: { bundle: bundle.map(({ certificate }) => certificate).join(''), key },
});
const MISSING: CustomCA = { secret: 'team/example-ca' };

const hashOf = ({ certificate }: Pick<KeyPair, 'certificate'>): string =>
  describeCertificate(certificate)?.sha256 ?? '';

/** A CA with a complete name, such as one that another CA has signed. */
async function subordinate(): Promise<KeyPair> {
  const root = await selfSigned('Example Root', await makeKey('ec-p256'), CONTEXT);
  const subject = { commonName: 'Example CA', organization: 'Example' };
  return signedBy(root, { subject, validityDays: 3_650 }, await makeKey('ec-p256'), CONTEXT);
}

const A = await selfSigned('Example CA', await makeKey('ec-p256'), EARLIER);
const B = await subordinate();
const [a, b] = [hashOf(A), hashOf(B)];

type Phase = Rotation['phase'];

const recordOf = (phase: Phase | undefined, more: Partial<Rotation> = {}): string | undefined => {
  if (phase === undefined) return undefined;
  const rotation = {
    authority: 'ca',
    phase,
    from: a,
    to: b,
    since: 0,
    custom: true,
    ...more,
  } as const;
  return formatRecord({ ...EMPTY_RECORD, rotations: [rotation] });
};

interface Given {
  readonly reads: SecretReads;
  readonly record: string | undefined;
  readonly customAuthority: CustomCA;
}

const ensured = async ({ reads, record, customAuthority }: Given): Promise<Ready> => {
  const rotating = rotatedBy(record, new Set(), false);
  const made = request({ inputs: INPUTS, reads, customAuthority, ...rotating });
  return ready(await ensureCertificates(made, issuance()));
};

/** What the Secrets have of the CA. */
function stateOf(reads: SecretReads) {
  const facts = authorityFacts(INPUTS, 'ca', reads, NOW);
  if (facts === undefined) throw new Error('no CA');
  return {
    signs: facts.active.sha256,
    signers: [...new Set(facts.secrets.map(({ signer }) => signer))],
    trusted: facts.secrets[0]?.bundle,
    saved: [...facts.pairs.keys()].sort(),
  };
}

type State = ReturnType<typeof stateOf>;

const stateWith = (signs: string, trusted: readonly string[], ...saved: string[]): State => ({
  ...{ signs, signers: [signs], trusted, saved: saved.toSorted() },
});

interface Step {
  readonly phase: Phase | undefined;
  readonly custom: CustomCA;
  readonly state: State;
}

const AFTER: readonly Omit<Step, 'custom'>[] = [
  { phase: 'Switching', state: stateWith(b, [b, a], a, b) },
  { phase: 'Overlap', state: stateWith(b, [b, a], b) },
  { phase: 'Completing', state: stateWith(b, [b], b) },
  { phase: undefined, state: stateWith(b, [b], b) },
];

const PREPARED = stateWith(a, [a, b], a, b);
const CASES: readonly (readonly [string, readonly Step[]])[] = [
  [
    'appends the certificate, and then swaps the private key',
    [
      { phase: 'Preparing', custom: secretOf(A.key, A, B), state: stateWith(a, [a, b], a) },
      { phase: 'Preparing', custom: secretOf(B.key, B, A), state: PREPARED },
      ...AFTER.map((one) => ({ ...one, custom: secretOf(B.key, B, A) })),
    ],
  ],
  [
    'replaces both at once, as cert-manager does',
    [
      { phase: 'Preparing', custom: secretOf(B.key, B), state: PREPARED },
      ...AFTER.map((one) => ({ ...one, custom: secretOf(B.key, B) })),
    ],
  ],
  [
    'deletes the Secret after the first phase',
    [
      { phase: 'Preparing', custom: secretOf(B.key, B), state: PREPARED },
      ...AFTER.map((one) => ({ ...one, custom: MISSING })),
    ],
  ],
];

let installed: SecretReads;
beforeAll(async () => {
  const customAuthority = secretOf(A.key, A);
  const made = request({ inputs: INPUTS, customAuthority });
  installed = readsOf(ready(await ensureCertificates(made, issuance())));
});

/** Prefixes after which the operator crashes: nothing, the CA in use, that of etcd, and all but the CA backup Secret. */
const isChecked = (count: number, all: number): boolean =>
  process.env['KARMADA_TEST_TIER'] === 'all' || count <= 2 || count === all - 1;

/** The Secrets after a crash behind writes. The CA backup Secret is written last. */
function prefixesOf(before: SecretReads, { secrets }: Ready): readonly SecretReads[] {
  const last = secrets.filter(({ role }) => role === 'ca-backup');
  const ordered = [...secrets.filter(({ role }) => role !== 'ca-backup'), ...last];
  return [...ordered.keys()]
    .filter((count) => isChecked(count, ordered.length))
    .map((count) => ({
      ...before,
      ...Object.fromEntries(ordered.slice(0, count).map(({ role, data }) => [role, data])),
    }));
}

describe.each(CASES)('the Secrets if a user %s', (_, steps) => {
  it('have the content of each phase, also after a crash behind a write', async () => {
    let reads = installed;
    for (const { phase, custom: customAuthority, state } of steps) {
      const given = { record: recordOf(phase), customAuthority };
      const result = await ensured({ ...given, reads });
      for (const crashed of prefixesOf(reads, result))
        expect(stateOf(readsOf(await ensured({ ...given, reads: crashed })))).toEqual(state);
      reads = readsOf(result);
      expect(stateOf(reads)).toEqual(state);
      // Nothing is written again.
      expect(readsOf(await ensured({ ...given, reads }))).toEqual(reads);
    }
  });
});

describe('a rotation to a custom CA', () => {
  const preparing = recordOf('Preparing');

  it('presents the CA certified by the former one, with its complete name', async () => {
    let reads = installed;
    for (const phase of ['Preparing', 'Switching'] as const)
      reads = readsOf(
        await ensured({ reads, record: recordOf(phase), customAuthority: secretOf(B.key, B) }),
      );
    const served = certificateBlocks(decode(reads.cert, 'apiserver.crt'));
    const [leaf, cross] = served.map((pem) => new X509Certificate(pem));
    expect(served).toHaveLength(2);
    expect(leaf?.issuer).toBe('O=Example\nCN=Example CA');
    expect(cross?.subject).toBe(leaf?.issuer);
    const former = new X509Certificate(A.certificate);
    expect(cross && leaf?.checkIssued(cross) && leaf.verify(cross.publicKey)).toBe(true);
    expect(cross?.checkIssued(former) && cross.verify(former.publicKey)).toBe(true);
  });

  it.each<[string, () => CustomCA]>([
    ['is missing', () => MISSING],
    ['has a key of no certificate', () => secretOf(B.key, A)],
    [
      'must not be used',
      () => ({ ...secretOf(B.key, B), refusal: { reason: 'SecretNotGranted', message: 'x' } }),
    ],
    ['has only the CA in use', () => secretOf(A.key, A)],
  ])('changes nothing while the Secret %s', async (_, custom) => {
    const given = { record: preparing, customAuthority: custom() };
    const { signs, trusted } = stateOf(readsOf(await ensured({ ...given, reads: installed })));
    expect([signs, trusted]).toEqual([a, [a]]);
  });

  it('keeps the trust in the new CA, and the key of the former one, when the Secret is deleted before its key was there', async () => {
    const appended = { record: preparing, customAuthority: secretOf(A.key, A, B) };
    const reads = readsOf(await ensured({ ...appended, reads: installed }));
    for (const phase of ['Preparing', 'Switching'] as const) {
      const given = { record: recordOf(phase), customAuthority: MISSING };
      expect(stateOf(readsOf(await ensured({ ...given, reads })))).toEqual(stateWith(a, [a, b], a));
    }
  });

  it('lets the former CA sign again after an abort', async () => {
    let reads = installed;
    const custom = secretOf(B.key, B);
    const records = [preparing, recordOf('Switching'), recordOf('Preparing', { returns: true })];
    for (const record of records)
      reads = readsOf(await ensured({ reads, record, customAuthority: custom }));
    expect(stateOf(reads)).toEqual(PREPARED);
    expect(
      stateOf(readsOf(await ensured({ reads, record: undefined, customAuthority: custom }))),
    ).toEqual(PREPARED);
  });
});

describe('customFacts', () => {
  it.each<[string, CustomCA | undefined, object]>([
    [
      'the new CA',
      secretOf(A.key, A, B),
      { secret: 'team/example-ca', keys: [a], offer: { sha256: b } },
    ],
    ['the new CA with its key', secretOf(B.key, B), { keys: [b], offer: { sha256: b } }],
    ['a missing Secret', MISSING, { keys: [], fault: 'not found' }],
    [
      'a missing reference',
      undefined,
      { keys: [], fault: expect.stringContaining('references no Secret') },
    ],
  ])('return %s', (_, custom, expected) => {
    const facts = authorityFacts(INPUTS, 'ca', installed, NOW);
    if (facts === undefined) throw new Error('no CA');
    expect(customFacts(custom, facts, { inputs: INPUTS, now: NOW })).toMatchObject(expected);
  });
});
