import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OWN_BUNDLE, OWN_CERTIFICATE } from '../untrusted/limits.ts';
import { ensureCertificates } from './ensure.ts';
import type { EnsureResult } from './ensure.ts';
import { decode, issuance, NOW, ready, readsOf, request } from './fixture.test-data.ts';
import { AUTHORITIES } from './inventory.ts';
import { makeKey } from './keys.ts';
import { publicKeyPem } from './pem.ts';
import type { SecretData, SecretReads, SecretRole } from './types.ts';
import { selfSigned } from './x509.ts';

const READS = readsOf(ready(await ensureCertificates(request(), issuance())));
const FILLER = `-----BEGIN CERTIFICATE-----\n${'A'.repeat(OWN_CERTIFICATE.authority)}\n-----END CERTIFICATE-----\n`;

/** Appends a text to a value. */
function withMore(role: SecretRole, key: string, more: string, reads = READS): SecretReads {
  const value = Buffer.from(decode(reads[role], key) + more).toString('base64');
  return { ...reads, [role]: { ...(reads[role] as SecretData), [key]: value } };
}

const ensure = (reads: SecretReads): Promise<EnsureResult> =>
  ensureCertificates(request({ reads }), issuance());

const otherCAs = (count: number): Promise<readonly string[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const context = { now: NOW, random: issuance().random };
      return (await selfSigned('other', await makeKey('ec-p256'), context)).certificate;
    }),
  );

const BUNDLES = [
  ...AUTHORITIES.flatMap(({ stored }) =>
    stored.map(({ secret, certificate }): [SecretRole, string] => [secret, certificate]),
  ),
  ['service-account-key', 'service-account.pub'],
  ['ca-backup', 'service-account.pub'],
] as const satisfies readonly (readonly [SecretRole, string])[];

const tooLarge = (message: string): object => ({
  outcome: 'blocked',
  reason: 'CertificateSecretTooLarge',
  message: expect.stringContaining(message),
});

describe('ensureCertificates with large values', () => {
  it.each(BUNDLES)('keeps all certificates and names the value: %s, %s', async (role, key) => {
    const many = publicKeyPem(await makeKey('ec-p256')).repeat(OWN_BUNDLE.blocks);
    const name = `Secret demo-karmada-${role}: ${key}`;
    expect(await ensure(withMore(role, key, many))).toEqual(
      tooLarge(`${name} has more than 32 PEM blocks; store only`),
    );
    expect(await ensure(withMore(role, key, ' '.repeat(OWN_BUNDLE.size)))).toEqual(
      tooLarge(`${name} has more than 64 KiB; store only`),
    );
    expect(await ensure(withMore(role, key, FILLER))).toEqual(
      tooLarge(`${name} has a PEM block with more than 16 KiB; store only`),
    );
  });

  it('bounds successor CAs', async () => {
    expect(await ensure(withMore('ca-backup', 'ca-successor.crt', FILLER))).toEqual(
      tooLarge('Secret demo-karmada-ca-backup: ca-successor.crt has more than 16 KiB; store only'),
    );
  });

  it('trusts the CAs of many rotations, and reissues nothing', async () => {
    const others = (await otherCAs(OWN_BUNDLE.blocks - 2)).join('');
    const result = ready(await ensure(withMore('cert', 'ca.crt', others)));
    expect(result.info.authorities.ca?.bundle).toHaveLength(OWN_BUNDLE.blocks);
    expect(result.plan.leaves.filter(({ action }) => action !== 'keep')).toEqual([]);
  });

  it('reissues a leaf certificate above its limit without reading it', async () => {
    const { plan } = ready(await ensure(withMore('webhook-cert', 'tls.crt', FILLER)));
    expect(plan.leaves.filter(({ action }) => action !== 'keep')).toMatchObject([
      { name: 'webhook-serving', action: 'issue', reason: 'Unreadable' },
    ]);
  });
});

describe('the number of certificates that are parsed', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('grows by one for each CA certificate in a value', async () => {
    const own = Object.getOwnPropertyDescriptor(X509Certificate.prototype, 'raw');
    const parsed = new Set<unknown>();
    jest.spyOn(X509Certificate.prototype, 'raw', 'get').mockImplementation(function (
      this: X509Certificate,
    ) {
      parsed.add(this);
      return own?.get?.call(this) as X509Certificate['raw'];
    });
    const others = (await otherCAs(20)).join('');
    await ensure(READS);
    const before = parsed.size;
    parsed.clear();
    await ensure(withMore('cert', 'ca.crt', others));
    expect(parsed.size - before).toBe(20);
  });
});
