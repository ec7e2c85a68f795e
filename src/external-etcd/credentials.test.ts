import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../pki/keys.ts';
import { privateKeyPem } from '../pki/pem.ts';
import type { KeyPair } from '../pki/types.ts';
import { DAY, selfSigned, signedBy } from '../pki/x509.ts';
import { rsaKey } from '../untrusted/__fixtures__/rsa-key.ts';
import { RSA_BITS } from '../untrusted/limits.ts';
import { readCredentials, type ReadCredentials } from './credentials.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const context = { now: NOW, random: randomBytes };

type Files = Readonly<Record<string, string | undefined>>;

function read(files: Files | undefined, now = NOW): ReadCredentials {
  const entries = Object.entries(files ?? {}).filter(([, text]) => text !== undefined);
  const data = Object.fromEntries(
    entries.map(([key, text]) => [key, Buffer.from(text ?? '').toString('base64')]),
  );
  return readCredentials({ name: 'storage/etcd', ...(files && { data }) }, now);
}

const problemOf = (found: ReadCredentials): string =>
  'problem' in found ? `${found.problem.reason}: ${found.problem.message}` : 'none';

let authority: KeyPair;
let client: KeyPair;
let good: Record<string, string>;
let expired: string;
const later = (days: number): Date => new Date(NOW.getTime() + days * DAY);

const leafOf = (key: KeyObject): Promise<KeyPair> =>
  signedBy(
    authority,
    {
      subject: { commonName: 'client' },
      validityDays: 30,
      leaf: { usages: ['clientAuth'], dns: [], ips: [] },
    },
    key,
    context,
  );

beforeAll(async () => {
  authority = await selfSigned('CA', await makeKey('ec-p256'), context);
  client = await leafOf(await makeKey('ec-p256'));
  good = { 'ca.crt': authority.certificate, 'tls.crt': client.certificate, 'tls.key': client.key };
  const past = { now: new Date('2015-01-01T00:00:00Z'), random: randomBytes };
  expired = (await selfSigned('Old', await makeKey('ec-p256'), past)).certificate;
});

