import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PLATFORM_KEYS } from './keys.ts';

describe('keys', () => {
  it('3.2 the platform makes keys of the kinds asked for', async () => {
    const [tokens, certificate] = await Promise.all([
      PLATFORM_KEYS.generate('rsa-2048'),
      PLATFORM_KEYS.generate('ec-p256'),
    ]);
    expect(tokens.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(certificate.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });
});

describe('sources of this folder', () => {
  const folder = new URL('.', import.meta.url);
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.includes('.test') && !name.endsWith('.d.ts'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

  it('3.1 node-forge writes and reads ASN.1, and does nothing else', () => {
    const users = sources.filter(([, text]) => text.includes("from 'node-forge"));
    expect(users.map(([name]) => name)).toEqual(['asn1.ts']);
    expect(users[0]?.[1].match(/from 'node-forge[^']*'/g)).toEqual([
      "from 'node-forge/lib/asn1.js'",
      "from 'node-forge/lib/asn1.js'",
    ]);
  });

  it('3.1 clock, randomness and process come from outside', () => {
    const reached = /Date\.now|new Date\(\)|Math\.random|randomBytes\(|process\.|randomUUID/;
    expect(sources.filter(([, text]) => reached.test(text)).map(([name]) => name)).toEqual([]);
  });
});
