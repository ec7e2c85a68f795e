import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { run } from '../../tools/embedded-cluster/command.ts';
import { writeLayer, writeOciArchive, type PlatformImage } from './oci.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'oci-'));
});
afterEach(() => rm(directory, { recursive: true }));

const created = '2026-01-02T03:04:05.000Z';

async function archive(name: string): Promise<{ digest: string; file: string }> {
  const own = (architecture: string) =>
    writeLayer(join(directory, `${name}-${architecture}`), [
      { path: 'usr/bin/node', content: architecture, mode: 0o755 },
    ]);
  const shared = await writeLayer(join(directory, `${name}-shared`), [
    { path: 'opt/program', content: 'program' },
  ]);
  const images: PlatformImage[] = [];
  for (const architecture of ['amd64', 'arm64']) {
    const layers = [await own(architecture), shared];
    images.push({ config: { tags: ['r.example/op:1'], architecture, created }, layers });
  }
  const file = join(directory, `${name}.tar`);
  return { digest: await writeOciArchive(file, images, 'r.example/op:1'), file };
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: object;
  readonly annotations?: object;
}

it('writes an OCI layout in which every digest and size matches', async () => {
  const { digest, file } = await archive('a');
  await run(['tar', '-xf', file, '-C', directory]);
  const blob = async ({ digest: name, size }: Descriptor): Promise<Buffer> => {
    const bytes = await readFile(join(directory, 'blobs', name.replace(':', '/')));
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(name);
    expect(bytes.length).toBe(size);
    return bytes;
  };
  const json = async <T>(descriptor: Descriptor): Promise<T> =>
    JSON.parse((await blob(descriptor)).toString()) as T;
  const top = JSON.parse(await readFile(join(directory, 'index.json'), 'utf8')) as {
    manifests: Descriptor[];
  };
  expect(top.manifests).toMatchObject([
    { digest, annotations: { 'org.opencontainers.image.ref.name': '1' } },
  ]);
  const shared = new Set<string>();
  const [index] = top.manifests;
  if (index === undefined) throw new Error('index.json has no entry');
  const { manifests } = await json<{ manifests: Descriptor[] }>(index);
  expect(manifests.map(({ platform }) => platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
  for (const descriptor of manifests) {
    const manifest = await json<{ config: Descriptor; layers: Descriptor[] }>(descriptor);
    const config = await json<{ created: string; rootfs: { diff_ids: string[] } }>(manifest.config);
    expect(config.created).toBe(created);
    const plain = await Promise.all(manifest.layers.map(blob));
    expect(config.rootfs.diff_ids).toEqual(
      plain.map(
        (bytes) => `sha256:${createHash('sha256').update(gunzipSync(bytes)).digest('hex')}`,
      ),
    );
    shared.add(manifest.layers[1]?.digest ?? '');
  }
  expect(shared.size).toBe(1);
});

it('writes identical bytes when the input is equal', async () => {
  const files = [(await archive('a')).file, (await archive('b')).file];
  const [first, second] = await Promise.all(files.map((file) => readFile(file)));
  expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
});
