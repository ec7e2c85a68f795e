import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../test/harness/code-point.ts';

import { gzippedTar, inPieces, tarOf, type TarEntry } from './__fixtures__/tar.ts';
import { ArchiveError, DEFAULT_LIMITS, readArchive } from './archive.ts';

const FILE = { name: 'crds/bases/work/a.yaml' };

/** Returns an archive whose tar header has bytes that no tar program writes. */
async function withHeader(change: (header: Buffer) => void): Promise<Buffer> {
  const tar = await tarOf([[FILE, 'a']]);
  const header = tar.subarray(0, 512);
  change(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return gzipSync(tar);
}

describe('readArchive', () => {
  it('returns the files when the archive arrives in chunks of any size', async () => {
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

  it('rethrows an error of the source unchanged', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1);
      throw new Error('connection reset');
    }
    await expect(readArchive(failing())).rejects.toThrow('connection reset');
  });
});

describe('readArchive with an invalid archive', () => {
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
    ['a block device', [{ name: 'crds/a', type: 'block-device' }], 'is a block-device, not'],
    ['a named pipe', [{ name: 'crds/a', type: 'fifo' }], 'is a fifo, not'],
    ['a contiguous file', [{ name: 'crds/a', type: 'contiguous-file' }], 'is a contiguous-file'],
    ['an absolute path', [{ name: '/crds/a' }], '"/crds/a" is not a normalized path below crds/'],
    [
      'a path to a parent directory',
      [{ name: 'crds/../../etc/a' }],
      '"crds/../../etc/a" is not a normalized path',
    ],
    ['a parent directory', [{ name: 'crds/..', type: 'directory' }], 'is not a normalized path'],
    ['a path with a leading dot', [{ name: './crds/a' }], '"./crds/a" is not a normalized path'],
    ['a path with a dot segment', [{ name: 'crds/./a' }], 'is not a normalized path'],
    ['a path with a double slash', [{ name: 'crds//a' }], 'is not a normalized path'],
    [
      'a file with a trailing slash',
      [{ name: 'crds/a/', type: 'file' }],
      'is not a normalized path',
    ],
    ['a path with a backslash', [{ name: 'crds\\a' }], 'is not a normalized path'],
    ['a path with a drive letter', [{ name: 'C:/crds/a' }], 'is not a normalized path'],
    ['a path outside crds', [{ name: 'etc/a' }], '"etc/a" is not a normalized path'],
    ['a path with crds as mere prefix', [{ name: 'crds2/a' }], 'is not a normalized path'],
    ['a hidden file', [{ name: 'crds/.a' }], 'is not a normalized path'],
    ['a path with a line break', [{ name: 'crds/a\nb' }], '"crds/a\\nb" is not a normalized path'],
    ['a path with a Cyrillic letter', [{ name: 'crds/bаses/a' }], 'is not a normalized path'],
    [
      'a too long path',
      [{ name: `crds/bases/${'a'.repeat(200)}.yaml` }],
      'is a path longer than 200 bytes',
    ],
    ['a duplicate path', [FILE, 'b'], '"crds/bases/work/a.yaml" occurs more than once'],
    [
      'a directory with the path of a file',
      [{ name: `${FILE.name}/`, type: 'directory' }],
      '"crds/bases/work/a.yaml" occurs more than once',
    ],
    [
      'a too large file',
      [{ name: 'crds/bases/b.yaml' }, randomBytes(DEFAULT_LIMITS.file).toString('base64')],
      '"crds/bases/b.yaml" is larger than 1048576 bytes',
    ],
    [
      'a Latin-1 text',
      [{ name: 'crds/bases/b.yaml' }, Buffer.from('a: "gr\xfc\xdfe"\n', 'latin1')],
      '"crds/bases/b.yaml" is not UTF-8 text',
    ],
    [
      'a UTF-16 text',
      [{ name: 'crds/bases/b.yaml' }, Buffer.from('\uFEFFa: b\n', 'utf16le')],
      'is not UTF-8 text',
    ],
  ])('throws and names the entry when an entry is %s', async (_, entry, message) => {
    const reading = readArchive(inPieces(await gzippedTar([[FILE, 'a'], entry]), 4096));
    await expect(reading).rejects.toThrow(ArchiveError);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(/^[^\n]{1,400}$/);
  });

  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['empty', () => Buffer.alloc(0), 'it is empty'],
    ['an HTML page', () => Buffer.from('\n<!DOCTYPE html><html>'), 'it is an HTML or XML page'],
    ['plain text', () => Buffer.from('not found'), 'it is not a gzip file'],
    ['a tar without gzip', () => tarOf([[FILE, 'a']]), 'it is not a gzip file'],
    ['a zip', () => Buffer.from('PK\x03\x04aaaaaaaa'), 'it is not a gzip file'],
    [
      'truncated in the gzip data',
      async () => (await gzippedTar([[FILE, 'a']])).subarray(0, 40),
      'it is not a complete gzip file',
    ],
    [
      'truncated before its gzip checksum',
      async () => (await gzippedTar([[FILE, 'a']])).subarray(0, -8),
      'it is not a complete gzip file',
    ],
    [
      'corrupted',
      async () => {
        const archive = await gzippedTar([[FILE, 'a'.repeat(1000)]]);
        archive.writeUInt8(archive.readUInt8(archive.length - 6) ^ 1, archive.length - 6);
        return archive;
      },
      'it is not a complete gzip file',
    ],
    [
      'followed by other data',
      async () => Buffer.concat([await gzippedTar([[FILE, 'a']]), Buffer.from('more')]),
      'it has data after the end of the gzip stream',
    ],
    [
      'followed by a second gzip file',
      async () => Buffer.concat([await gzippedTar([[FILE]]), await gzippedTar([[FILE]])]),
      'it has data after the end of the gzip stream',
    ],
    [
      'a truncated tar',
      async () => gzipSync((await tarOf([[FILE, 'a']])).subarray(0, 300)),
      'it is not a complete tar file',
    ],
    [
      'a tar followed by other data',
      async () => gzipSync(Buffer.concat([await tarOf([[FILE, 'a']]), Buffer.alloc(512, 'x')])),
      'it is not a complete tar file',
    ],
    ['a gzip file without content', () => gzipSync(''), 'it contains no files'],
    ['a tar without entries', () => gzippedTar([]), 'it contains no files'],
    [
      'a tar with only directories',
      () => gzippedTar([[{ name: 'crds/', type: 'directory' }]]),
      'it contains no files',
    ],
    [
      'a tar with an unknown entry type',
      () => withHeader((header) => header.write('S', 156)),
      'special file',
    ],
    [
      'a tar with a non-numeric entry size',
      () => withHeader((header) => header.fill(0xff, 124, 136)),
      'is',
    ],
    [
      'a tar with an entry size beyond its end',
      () => withHeader((header) => header.write('00000007777\0', 124)),
      'it is not a complete tar file',
    ],
    [
      'a tar with an entry size above the limit',
      () => withHeader((header) => header.write('77777777777\0', 124)),
      '"crds/bases/work/a.yaml" is larger than 1048576 bytes',
    ],
    [
      'a tar with an invalid header checksum',
      async () => {
        const tar = await tarOf([[FILE, 'a']]);
        tar.write('x', 0);
        return gzipSync(tar);
      },
      'it is not a complete tar file',
    ],
  ])('throws when the archive is %s', async (_, bytes, message) => {
    const archive = await bytes();
    for (const size of [7, Math.max(1, archive.length)]) {
      const reading = readArchive(inPieces(archive, size));
      await expect(reading).rejects.toThrow(ArchiveError);
      await expect(reading).rejects.toThrow(message);
    }
  });

  const limits: readonly (readonly [string, Partial<typeof DEFAULT_LIMITS>, RegExp])[] = [
    ['bytes', { compressed: 50 }, /^it is larger than 50 bytes$/],
    ['unpacked bytes', { unpacked: 1000 }, /^it unpacks to more than 1000 bytes$/],
    [
      'unpacked bytes per compressed byte',
      { ratio: 2, freeOfRatio: 10 },
      /^it unpacks to more than 2 times/,
    ],
    ['entries', { entries: 2 }, /^it has more than 2 entries$/],
  ];
  it.each(limits)('throws when the archive has too many %s', async (_, limit, message) => {
    const names = ['crds/a', 'crds/b', 'crds/c'];
    const archive = await gzippedTar(names.map((name) => [{ name }]));
    const reading = readArchive(inPieces(archive), { ...DEFAULT_LIMITS, ...limit });
    await expect(reading).rejects.toThrow(ArchiveError);
    await expect(reading).rejects.toThrow(message);
  });

  it.each([
    ['an endless stream', (): Uint8Array => new Uint8Array(1000)],
    ['an endless gzip stream', (): Uint8Array => Buffer.concat([gzipSync('a'), Buffer.alloc(90)])],
  ])('stops reading %s at the size limit', async (_, piece) => {
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

  it('rejects a decompression bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024), { level: 1 });
    expect(bomb.length).toBeLessThan(DEFAULT_LIMITS.compressed);
    await expect(readArchive(inPieces(bomb, 65_536))).rejects.toThrow(/^it unpacks to more than/);
  });

  it('does not unpack a compressed file of the archive', async () => {
    const inner = gzipSync(Buffer.alloc(10 * 1024 * 1024));
    const archive = await gzippedTar([[{ name: 'crds/bases/a.yaml' }, inner]]);
    await expect(readArchive(inPieces(archive))).rejects.toThrow('is not UTF-8 text');
  });
});

describe('readArchive with generated input', () => {
  const parts = fc.oneof(
    fc.constantFrom('crds', '..', '.', '', '/', '\\', 'a', 'bases', 'a\0b', '~', 'C:', '%2e%2e'),
    fc.string({ maxLength: 20, unit: codePoint }),
  );

  it('accepts only normalized paths below crds', async () => {
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

  it('returns files or throws ArchiveError when one byte of the tar changes', async () => {
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