describe('readCredentials', () => {
  it.each<[string, () => KeyObject, (key: KeyObject) => string]>([
    [
      'RSA in PKCS #1',
      () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      privateKeyPem,
    ],
    [
      'RSA in PKCS #8',
      () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      (key) => key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
    [
      'EC in SEC 1',
      () => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
      privateKeyPem,
    ],
    [
      'EC in SEC 1 with EC parameters before it',
      () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      (key) =>
        `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${privateKeyPem(key)}`,
    ],
    [
      'EC in PKCS #8',
      () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
      (key) => key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
  ])('accepts a private key of type %s', async (_, generate, write) => {
    const key = generate();
    const { certificate } = await leafOf(key);
    const found = read({ ...good, 'tls.crt': certificate, 'tls.key': write(key) });
    expect(problemOf(found)).toBe('none');
  });

  it('returns the credentials, with expiry and hashes of the raw values', () => {
    const found = read({ ...good, other: 'x' });
    if ('problem' in found) throw new Error(found.problem.message);
    expect(found.credentials).toEqual(good);
    expect(found.access.notAfter).toBe(later(30).getTime());
    expect(found.access.trust).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.values(found.access.hashes).every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(
      true,
    );
  });

  it('changes the trust hash only when the set of CA certificates changes', () => {
    const trustOf = (files: Files): string => {
      const found = read(files);
      return 'access' in found ? found.access.trust : '';
    };
    const trusted = trustOf(good);
    const both = `${good['ca.crt'] ?? ''}${expired}`;
    expect(trustOf({ ...good, 'tls.crt': `${good['tls.crt'] ?? ''}\n` })).toBe(trusted);
    expect(trustOf({ ...good, 'ca.crt': `# theirs\n${good['ca.crt'] ?? ''}` })).toBe(trusted);
    expect(trustOf({ ...good, 'ca.crt': both })).not.toBe(trusted);
    expect(trustOf({ ...good, 'ca.crt': `${expired}${good['ca.crt'] ?? ''}` })).toBe(
      trustOf({ ...good, 'ca.crt': both }),
    );
  });

  it.each([
    ['ca.crt', 'store only the CA certificates'],
    ['tls.crt', 'store an etcd client certificate'],
    ['tls.key', 'store the unencrypted private key'],
  ])('rejects %s above the limits without reading it', (key, remedy) => {
    for (const [text, excess] of [
      ['-----BEGIN A'.repeat(87_000), 'more than 256 KiB'],
      ['-----BEGIN A'.repeat(600), 'more than 500 PEM blocks'],
    ] as const)
      expect(problemOf(read({ ...good, [key]: text }))).toContain(
        `EtcdSecretInvalid: Secret storage/etcd: ${key} has ${excess}; ${remedy}`,
      );
  });

  it('reports the required keys when the Secret does not exist', () => {
    expect(problemOf(read(undefined))).toBe(
      'EtcdSecretMissing: Secret storage/etcd: not found; create it with the keys ca.crt, tls.crt and tls.key of an etcd client',
    );
  });

  it.each<[string, () => Files, RegExp]>([
    [
      'no key at all',
      () => ({}),
      /^EtcdSecretIncomplete: .* missing or empty ca.crt, tls.crt, tls.key; store/,
    ],
    [
      'no private key',
      () => ({ ...good, 'tls.key': undefined }),
      /missing or empty tls.key; store in PEM format tls.key \(the private key/,
    ],
    [
      'an empty CA',
      () => ({ ...good, 'ca.crt': ' \n' }),
      /^EtcdSecretIncomplete: .* missing or empty ca.crt/,
    ],
    [
      'a CA that is not a certificate',
      () => ({ ...good, 'ca.crt': 'x' }),
      /^EtcdSecretInvalid: .* ca.crt contains no PEM certificate/,
    ],
    [
      'a truncated CA',
      () => ({ ...good, 'ca.crt': (good['ca.crt'] ?? '').replace(/\n.{20}/, '\n') }),
      /ca.crt contains an invalid certificate/,
    ],
    [
      'a private key in ca.crt',
      () => ({ ...good, 'ca.crt': `${good['ca.crt'] ?? ''}${client.key}` }),
      /ca.crt contains PEM blocks that are not certificates/,
    ],
    [
      'an expired CA',
      () => ({ ...good, 'ca.crt': expired }),
      /the certificate in ca.crt expired at 2024-12-/,
    ],
    [
      'a client certificate that is not a certificate',
      () => ({ ...good, 'tls.crt': client.key }),
      /tls.crt contains no valid PEM certificate/,
    ],
    [
      'a truncated client certificate',
      () => ({ ...good, 'tls.crt': (good['tls.crt'] ?? '').replace(/\n.{20}/, '\n') }),
      /tls.crt contains no valid PEM certificate/,
    ],
    [
      'a private key that is not a key',
      () => ({ ...good, 'tls.key': client.certificate }),
      /tls.key contains no readable PEM private key/,
    ],
    [
      'a truncated private key',
      () => ({ ...good, 'tls.key': client.key.replace(/\n.{20}/, '\n') }),
      /tls.key contains no readable PEM private key/,
    ],
    [
      'the private key of another certificate',
      () => ({ ...good, 'tls.key': authority.key }),
      /tls.key does not match the certificate in tls.crt/,
    ],
    [
      'an encrypted private key',
      () => ({
        ...good,
        'tls.key': generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .privateKey.export({
            type: 'pkcs8',
            format: 'pem',
            cipher: 'aes-256-cbc',
            passphrase: 'x',
          })
          .toString(),
      }),
      /tls.key contains no readable PEM private key, or an RSA key with more than 4096 bits; .* unencrypted/,
    ],
    [
      'an RSA key with which a signature takes long',
      () => ({ ...good, 'tls.key': rsaKey(RSA_BITS.client + 8) }),
      /or an RSA key with more than 4096 bits/,
    ],
    [
      'a private key of a type that API servers do not support',
      () => ({
        ...good,
        'tls.key': generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
          .privateKey.export({ type: 'sec1', format: 'pem' })
          .toString(),
      }),
      /neither RSA, Ed25519 nor EC on P-256, P-384 or P-521/,
    ],
  ])('reports key and action without any value when the Secret has %s', (_, files, expected) => {
    const told = problemOf(read(files()));
    expect(told).toMatch(expected);
    expect(told).toMatch(/^EtcdSecret[A-Z][a-z]+: Secret storage\/etcd: .*; store /);
    expect(told).not.toContain('-----');
  });

  it('reports the date when a certificate has expired or is not valid yet', () => {
    const soon = later(31);
    expect(problemOf(read(good, soon))).toBe(
      `EtcdClientCertificateExpired: Secret storage/etcd: the certificate in tls.crt expired at ${later(30).toISOString()}; store a new certificate`,
    );
    expect(problemOf(read({ ...good, 'ca.crt': `${expired}${good['ca.crt'] ?? ''}` }))).toBe(
      'none',
    );
    expect(problemOf(read(good, later(-1)))).toMatch(/ca.crt is not valid before 2026-11-21/);
  });
});
