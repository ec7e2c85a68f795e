import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../pki/keys.ts';
import { privateKeyPem } from '../pki/pem.ts';
import type { KeyPair } from '../pki/types.ts';
import { DAY, selfSigned, signedBy } from '../pki/x509.ts';
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

describe('the Secret of an external etcd', () => {
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
      'EC in SEC 1 after the parameters of its curve',
      () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      (key) =>
        `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${privateKeyPem(key)}`,
    ],
    [
      'EC in PKCS #8',
      () => generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey,
      (key) => key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
  ])('may have a private key of %s', async (_, generate, write) => {
    const key = generate();
    const { certificate } = await leafOf(key);
    const found = read({ ...good, 'tls.crt': certificate, 'tls.key': write(key) });
    expect(problemOf(found)).toBe('none');
  });

  it('tells of its public side only, and of the bytes as they are', () => {
    const found = read({ ...good, other: 'x' });
    if ('problem' in found) throw new Error(found.problem.message);
    expect(found.credentials).toEqual(good);
    expect(found.access.notAfter).toBe(later(30).getTime());
    expect(found.access.trust).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.values(found.access.hashes).every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(
      true,
    );
  });

  it('what API servers read at each handshake is no reason for a restart, what they trust is', () => {
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

  it('that is not there is named with what belongs into it', () => {
    expect(problemOf(read(undefined))).toBe(
      'EtcdSecretMissing: Secret storage/etcd does not exist; make it with the keys ca.crt, tls.crt and tls.key of an etcd client',
    );
  });

  it.each<[string, () => Files, RegExp]>([
    [
      'no key at all',
      () => ({}),
      /^EtcdSecretIncomplete: .* has nothing in ca.crt, tls.crt, tls.key; put there/,
    ],
    [
      'no private key',
      () => ({ ...good, 'tls.key': undefined }),
      /has nothing in tls.key; put there in PEM tls.key: the private key/,
    ],
    [
      'an empty CA',
      () => ({ ...good, 'ca.crt': ' \n' }),
      /^EtcdSecretIncomplete: .* has nothing in ca.crt/,
    ],
    [
      'a CA that is none',
      () => ({ ...good, 'ca.crt': 'x' }),
      /^EtcdSecretInvalid: .* no certificate in ca.crt that can be read as PEM/,
    ],
    [
      'a CA that is cut',
      () => ({ ...good, 'ca.crt': (good['ca.crt'] ?? '').replace(/\n.{20}/, '\n') }),
      /a certificate in ca.crt that is broken/,
    ],
    [
      'a key among the CAs',
      () => ({ ...good, 'ca.crt': `${good['ca.crt'] ?? ''}${client.key}` }),
      /something else than certificates in ca.crt/,
    ],
    [
      'a CA that has expired',
      () => ({ ...good, 'ca.crt': expired }),
      /a certificate in ca.crt that expired at 2024-12-/,
    ],
    [
      'a certificate that is none',
      () => ({ ...good, 'tls.crt': client.key }),
      /no certificate in tls.crt that can be read as PEM/,
    ],
    [
      'a certificate that is cut',
      () => ({ ...good, 'tls.crt': (good['tls.crt'] ?? '').replace(/\n.{20}/, '\n') }),
      /no certificate in tls.crt/,
    ],
    [
      'a private key that is none',
      () => ({ ...good, 'tls.key': client.certificate }),
      /no private key in tls.key that can be read as PEM/,
    ],
    [
      'a private key that is cut',
      () => ({ ...good, 'tls.key': client.key.replace(/\n.{20}/, '\n') }),
      /no private key in tls.key/,
    ],
    [
      'another private key',
      () => ({ ...good, 'tls.key': authority.key }),
      /a private key in tls.key that does not belong to tls.crt/,
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
      /no private key in tls.key that can be read as PEM; .* not encrypted/,
    ],
    [
      'a key that API servers do not know',
      () => ({
        ...good,
        'tls.key': generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
          .privateKey.export({ type: 'sec1', format: 'pem' })
          .toString(),
      }),
      /neither RSA, Ed25519 nor EC on P-256, P-384 or P-521/,
    ],
  ])(
    'with %s is named with the key and the remedy, and without what is in it',
    (_, files, expected) => {
      const told = problemOf(read(files()));
      expect(told).toMatch(expected);
      expect(told).toMatch(/^EtcdSecret[A-Z][a-z]+: Secret storage\/etcd has .*; put /);
      expect(told).not.toContain('-----');
    },
  );

  it('whose certificate has expired, or is not valid yet, says when', () => {
    const soon = later(31);
    expect(problemOf(read(good, soon))).toBe(
      `EtcdClientCertificateExpired: Secret storage/etcd has a certificate in tls.crt that expired at ${later(30).toISOString()}; put a new one there`,
    );
    expect(problemOf(read({ ...good, 'ca.crt': `${expired}${good['ca.crt'] ?? ''}` }))).toBe(
      'none',
    );
    expect(problemOf(read(good, later(-1)))).toMatch(/ca.crt that is not valid before 2026-11-21/);
  });
});
