import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Secret } from '../../../kubernetes/objects/kinds.ts';
import { issuance } from '../../../pki/fixture.test-data.ts';
import { makeKey } from '../../../pki/keys.ts';
import { selfSigned } from '../../../pki/x509.ts';
import { authoritiesIn } from './authority-difference.ts';

const { certificate } = await selfSigned('CA', await makeKey('ec-p256'), issuance());
const SHA256 = new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();

const secretWith = (bundle: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'demo-karmada-ca-backup' },
  data: { 'ca.crt': Buffer.from(bundle).toString('base64') },
});

describe('authoritiesIn', () => {
  it.each<[string, Secret | undefined, readonly string[]]>([
    ['the fingerprints of all CAs', secretWith(certificate.repeat(2)), [SHA256, SHA256]],
    ['none of a Secret above its limits', secretWith(certificate.repeat(40)), []],
    ['none of unreadable text', secretWith('-----BEGIN CERTIFICATE-----\nAA==\n'), []],
    ['none without the Secret', undefined, []],
  ])('returns %s', (_, secret, expected) => {
    expect(authoritiesIn(secret)).toEqual(expected);
  });
});
