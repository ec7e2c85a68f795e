import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { gzippedTar, inPieces, tarOf, type TarEntry } from './__fixtures__/tar.ts';
import { ArchiveError, DEFAULT_LIMITS, readArchive } from './archive.ts';

const FILE = { name: 'crds/bases/work/a.yaml' };

/** An entry whose header has bytes that a packer would not write. */
async function withHeader(change: (header: Buffer) => void): Promise<Buffer> {
  const tar = await tarOf([[FILE, 'a']]);
  const header = tar.subarray(0, 512);
  change(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return gzipSync(tar);
}

describe('reading a CRD archive', () => {
  it('gives the files of an archive that comes in pieces', async () => {
    const archive = await gzippedTar([
      [{ name: 'crds/', type: 'directory' }],
      [{ name: 'crds/bases/', type: 'directory' }],
      [FILE, 'a: b\n'],
      [{ name: 'crds/patches/webhook_in_b.yaml' }, 'c: ü\n'],
    ]);
    for (const size of [1, 100, archive.length])
      expect(await readArchive(inPieces(archive, size))).toEqual([
        { path: 'crds/bases/work/a.yaml', text: 'a: b\n' },
        { path: 'crds/patches/webhook_in_b.yaml', text: 'c: ü\n' },
      ]);
  });

  it('errors of the source pass through', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
      throw new Error('connection reset');
    }
    await expect(readArchive(failing())).rejects.toThrow('connection reset');
  });
});

