import { beforeAll, describe, expect, it } from '@jest/globals';
import { constrainedCA } from './__fixtures__/constrained-ca.ts';
import { describeCertificate } from './certificate-info.ts';
import type { CustomCA } from './custom-ca.ts';
import { countingRandom, inDays, NOW } from './fixture.test-data.ts';
import { makeKey } from './keys.ts';
import { offeredCA, providedAuthority } from './offered-ca.ts';
import type { KeyPair } from './types.ts';
import { selfSigned } from './x509.ts';

const LEAVES = [{ name: 'apiserver', usages: ['serverAuth' as const], dns: ['x.test'], ips: [] }];
const TRIAL = { now: NOW, leaves: LEAVES };
const made = async (name: string, now = NOW, kind: 'ec-p256' | 'rsa-2048' = 'ec-p256') =>
  selfSigned(name, await makeKey(kind), { now, random: countingRandom() });

const [A, B, NAMESAKE, RSA, THIRD, EARLIER, OLD] = await Promise.all([
  made('Example CA', inDays(-10)),
  made('Example CA 2'),
  made('Example CA'),
  made('Example RSA', NOW, 'rsa-2048'),
  made('Example CA 3'),
  made('Example CA 0', inDays(-30)),
  made('Example CA 00', inDays(-3_700)),
]);

function infoOf({ certificate }: KeyPair) {
  const info = describeCertificate(certificate);
  if (info === undefined) throw new Error('unreadable');
  return info;
}

const used = { pem: A.certificate, info: infoOf(A) };
const secretOf = (key: string, ...bundle: readonly KeyPair[]): CustomCA => ({
  secret: 'team/ca',
  files: { bundle: bundle.map(({ certificate }) => certificate).join(''), key },
});

/** Another certificate for the key of the CA in use, as cert-manager renews it with `rotationPolicy: Never`. */
let renewed: KeyPair;
let flat: KeyPair;
let limited: KeyPair;
beforeAll(async () => {
  const context = { now: NOW, random: countingRandom() };
  const { createPrivateKey } = await import('node:crypto');
  renewed = await selfSigned('Example CA', createPrivateKey(A.key), context);
  [flat, limited] = await Promise.all([
    constrainedCA('flat', { pathLength: 0 }).then(({ pair }) => pair),
    constrainedCA('limited', { critical: '1.2.3.4' }).then(({ pair }) => pair),
  ]);
});

describe('offeredCA', () => {
  it.each<[string, () => CustomCA, KeyPair, KeyPair]>([
    ['an appended certificate', () => secretOf(A.key, A, B), B, A],
    ['an appended certificate that comes first', () => secretOf(A.key, B, A), B, A],
    ['a private key that was swapped after that', () => secretOf(B.key, B, A), B, B],
    ['a certificate and a key that changed at once', () => secretOf(B.key, B), B, B],
    [
      'a CA of the same name, as of cert-manager',
      () => secretOf(NAMESAKE.key, NAMESAKE),
      NAMESAKE,
      NAMESAKE,
    ],
    ['a CA with a key of another type', () => secretOf(RSA.key, RSA), RSA, RSA],
  ])('returns %s, and the CA of the private key', (_, custom, offered, provided) => {
    expect(offeredCA(custom(), used, TRIAL)).toEqual({
      offered: infoOf(offered),
      provided: infoOf(provided),
    });
  });

  it.each<[string, () => CustomCA, RegExp]>([
    ['the Secret does not exist', () => ({ secret: 'team/ca' }), /^not found$/],
    [
      'the Secret must not be used',
      () => ({
        ...secretOf(B.key, B),
        refusal: { reason: 'SecretNotGranted', message: 'no consent' },
      }),
      /^no consent$/,
    ],
    [
      'it has only the CA in use',
      () => secretOf(A.key, A),
      /contains no CA besides the one in use/,
    ],
    ['it has two further CAs', () => secretOf(A.key, A, B, THIRD), /contains 2 further CA/],
    ['it has a third CA besides the new one', () => secretOf(B.key, B, A, THIRD), /1 further CA/],
    [
      'the key belongs to no certificate',
      () => secretOf(THIRD.key, A, B),
      /matches no certificate/,
    ],
    ['the key is none', () => secretOf('x', A, B), /no readable PEM private key/],
    [
      'the key of an appended one is that',
      () => secretOf(A.key, A, renewed),
      /a CA with a new private/,
    ],
    [
      'the key is that of the CA in use',
      () => secretOf(A.key, renewed),
      /a CA with a new private key/,
    ],
    [
      'the new CA ends earlier',
      () => secretOf(EARLIER.key, EARLIER),
      /does not expire after the CA in use/,
    ],
    [
      'the former CA was appended',
      () => secretOf(A.key, A, EARLIER),
      /does not expire after the CA in use/,
    ],
    ['the new CA has expired', () => secretOf(OLD.key, OLD), /expired at 20/],
    ['the appended CA has expired', () => secretOf(A.key, A, OLD), /expired at 20/],
    ['the new CA must not sign', () => secretOf(limited.key, limited), /critical constraints/],
    ['the appended CA must not sign', () => secretOf(A.key, A, limited), /critical constraints/],
  ])('names the cause if %s', (_, custom, message) => {
    const offer = offeredCA(custom(), used, TRIAL);
    expect(offer.offered).toBeUndefined();
    expect(offer.fault).toMatch(message);
  });

  it('offers none below a CA under which no other CA may be', () => {
    const below = { pem: flat.certificate, info: { ...infoOf(flat), notAfter: NOW } };
    expect(offeredCA(secretOf(B.key, B), below, TRIAL).fault).toMatch(
      /path length constraint of 0/,
    );
  });
});

describe('providedAuthority', () => {
  it.each<[string, () => CustomCA, KeyPair | undefined]>([
    ['the CA of the private key', () => secretOf(B.key, A, B), B],
    ['no CA without its private key', () => secretOf(THIRD.key, A, B), undefined],
    ['no Secret that does not exist', () => ({ secret: 'team/ca' }), undefined],
    [
      'no Secret that must not be used',
      () => ({
        ...secretOf(B.key, B),
        refusal: { reason: 'SecretNotGranted', message: 'no consent' },
      }),
      undefined,
    ],
  ])('returns %s', (_, custom, expected) => {
    const found = providedAuthority(custom(), TRIAL);
    expect(found?.info.active.sha256).toBe(expected && infoOf(expected).sha256);
  });
});
