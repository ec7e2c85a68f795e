import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { faultOf, type CustomCAFiles } from './custom-ca.ts';
import { countingRandom, NOW } from './fixture.test-data.ts';
import { makeKey } from './keys.ts';
import { privateKeyPem } from './pem.ts';
import type { KeyPair } from './types.ts';
import { DAY, selfSigned, signedBy } from './x509.ts';

const context = { now: NOW, random: countingRandom() };
const later = (days: number): Date => new Date(NOW.getTime() + days * DAY);

const filesOf = ({ certificate, key }: KeyPair): CustomCAFiles => ({
  bundle: certificate,
  key,
});

function fault(files: CustomCAFiles | undefined, now = NOW): string | undefined {
  return faultOf({ secret: 'team/ca', ...(files && { files }) }, now, []);
}

describe('faultOf', () => {
  it.each(['rsa-2048', 'ec-p256'] as const)(
    'accepts a custom CA with a key of type %s',
    async (kind) => {
      expect(
        fault(filesOf(await selfSigned('Example', await makeKey(kind), context))),
      ).toBeUndefined();
    },
  );

  it('returns the error when the custom CA is invalid', async () => {
    const own = await selfSigned('Example', await makeKey('ec-p256'), context);
    const leaf = await signedBy(
      own,
      { subject: { commonName: 'x' }, validityDays: 9, leaf: { usages: [], dns: [], ips: [] } },
      await makeKey('ec-p256'),
      context,
    );
    const other = privateKeyPem(await makeKey('ec-p256'));
    const ed25519 = generateKeyPairSync('ed25519').privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    const broken = '-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n';
    const good = filesOf(own);
    const cases: readonly (readonly [string | undefined, RegExp])[] = [
      [fault(undefined), /^not found$/],
      [fault({ ...good, bundle: '' }), /tls\.crt contains no valid PEM certificate/],
      [fault({ ...good, bundle: 'hello' }), /tls\.crt contains no valid PEM certificate/],
      [fault({ ...good, bundle: own.certificate + broken }), /tls\.crt contains an invalid/],
      [
        fault({ ...good, bundle: '-----BEGIN A'.repeat(87_000) }),
        /^tls\.crt has more than 64 KiB$/,
      ],
      [
        fault({ ...good, bundle: own.certificate + broken.replace('bm90', 'bm90'.repeat(5_000)) }),
        /^tls\.crt has a PEM block with more than 16 KiB$/,
      ],
      [fault({ ...good, key: '-----BEGIN A'.repeat(87_000) }), /no readable PEM private key/],
      [fault({ ...good, key: '' }), /tls\.key contains no readable PEM private key/],
      [fault({ ...good, key: ed25519.toString() }), /neither RSA nor EC/],
      [fault({ ...good, key: other }), /matches no certificate/],
      [fault(filesOf(leaf)), /is not a CA certificate/],
      [fault(good, later(3651)), /expired at 20\d\d-/],
      [fault(good, later(-1)), /not valid before 20\d\d-/],
    ];
    for (const [message, expected] of cases) expect(message).toMatch(expected);
  });
});
