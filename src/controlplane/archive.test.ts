import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { pack } from 'tar-stream';

import { ArchiveError, DEFAULT_LIMITS, readArchive } from './archive.ts';

type Entry = readonly [header: Parameters<ReturnType<typeof pack>['entry']>[0], text?: string];

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, text] of entries) tar.entry(header, text ?? '');
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}

const FILE = { name: 'crds/bases/work/a.yaml' };

describe('5. reading a CRD archive', () => {
  it('gives the files of an archive that comes in pieces', async () => {
    const tar = await tarOf([
      [{ name: 'crds/', type: 'directory' }],
      [{ name: 'crds/bases/', type: 'directory' }],
      [FILE, 'a: b\n'],
      [{ name: 'crds/patches/webhook_in_b.yaml' }, 'c: ü\n'],
    ]);
    expect(await readArchive(inPieces(gzipSync(tar)))).toEqual([
      { path: 'crds/bases/work/a.yaml', text: 'a: b\n' },
      { path: 'crds/patches/webhook_in_b.yaml', text: 'c: ü\n' },
    ]);
  });

  it.each<[string, Entry]>([
    ['a symbolic link', [{ name: 'crds/a', type: 'symlink', linkname: '/etc/passwd' }]],
    ['a hard link', [{ name: 'crds/a', type: 'link', linkname: 'crds/b' }]],
    ['a device', [{ name: 'crds/a', type: 'character-device' }]],
    ['a pipe', [{ name: 'crds/a', type: 'fifo' }]],
    ['an absolute path', [{ name: '/crds/a' }]],
    ['a way out', [{ name: 'crds/../../etc/a' }]],
    ['a path that begins with a dot', [{ name: './crds/a' }]],
    ['a dot within a path', [{ name: 'crds/./a' }]],
    ['a double slash', [{ name: 'crds//a' }]],
    ['a backslash', [{ name: 'crds\\a' }]],
    ['a place outside crds', [{ name: 'etc/a' }]],
    ['a hidden file', [{ name: 'crds/.a' }]],
    ['a name of more than one line', [{ name: 'crds/a\nb' }]],
  ])('refuses %s', async (_, entry) => {
    const archive = gzipSync(await tarOf([[FILE, 'a'], entry]));
    const reading = readArchive(inPieces(archive));
    await expect(reading).rejects.toThrow(ArchiveError);
    await expect(reading).rejects.toThrow(/^[^\n]*in the CRD archive is (a \S+, )?not a[^\n]*$/);
  });

  const cases: readonly (readonly [string, Partial<typeof DEFAULT_LIMITS>, RegExp])[] = [
    ['more bytes than allowed', { compressed: 50 }, /larger than 50 bytes/],
    ['more bytes unpacked', { unpacked: 1000 }, /unpacks to more than 1000 bytes/],
    ['more entries', { entries: 2 }, /more than 2 entries/],
  ];
  it.each(cases)('refuses %s', async (_, limits, message) => {
    const archive = gzipSync(await tarOf([[FILE], [FILE], [FILE]]));
    const reading = readArchive(inPieces(archive), { ...DEFAULT_LIMITS, ...limits });
    await expect(reading).rejects.toThrow(message);
  });

  it('stops reading at the limit, however much would follow', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        given += 1;
        yield new Uint8Array(1000);
      }
    }
    await expect(readArchive(endless(), { ...DEFAULT_LIMITS, compressed: 10_000 })).rejects.toThrow(
      ArchiveError,
    );
    expect(given).toBe(11);
  });

  it('refuses a small archive that unpacks to a big one', async () => {
    const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(DEFAULT_LIMITS.compressed);
    await expect(readArchive(inPieces(bomb))).rejects.toThrow(/unpacks to more than/);
  });

  it.each([
    ['cut in the gzip', async () => gzipSync(await tarOf([[FILE, 'a']])).subarray(0, 40), 'gzip'],
    ['cut in the tar', async () => gzipSync((await tarOf([[FILE, 'a']])).subarray(0, 300)), 'tar'],
    ['no archive at all', async () => Buffer.from('<html>not found</html>'), 'gzip'],
    ['empty', async () => Buffer.alloc(0), 'gzip'],
  ])('says so when it is %s', async (_, bytes, kind) => {
    await expect(readArchive(inPieces(await bytes()))).rejects.toThrow(
      `The CRD archive is not a complete ${kind} file`,
    );
  });

  it('errors of the source pass through', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
      throw new Error('connection reset');
    }
    await expect(readArchive(failing())).rejects.toThrow('connection reset');
  });
});
