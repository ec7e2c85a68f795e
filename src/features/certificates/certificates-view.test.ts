import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { describeCertificate } from '../../pki/certificate-info.ts';
import { ensureCertificates } from '../../pki/ensure.ts';
import {
  countingRandom,
  inDays,
  INPUTS,
  issuance,
  NOW,
  ready,
  readsOf,
  request,
  type Ready,
} from '../../pki/fixture.test-data.ts';
import { makeKey } from '../../pki/keys.ts';
import type { KeyPair } from '../../pki/types.ts';
import { selfSigned } from '../../pki/x509.ts';
import { viewOf } from './certificates-view.ts';

const CUSTOM = { ...INPUTS, customAuthority: true };
const HOUR_MS = 3_600_000;
const clock = manualClock(NOW.getTime());

const made = async (daysAgo: number): Promise<KeyPair> =>
  selfSigned('Example CA', await makeKey('ec-p256'), {
    now: inDays(-daysAgo),
    random: countingRandom(),
  });
const [A, B] = await Promise.all([made(10), made(1)]);
const secretOf = (...[signer, ...others]: readonly [KeyPair, ...KeyPair[]]) => ({
  secret: 'team/example-ca',
  files: {
    bundle: [signer, ...others].map(({ certificate }) => certificate).join(''),
    key: signer.key,
  },
});

const first = ready(
  await ensureCertificates(request({ inputs: CUSTOM, customAuthority: secretOf(A) }), issuance()),
);

const later = async (secret: ReturnType<typeof secretOf>): Promise<Ready> =>
  ready(
    await ensureCertificates(
      request({ inputs: CUSTOM, reads: readsOf(first), customAuthority: secret }),
      issuance(),
    ),
  );

describe('viewOf', () => {
  it.each([
    ['an appended CA', secretOf(A, B), B],
    ['a CA that has replaced the one in use', secretOf(B), B],
    ['no CA besides the one in use', secretOf(A), undefined],
  ])('has %s of the Secret of a custom CA', async (_, secret, offered) => {
    const result = await later(secret);
    expect(result.secrets).toEqual(first.secrets.map((one) => ({ ...one, mode: 'apply' })));
    expect(viewOf(CUSTOM, result, clock).customOffer).toBe(
      offered && describeCertificate(offered.certificate)?.sha256,
    );
  });

  it('reads the Secret of a custom CA every hour, because no event tells of its changes', async () => {
    const own = ready(await ensureCertificates(request(), issuance()));
    expect(viewOf(CUSTOM, first, clock).checkAt).toBe(NOW.getTime() + HOUR_MS);
    expect(viewOf(INPUTS, own, clock).checkAt).toBeGreaterThan(NOW.getTime() + HOUR_MS);
  });
});
