import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { describeCertificate } from '../pki/certificate-info.ts';
import { countingRandom } from '../pki/fixture.test-data.ts';
import { makeKey } from '../pki/keys.ts';
import { selfSigned } from '../pki/x509.ts';
import { credentialExpiry } from './credential-expiry.ts';

const EXP = 1_800_000_000;

const encoded = (text: string): string => Buffer.from(text).toString('base64');

const tokenOf = (claims: unknown): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`;

const secretOf = (data: unknown): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'm1', namespace: 'karmada-cluster' },
  data,
});

/** A CA that was created at this time, in PEM. */
async function authority(now: string): Promise<string> {
  const context = { now: new Date(now), random: countingRandom() };
  return (await selfSigned('member', await makeKey('ec-p256'), context)).certificate;
}

const ca = await authority('2026-01-01T00:00:00Z');
const older = await authority('2020-01-01T00:00:00Z');
const caExpiry = describeCertificate(ca)?.notAfter.getTime();

describe('credentialExpiry', () => {
  it.each([
    ['the token', { token: encoded(tokenOf({ exp: EXP })) }, EXP * 1_000],
    ['the CA bundle', { caBundle: encoded(ca) }, caExpiry],
    ['the last CA of a bundle', { caBundle: encoded(older + ca) }, caExpiry],
    [
      'the first of both',
      { token: encoded(tokenOf({ exp: EXP })), caBundle: encoded(ca) },
      EXP * 1_000,
    ],
  ])('is the expiry of %s', (_, data, expected) => {
    expect(credentialExpiry(secretOf(data))).toBe(expected);
  });

  it.each([
    ['no data', undefined],
    ['a token without an expiry', { token: encoded(tokenOf({ sub: 'x' })) }],
    ['a token with an expiry that is no number', { token: encoded(tokenOf({ exp: 'soon' })) }],
    ['a token with an expiry after the year 9999', { token: encoded(tokenOf({ exp: 1e15 })) }],
    ['an opaque token', { token: encoded('abcdef') }],
    ['a token of more than three parts', { token: encoded(`${tokenOf({ exp: EXP })}.x`) }],
    ['a payload that is no JSON', { token: encoded('a.b.c') }],
    ['a CA bundle that is no PEM', { caBundle: encoded('none') }],
    ['oversized values', { token: 'A'.repeat(300_000) }],
  ])('is undefined for %s', (_, data) => {
    expect(credentialExpiry(secretOf(data))).toBeUndefined();
  });

  it('never fails, and returns only times that RFC 3339 can express', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.string(), (data, claim, text) => {
        const hostile = [
          data,
          { token: claim, caBundle: claim },
          { token: encoded(`a.${text}.b`) },
        ];
        for (const one of hostile) {
          const expiry = credentialExpiry(secretOf(one));
          if (expiry !== undefined) expect(new Date(expiry).toISOString()).toMatch(/^\d{4}-/);
        }
      }),
    );
  });
});