describe('an archive is refused with what is wrong, and where', () => {
  it.each<[string, TarEntry, string]>([
    [
      'a symbolic link',
      [{ name: 'crds/a', type: 'symlink', linkname: '/etc/passwd' }],
      '"crds/a" is a symlink, not a file',
    ],
    [
      'a hard link',
      [{ name: 'crds/a', type: 'link', linkname: 'crds/b' }],
      '"crds/a" is a link, not a file',
    ],
    ['a device', [{ name: 'crds/a', type: 'character-device' }], 'is a character-device, not'],
    ['a disk', [{ name: 'crds/a', type: 'block-device' }], 'is a block-device, not'],
    ['a pipe', [{ name: 'crds/a', type: 'fifo' }], 'is a fifo, not'],
    ['a contiguous file', [{ name: 'crds/a', type: 'contiguous-file' }], 'is a contiguous-file'],
    ['an absolute path', [{ name: '/crds/a' }], '"/crds/a" is not a plain path below crds/'],
    ['a way out', [{ name: 'crds/../../etc/a' }], '"crds/../../etc/a" is not a plain path'],
    ['a way out of a directory', [{ name: 'crds/..', type: 'directory' }], 'is not a plain path'],
    ['a path that begins with a dot', [{ name: './crds/a' }], '"./crds/a" is not a plain path'],
    ['a dot within a path', [{ name: 'crds/./a' }], 'is not a plain path'],
    ['a double slash', [{ name: 'crds//a' }], 'is not a plain path'],
    ['a slash at the end of a file', [{ name: 'crds/a/', type: 'file' }], 'is not a plain path'],
    ['a backslash', [{ name: 'crds\\a' }], 'is not a plain path'],
    ['a drive', [{ name: 'C:/crds/a' }], 'is not a plain path'],
    ['a place outside crds', [{ name: 'etc/a' }], '"etc/a" is not a plain path'],
    ['a name that only begins like crds', [{ name: 'crds2/a' }], 'is not a plain path'],
    ['a hidden file', [{ name: 'crds/.a' }], 'is not a plain path'],
    ['a name of more than one line', [{ name: 'crds/a\nb' }], '"crds/a\\nb" is not a plain path'],
    ['a letter that looks like another', [{ name: 'crds/bаses/a' }], 'is not a plain path'],
    [
      'a path too long',
      [{ name: `crds/bases/${'a'.repeat(200)}.yaml` }],
      'is a path of more than 200 bytes',
    ],
    ['a path that is there already', [FILE, 'b'], '"crds/bases/work/a.yaml" is in it twice'],
    [
      'a directory where a file is',
      [{ name: `${FILE.name}/`, type: 'directory' }],
      '"crds/bases/work/a.yaml" is in it twice',
    ],
    [
      'a file too large',
      [{ name: 'crds/bases/b.yaml' }, randomBytes(DEFAULT_LIMITS.file).toString('base64')],
      '"crds/bases/b.yaml" is larger than 1048576 bytes',
    ],
    [
      'a text in another charset',
      [{ name: 'crds/bases/b.yaml' }, Buffer.from('a: "gr\xfc\xdfe"\n', 'latin1')],
      '"crds/bases/b.yaml" is not a text in UTF-8',
    ],
    [
      'a text in UTF-16',
      [{ name: 'crds/bases/b.yaml' }, Buffer.from('\uFEFFa: b\n', 'utf16le')],
      'is not a text in UTF-8',
    ],
  ])('%s', async (_, entry, message) => {
    const reading = readArchive(inPieces(await gzippedTar([[FILE, 'a'], entry]), 4096));
    await expect(reading).rejects.toThrow(ArchiveError);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(/^[^\n]{1,400}$/);
  });

  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['empty', () => Buffer.alloc(0), 'it is empty'],
    ['an HTML page', () => Buffer.from('\n<!DOCTYPE html><html>'), 'it is an HTML or XML page'],
    ['a text', () => Buffer.from('not found'), 'it is not a gzip file'],
    ['a tar without gzip', () => tarOf([[FILE, 'a']]), 'it is not a gzip file'],
    ['a zip', () => Buffer.from('PK\x03\x04aaaaaaaa'), 'it is not a gzip file'],
    [
      'cut in the gzip',
      async () => (await gzippedTar([[FILE, 'a']])).subarray(0, 40),
      'it is not a complete gzip file',
    ],
    [
      'cut before its check sum',
      async () => (await gzippedTar([[FILE, 'a']])).subarray(0, -8),
      'it is not a complete gzip file',
    ],
    [
      'changed on the way',
      async () => {
        const archive = await gzippedTar([[FILE, 'a'.repeat(1000)]]);
        archive.writeUInt8(archive.readUInt8(archive.length - 6) ^ 1, archive.length - 6);
        return archive;
      },
      'it is not a complete gzip file',
    ],
    [
      'followed by something else',
      async () => Buffer.concat([await gzippedTar([[FILE, 'a']]), Buffer.from('more')]),
      'it has something behind its end',
    ],
    [
      'followed by a second gzip file',
      async () => Buffer.concat([await gzippedTar([[FILE]]), await gzippedTar([[FILE]])]),
      'it has something behind its end',
    ],
    [
      'cut in the tar',
      async () => gzipSync((await tarOf([[FILE, 'a']])).subarray(0, 300)),
      'it is not a complete tar file',
    ],
    [
      'followed by something else in the tar',
      async () => gzipSync(Buffer.concat([await tarOf([[FILE, 'a']]), Buffer.alloc(512, 'x')])),
      'it is not a complete tar file',
    ],
    ['a gzip of nothing', () => gzipSync(''), 'it holds no file'],
    ['a tar of nothing', () => gzippedTar([]), 'it holds no file'],
    [
      'a tar of directories',
      () => gzippedTar([[{ name: 'crds/', type: 'directory' }]]),
      'it holds no file',
    ],
    ['of an unknown type', () => withHeader((header) => header.write('S', 156)), 'special file'],
    [
      'of a size that is no number',
      () => withHeader((header) => header.fill(0xff, 124, 136)),
      'is',
    ],
    [
      'of a size beyond what there is',
      () => withHeader((header) => header.write('00000007777\0', 124)),
      'it is not a complete tar file',
    ],
    [
      'of a size beyond the limit',
      () => withHeader((header) => header.write('77777777777\0', 124)),
      '"crds/bases/work/a.yaml" is larger than 1048576 bytes',
    ],
    [
      'with a header that does not add up',
      async () => {
        const tar = await tarOf([[FILE, 'a']]);
        tar.write('x', 0);
        return gzipSync(tar);
      },
      'it is not a complete tar file',
    ],
  ])('a file that is %s', async (_, bytes, message) => {
    const archive = await bytes();
    for (const size of [7, Math.max(1, archive.length)]) {
      const reading = readArchive(inPieces(archive, size));
      await expect(reading).rejects.toThrow(ArchiveError);
      await expect(reading).rejects.toThrow(message);
    }
  });

  const limits: readonly (readonly [string, Partial<typeof DEFAULT_LIMITS>, RegExp])[] = [
    ['bytes', { compressed: 50 }, /^it is larger than 50 bytes$/],
    ['bytes unpacked', { unpacked: 1000 }, /^it unpacks to more than 1000 bytes$/],
    ['bytes unpacked per byte', { ratio: 2, freeOfRatio: 10 }, /^it unpacks to more than 2 times/],
    ['entries', { entries: 2 }, /^it has more than 2 entries$/],
  ];
  it.each(limits)('an archive with too many %s', async (_, limit, message) => {
    const names = ['crds/a', 'crds/b', 'crds/c'];
    const archive = await gzippedTar(names.map((name) => [{ name }]));
    const reading = readArchive(inPieces(archive), { ...DEFAULT_LIMITS, ...limit });
    await expect(reading).rejects.toThrow(ArchiveError);
    await expect(reading).rejects.toThrow(message);
  });

  it.each([
    ['bytes that come without end', (): Uint8Array => new Uint8Array(1000)],
    ['an endless gzip file', (): Uint8Array => Buffer.concat([gzipSync('a'), Buffer.alloc(90)])],
  ])('of %s no more is read than the limits allow', async (_, piece) => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        const bytes = piece();
        given += bytes.length;
        yield bytes;
      }
    }
    const reading = readArchive(endless(), { ...DEFAULT_LIMITS, compressed: 10_000 });
    await expect(reading).rejects.toThrow(ArchiveError);
    expect(given).toBeLessThanOrEqual(11_000);
  });

  it('a bomb: a small archive that unpacks to a big one', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024), { level: 1 });
    expect(bomb.length).toBeLessThan(DEFAULT_LIMITS.compressed);
    await expect(readArchive(inPieces(bomb, 65_536))).rejects.toThrow(/^it unpacks to more than/);
  });

  it('a bomb of bombs: a file of the archive is never unpacked itself', async () => {
    const inner = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const archive = await gzippedTar([[{ name: 'crds/bases/a.yaml' }, inner]]);
    await expect(readArchive(inPieces(archive))).rejects.toThrow('is not a text in UTF-8');
  });
});

