import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { extract, type Header } from 'tar-stream';
import { writeImageArchive, type ImageConfig, type LayerEntry } from './archive.ts';
import { packageFolders } from './bundle.ts';
import { archiveFolder, archiveUrl, packCrds } from './crds.ts';

interface Unpacked {
  header: Header;
  content: Buffer;
}

async function unpack(bytes: Buffer): Promise<Unpacked[]> {
  const tar = extract();
  const entries: Unpacked[] = [];
  Readable.from([bytes]).pipe(tar);
  for await (const entry of tar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    entries.push({ header: entry.header, content: Buffer.concat(chunks) });
  }
  return entries;
}

const names = (entries: readonly Unpacked[]): string[] => entries.map(({ header }) => header.name);

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'image-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('writeImageArchive', () => {
  const images: ImageConfig[] = [
    { tags: ['localhost/one:1'], entrypoint: ['/bin/one'] },
    { tags: ['localhost/two:1'], entrypoint: ['/bin/one'], user: '65532' },
  ];
  const entries: LayerEntry[] = [
    { path: 'usr/bin/one', content: 'program', mode: 0o755 },
    { path: 'usr/bin/two', link: 'one' },
    { path: 'var/data', directory: true, mode: 0o700, user: 65532 },
    { path: 'var/data/file', content: 'data', user: 65532 },
  ];

  it('writes identical bytes when the input is equal', async () => {
    const files = [join(directory, 'a.tar'), join(directory, 'b.tar')];
    for (const file of files) await writeImageArchive(file, entries, images);
    const [first, second] = await Promise.all(files.map((file) => readFile(file)));
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  });

  it('writes digests that match the manifest, and every directory before its files', async () => {
    const file = join(directory, 'a.tar');
    const digest = await writeImageArchive(file, entries, images);
    const archive = await unpack(await readFile(file));
    const find = (name: string): Buffer =>
      archive.find(({ header }) => header.name === name)?.content ?? Buffer.alloc(0);
    const manifest = JSON.parse(find('manifest.json').toString()) as {
      Config: string;
      RepoTags: string[];
      Layers: string[];
    }[];
    expect(manifest.map(({ RepoTags }) => RepoTags)).toEqual(images.map(({ tags }) => tags));
    const layer = find(manifest[0]?.Layers[0] ?? '');
    expect(`sha256:${createHash('sha256').update(layer).digest('hex')}`).toBe(digest);
    for (const { Config } of manifest) {
      expect(`${createHash('sha256').update(find(Config)).digest('hex')}.json`).toBe(Config);
      const { rootfs } = JSON.parse(find(Config).toString()) as { rootfs: { diff_ids: string[] } };
      expect(rootfs.diff_ids).toEqual([digest]);
    }
    const inside = await unpack(layer);
    expect(names(inside).map((name) => name.replace(/\/$/, ''))).toEqual([
      'usr',
      'usr/bin',
      'var',
      'usr/bin/one',
      'usr/bin/two',
      'var/data',
      'var/data/file',
    ]);
    const own = inside.find(({ header }) => header.name.startsWith('var/data'))?.header;
    expect(own).toMatchObject({ type: 'directory', mode: 0o700, uid: 65532, gid: 65532 });
    expect(inside.find(({ header }) => header.name === 'usr/bin/two')?.header).toMatchObject({
      type: 'symlink',
      linkname: 'one',
    });
  });

  it('leaves no file when an entry cannot be read', async () => {
    const lost = [...entries, { path: 'lost', file: join(directory, 'not-there') }];
    await expect(writeImageArchive(join(directory, 'a.tar'), lost, images)).rejects.toThrow(
      'ENOENT',
    );
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('packCrds', () => {
  async function source(): Promise<string> {
    const root = join(directory, 'source');
    await mkdir(join(root, 'bases/work'), { recursive: true });
    await mkdir(join(root, 'patches'), { recursive: true });
    await writeFile(join(root, 'kustomization.yaml'), 'resources: []\n');
    await writeFile(join(root, 'bases/work/works.yaml'), 'kind: CustomResourceDefinition\n');
    await writeFile(join(root, 'patches/webhook.yaml'), 'spec: {}\n');
    return root;
  }

  it('writes directories before their files, and identical bytes when the input is equal', async () => {
    const root = await source();
    const files = [join(directory, 'out/a.tar.gz'), join(directory, 'out/b.tar.gz')];
    for (const file of files) await packCrds(root, file);
    const [first = Buffer.alloc(0), second] = await Promise.all(
      files.map((file) => readFile(file)),
    );
    expect(first.equals(second ?? Buffer.alloc(0))).toBe(true);
    expect(names(await unpack(gunzipSync(first)))).toEqual([
      'crds/',
      'crds/bases/',
      'crds/bases/work/',
      'crds/bases/work/works.yaml',
      'crds/kustomization.yaml',
      'crds/patches/',
      'crds/patches/webhook.yaml',
    ]);
    expect(await readdir(join(directory, 'out'))).toEqual(['a.tar.gz', 'b.tar.gz']);
  });

  it('uses the cache folder of the operator: the SHA-256 of the trimmed URL', () => {
    const url = archiveUrl('v1.17.1');
    const hash = createHash('sha256').update(url).digest('hex');
    expect(archiveFolder(url)).toBe(`cache/${hash}`);
    expect(archiveFolder(`  ${url}\n`)).toBe(`cache/${hash}`);
  });
});

describe('packageFolders', () => {
  it.each([
    ['no folder for sources', ['src/main.ts'], []],
    [
      'the folder of a package',
      ['node_modules/pino/pino.js', 'node_modules/pino/lib/a.js'],
      ['node_modules/pino'],
    ],
    [
      'the folder of a scoped package',
      ['node_modules/@kubernetes/client-node/dist/a.js'],
      ['node_modules/@kubernetes/client-node'],
    ],
    [
      'the folder of a nested package',
      ['node_modules/a/node_modules/b/index.js'],
      ['node_modules/a/node_modules/b'],
    ],
    [
      'the folder of a package outside of the checkout',
      ['../main/node_modules/pino/pino.js'],
      ['../main/node_modules/pino'],
    ],
    [
      'several folders, sorted',
      ['node_modules/b/i.js', 'node_modules/a/i.js'],
      ['node_modules/a', 'node_modules/b'],
    ],
  ])('returns %s', (_, inputs, expected) => {
    expect(packageFolders(inputs)).toEqual(expected);
  });
});
