import { execFile } from 'node:child_process';
import { X509Certificate, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DER_VALUES } from '../untrusted/limits.ts';
import { children, decode, encode, nothing, octets, sequence } from './asn1.ts';
import { describeCertificate } from './certificate-info.ts';
import { NOW, countingRandom } from './fixture.test-data.ts';
import { makeKey } from './keys.ts';
import type { KeyAlgorithm } from './keys.ts';
import { privateKeyPem } from './pem.ts';
import type { KeyPair } from './types.ts';
import { keyIdentifier, selfSigned, signedBy } from './x509.ts';
import type { Certified } from './x509.ts';

const run = promisify(execFile);
const context = { now: NOW, random: countingRandom() };
const LEAF: Certified = {
  subject: { commonName: 'system:admin', organization: 'system:masters' },
  validityDays: 365,
  leaf: {
    usages: ['serverAuth', 'clientAuth'],
    dns: ['*.team-a.svc.cluster.test', 'localhost'],
    ips: ['127.0.0.1', '2001:db8::5'],
  },
};

const authorityOf = async (algorithm: KeyAlgorithm): Promise<KeyPair> =>
  selfSigned('karmada', await makeKey(algorithm), context);

const leafOf = async (authority: KeyPair, algorithm: KeyAlgorithm): Promise<KeyPair> =>
  signedBy(authority, LEAF, await makeKey(algorithm), context);

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'pki-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('X.509 certificates', () => {
  it.each<[KeyAlgorithm, KeyAlgorithm]>([
    ['rsa-2048', 'rsa-2048'],
    ['ec-p256', 'rsa-2048'],
    ['ec-p256', 'ec-p256'],
  ])('signed by a CA with key %s for a leaf key %s pass verification', async (signer, subject) => {
    const authority = await authorityOf(signer);
    const leaf = await leafOf(authority, subject);
    const issuer = new X509Certificate(authority.certificate);
    const certificate = new X509Certificate(leaf.certificate);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
    expect(certificate.checkIssued(issuer)).toBe(true);
    expect(issuer.checkIssued(issuer)).toBe(true);
    expect(issuer.ca).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkPrivateKey(createPrivateKey(leaf.key))).toBe(true);
    expect(certificate.checkHost('web.team-a.svc.cluster.test')).toBeDefined();
    expect(certificate.checkHost('a.b.team-a.svc.cluster.test')).toBeUndefined();
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('2001:db8:0::5')).toBe('2001:db8:0::5');
  });

  it('have keys of the PEM types of the upstream operator', async () => {
    const key = async (algorithm: KeyAlgorithm): Promise<string> =>
      privateKeyPem(await makeKey(algorithm));
    expect(await key('rsa-2048')).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
    expect(await key('ec-p256')).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  });

  it('have the requested dates, serial number and subject', async () => {
    const authority = await authorityOf('ec-p256');
    const info = describeCertificate((await leafOf(authority, 'ec-p256')).certificate);
    expect(info).toMatchObject({
      commonName: 'system:admin',
      organizations: ['system:masters'],
      issuer: 'CN=karmada',
      notBefore: new Date('2026-11-21T11:00:00Z'),
      notAfter: new Date('2027-11-21T12:00:00Z'),
      usages: ['serverAuth', 'clientAuth'],
      dns: ['*.team-a.svc.cluster.test', 'localhost'],
      ips: ['127.0.0.1', '2001:db8::5'],
    });
    expect(info?.serial).toMatch(/^[4-7][0-9a-f]{31}$/);
    expect(describeCertificate(authority.certificate)?.notAfter).toEqual(
      new Date('2036-11-18T12:00:00Z'),
    );
  });

  it('expire with the CA when the requested validity period is longer', async () => {
    const authority = await authorityOf('ec-p256');
    const long = { ...LEAF, validityDays: 2_147_483_647 };
    const leaf = await signedBy(authority, long, await makeKey('ec-p256'), context);
    expect(describeCertificate(leaf.certificate)?.notAfter).toEqual(
      describeCertificate(authority.certificate)?.notAfter,
    );
  });

  it('have correct dates after 2050', async () => {
    const late = { ...context, now: new Date('2045-01-01T00:00:00Z') };
    const authority = await selfSigned('karmada', await makeKey('ec-p256'), late);
    expect(new X509Certificate(authority.certificate).validToDate.getUTCFullYear()).toBe(2054);
  });

  it('are not issued when the CA key does not match or has an unsupported type', async () => {
    const [one, other] = [await authorityOf('ec-p256'), await authorityOf('ec-p256')];
    const mixed = { certificate: one.certificate, key: other.key };
    await expect(leafOf(mixed, 'ec-p256')).rejects.toThrow('does not match');
    const { privateKey } = generateKeyPairSync('ed25519');
    await expect(selfSigned('karmada', privateKey, context)).rejects.toThrow('ed25519');
  });

  it.each([
    ['rsa-2048', /Key Usage: critical\s+Digital Signature, Key Encipherment\n/],
    ['ec-p256', /Key Usage: critical\s+Digital Signature\n/],
  ] as const)(
    'are accepted by OpenSSL with all extensions when keys are %s',
    async (kind, usage) => {
      const authority = await authorityOf(kind);
      const leaf = await leafOf(authority, kind);
      await inFolder(async (folder) => {
        const [ca, crt] = [join(folder, 'ca.crt'), join(folder, 'leaf.crt')];
        await writeFile(ca, authority.certificate);
        await writeFile(crt, leaf.certificate);
        const time = String(NOW.getTime() / 1000);
        const flags = ['-x509_strict', '-attime', time, '-purpose', 'sslserver', '-CAfile', ca];
        const verified = await run('openssl', ['verify', ...flags, crt]);
        expect(verified.stdout).toContain('leaf.crt: OK');
        const { stdout } = await run('openssl', ['x509', '-in', crt, '-noout', '-text']);
        const keyId = keyIdentifier(createPrivateKey(authority.key)).toString('hex').toUpperCase();
        const shown = stdout.replaceAll(':', '');
        expect(shown).toContain(keyId);
        expect(stdout).toMatch(usage);
        expect(stdout).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
        expect(stdout).toMatch(
          /Extended Key Usage: \n?\s+TLS Web Server Authentication, TLS Web Client/,
        );
      });
    },
  );

  it('are issued by CAs of OpenSSL with the unchanged name of the issuer', async () => {
    await inFolder(async (folder) => {
      for (const [mask, curve] of [
        ['utf8only', 'prime256v1'],
        ['nombstr', 'secp384r1'],
        ['pkix', 'secp521r1'],
      ] as const) {
        const [key, crt, config] = ['k', 'c', 'conf'].map((name) => join(folder, name));
        if (key === undefined || crt === undefined || config === undefined)
          throw new Error('paths');
        const text = `[req]\nprompt=no\nutf8=yes\nstring_mask=${mask}\ndistinguished_name=dn\n[dn]\nO=Bücher GmbH\nCN=Größe CA\n`;
        await writeFile(config, text);
        await run('openssl', ['ecparam', '-name', curve, '-genkey', '-noout', '-out', key]);
        const days = ['-days', '9000', '-addext', 'keyUsage=critical,keyCertSign,digitalSignature'];
        await run('openssl', [
          'req',
          '-x509',
          '-config',
          config,
          '-key',
          key,
          '-out',
          crt,
          ...days,
        ]);
        const authority = {
          certificate: await readFile(crt, 'utf8'),
          key: await readFile(key, 'utf8'),
        };
        const leaf = await leafOf(authority, 'rsa-2048');
        const issuer = new X509Certificate(authority.certificate);
        const certificate = new X509Certificate(leaf.certificate);
        expect([mask, certificate.checkIssued(issuer)]).toEqual([mask, true]);
        expect([mask, certificate.verify(issuer.publicKey)]).toEqual([mask, true]);
      }
    });
  });

  it('work for a mutual TLS handshake', async () => {
    const current = { now: new Date(), random: countingRandom() };
    const authority = await selfSigned('karmada', await makeKey('rsa-2048'), current);
    const pair = await signedBy(authority, LEAF, await makeKey('rsa-2048'), current);
    const server = createServer({
      key: pair.key,
      cert: pair.certificate,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
    });
    server.on('secureConnection', (socket) => {
      const peer = socket.getPeerCertificate();
      socket.end(`${String(socket.authorized)} ${peer.subject.CN} ${peer.subject.O}`);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const said = await new Promise<string>((resolve, reject) => {
      const trust = { ca: authority.certificate, cert: pair.certificate, key: pair.key };
      const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ...trust });
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    server.close();
    expect(said).toBe('true system:admin system:masters');
  });
});

