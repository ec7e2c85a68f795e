import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DamagedFileError, decrypted, encrypted } from './chunks.ts';
import { parseBackupKey, type BackupKey } from './key.ts';

const MIB = 2 ** 20;
const HEADER = 44;
const SEALED = MIB + 16;
const key = parseBackupKey('k1', '07'.repeat(32));
const file = 'etcd.snapshot';

async function* pieces(content: Buffer, length: number): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0; at < content.length; at += length) yield content.subarray(at, at + length);
}

async function whole(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of stream) all.push(piece);
  return Buffer.concat(all);
}

const seal = (plain: Buffer, length = 65_536): Promise<Buffer> =>
  whole(encrypted(pieces(plain, length), { key, file }, randomBytes(32)));
const open = (stored: Buffer, more: Partial<{ key: BackupKey; file: string }> = {}) =>
  whole(decrypted(pieces(stored, 50_001), { key, file, ...more }));

describe('encrypted and decrypted', () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB])('return %i bytes unchanged', async (length) => {
    const plain = randomBytes(length);
    const stored = await seal(plain);
    expect(stored.length).toBe(HEADER + length + 16 * Math.max(1, Math.ceil(length / MIB)));
    expect((await open(stored)).equals(plain)).toBe(true);
  });

  it('return any content unchanged, however it is cut', async () => {
    const content = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 50 }), async (bytes, length) => {
        const plain = Buffer.from(bytes);
        expect((await open(await seal(plain, length))).equals(plain)).toBe(true);
      }),
    );
  });

  it('find each changed byte of a short file', async () => {
    const stored = await seal(Buffer.from('Secrets of a control plane'));
    for (let at = 0; at < stored.length; at += 1) {
      const changed = Buffer.from(stored);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(open(changed)).rejects.toThrow(DamagedFileError);
    }
  });

  it.each<[string, (stored: Buffer) => Buffer]>([
    ['cut between chunks', (s) => s.subarray(0, HEADER + 2 * SEALED)],
    ['cut in a chunk', (s) => s.subarray(0, HEADER + SEALED + 100)],
    ['cut in the header', (s) => s.subarray(0, HEADER - 1)],
    ['without a chunk', (s) => s.subarray(0, HEADER)],
    ['longer', (s) => Buffer.concat([s, Buffer.alloc(1)])],
    [
      'with exchanged chunks',
      (s) => {
        const [one, two] = [HEADER, HEADER + SEALED];
        const parts = [s.subarray(two, two + SEALED), s.subarray(one, two)];
        return Buffer.concat([s.subarray(0, one), ...parts, s.subarray(two + SEALED)]);
      },
    ],
    [
      'with a repeated chunk',
      (s) => Buffer.concat([s.subarray(0, HEADER + SEALED), s.subarray(HEADER)]),
    ],
  ])('reject a file %s', async (_, change) => {
    const stored = await seal(randomBytes(3 * MIB + 10));
    await expect(open(change(stored))).rejects.toThrow(DamagedFileError);
  });

  it('reject another key and another file name', async () => {
    const stored = await seal(Buffer.from('x'));
    const other = parseBackupKey('k2', '0'.repeat(64));
    await expect(open(stored, { key: other })).rejects.toThrow('the key is not that of the backup');
    await expect(open(stored, { file: 'objects.json' })).rejects.toThrow(DamagedFileError);
  });

  it('fail when the source fails, without a last chunk', async () => {
    async function* failing(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(randomBytes(2 * MIB));
      throw new Error('source');
    }
    const stored: Buffer[] = [];
    const read = async (): Promise<void> => {
      for await (const one of encrypted(failing(), { key, file }, randomBytes(32)))
        stored.push(one);
    };
    await expect(read()).rejects.toThrow('source');
    await expect(open(Buffer.concat(stored))).rejects.toThrow(DamagedFileError);
  });
});

describe('parseBackupKey', () => {
  it('accepts 64 hexadecimal digits with white space around them', () => {
    expect(parseBackupKey('k', `${'0f'.repeat(32)}\n`).bytes).toEqual(Buffer.alloc(32, 15));
  });

  it('rejects anything else without repeating it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        fc.pre(!/^[0-9a-fA-F]{64}$/.test(text.trim()));
        expect(() => parseBackupKey('k', text)).toThrow('64 hexadecimal digits');
      }),
    );
    expect(() => parseBackupKey('k', 'hunter2hunter2')).not.toThrow(/hunter2/);
  });

  it.each(['../k1', '..data', '.', '..', '', 'a/b', 'a\n', 'k'.repeat(254), '\u0000'])(
    'rejects the name %j',
    (name) => {
      expect(() => parseBackupKey(name, '00'.repeat(32))).toThrow('keyID: not the name of a key');
    },
  );
});
