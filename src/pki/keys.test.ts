import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { BackgroundSlots } from '../kubernetes/fairness/background-slots.ts';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import { oneAtATime, PLATFORM_KEYS, type KeyGenerator } from './keys.ts';

describe('key generators', () => {
  it('generate keys of the requested algorithm', async () => {
    const [tokens, certificate] = await Promise.all([
      PLATFORM_KEYS.generate('rsa-2048'),
      PLATFORM_KEYS.generate('ec-p256'),
    ]);
    expect(tokens.asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(certificate.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  });

  it('generate keys sequentially, also after a failure', async () => {
    const key = await PLATFORM_KEYS.generate('ec-p256');
    let underWay = 0;
    let most = 0;
    let asked = 0;
    const turns = new BackgroundSlots({ clock: manualClock(), count: 1 });
    const generator: KeyGenerator = {
      async generate() {
        asked += 1;
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay -= 1;
        if (asked === 2) throw new Error('no entropy');
        return key;
      },
    };
    const keys = oneAtATime(generator, turns);
    const all = [1, 2, 3, 4].map(() => keys.generate('rsa-2048').catch(() => undefined));
    expect(await Promise.all(all)).toEqual([key, undefined, key, key]);
    expect(most).toBe(1);
  });
});

describe('source files of src/pki', () => {
  const folder = new URL('.', import.meta.url);
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.includes('.test') && !name.endsWith('.d.ts'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

  it('import only the ASN.1 codec of node-forge', () => {
    const users = sources.filter(([, text]) => text.includes("from 'node-forge"));
    expect(users.map(([name]) => name)).toEqual(['asn1.ts']);
    expect(users[0]?.[1].match(/from 'node-forge[^']*'/g)).toEqual([
      "from 'node-forge/lib/asn1.js'",
      "from 'node-forge/lib/asn1.js'",
    ]);
  });

  it('use no global clock, randomness or environment', () => {
    const reached = /Date\.now|new Date\(\)|Math\.random|randomBytes\(|process\.|randomUUID/;
    expect(sources.filter(([, text]) => reached.test(text)).map(([name]) => name)).toEqual([]);
  });
});