describe('whatever the bytes are', () => {
  const parts = fc.oneof(
    fc.constantFrom('crds', '..', '.', '', '/', '\\', 'a', 'bases', 'a\0b', '~', 'C:', '%2e%2e'),
    fc.string({ maxLength: 20, unit: 'binary' }),
  );

  it('a path that is taken is plain, in the archive directory and of one line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { minLength: 1, maxLength: 6 }), async (names) => {
        const archive = await gzippedTar([[{ name: names.join('/'), type: 'file' }, 'a']]).catch(
          () => undefined,
        );
        fc.pre(archive !== undefined);
        const taken = await readArchive(inPieces(archive ?? Buffer.alloc(0), 512)).catch(
          (error: unknown) => {
            expect(error).toBeInstanceOf(ArchiveError);
            expect((error as Error).message).not.toMatch(/[\n\r\0]/);
            return [];
          },
        );
        for (const { path } of taken) {
          expect(path).toMatch(/^crds(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/);
          expect(new URL(`file:///root/${path}`).pathname).toBe(`/root/${path}`);
        }
      }),
    );
  });

  it('a changed byte gives the same files, other files or a refusal, and nothing else', async () => {
    const tar = await tarOf([
      [{ name: 'crds/', type: 'directory' }],
      [FILE, 'a: b\n'],
      [{ name: `crds/${'long/'.repeat(25)}a.yaml` }, 'c: d\n'],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.nat(tar.length - 1), fc.nat(255), async (at, value) => {
        const changed = Buffer.from(tar);
        changed[at] = value;
        const read = readArchive(inPieces(gzipSync(changed), 4096));
        const files = await read.catch((error: unknown) => {
          expect(error).toBeInstanceOf(ArchiveError);
          return [];
        });
        for (const { path } of files) expect(path).toMatch(/^crds\/[\w/.-]+$/);
      }),
      { numRuns: 300 },
    );
  });
});