describe('describeCertificate', () => {
  it('returns no private key', async () => {
    const authority = await authorityOf('ec-p256');
    const leaf = await leafOf(authority, 'ec-p256');
    expect(JSON.stringify(describeCertificate(leaf.certificate))).not.toContain('PRIVATE');
  });

  it.each(['', 'nonsense', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
    'returns undefined when the text is not a certificate: %j',
    (text) => {
      expect(describeCertificate(text)).toBeUndefined();
    },
  );

  it.each([
    [400, true],
    [2_000, false],
  ])('reads a certificate with %d names: %s', async (count, isRead) => {
    const dns = Array.from({ length: count }, (_, index) => `${String(index)}.example.com`);
    const names = { ...LEAF, leaf: { usages: LEAF.leaf?.usages ?? [], dns, ips: [] } };
    const authority = await authorityOf('ec-p256');
    const { certificate } = await signedBy(authority, names, await makeKey('ec-p256'), context);
    expect(describeCertificate(certificate)?.dns.length).toBe(isRead ? count : undefined);
  });
});

describe('decode', () => {
  const values = (count: number): Buffer =>
    encode(sequence(...Array.from({ length: count - 1 }, () => nothing())));

  it('accepts a limited number of values, also below each other', () => {
    expect(children(decode(values(DER_VALUES)))).toHaveLength(DER_VALUES - 1);
    expect(() => decode(values(DER_VALUES + 1))).toThrow('has more than 1024 DER values');
    let nested = nothing();
    for (let level = 0; level < DER_VALUES; level += 1) nested = sequence(nested);
    expect(() => decode(encode(nested))).toThrow('has more than 1024 DER values');
  });

  it('counts the values after long ones', () => {
    const long = octets(Buffer.alloc(70_000, 0x30));
    expect(children(decode(encode(sequence(long, nothing()))))).toHaveLength(2);
    const many = encode(sequence(long, ...Array.from({ length: DER_VALUES }, () => nothing())));
    expect(() => decode(many)).toThrow('has more than 1024 DER values');
  });

  it('decodes any bytes or throws an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });
});
