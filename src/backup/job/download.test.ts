/** A store that an attacker writes: what is opened depends on the configuration of the operator alone. */
import { createHash, randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseBackupKey } from '../format/key.ts';
import { encodeManifest, manifestDigest } from '../format/manifest.ts';
import { MANIFEST, type Manifest } from '../format/manifest-type.ts';
import { StoreError, type ObjectStore } from '../stores/object-store.ts';
import { takeBackup } from '../take-backup.ts';
import type { JobConfig } from './config.ts';
import { downloadBackup } from './download.ts';
import { PATHS, SNAPSHOT_FILE, type JobPath } from './paths.ts';

const KEY_TEXT = 'a1'.repeat(32);
const FOLDER = 'team/demo/one';
const identity = { namespace: 'team', name: 'demo', uid: 'u' };
const never = new AbortController().signal;

const config: JobConfig = {
  backup: identity,
  karmada: identity,
  operatorVersion: '1.0.0',
  isExisting: false,
  folder: FOLDER,
  store: 'volume',
  encryption: { keyID: 'k1' },
  etcd: { hosts: [], port: 2379 },
  secrets: [],
  deadlineMs: 1_000,
};

type Objects = ReadonlyMap<string, Buffer>;

/** What a download opened. */
interface Opened {
  readonly files: Set<string>;
  readonly objects: Set<string>;
  readonly written: Set<string>;
}

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(content);
}

/** Downloads the backup of a store. All mounted files exist and have a valid key that the attacker knows. */
async function download(
  objects: Objects,
  change: Partial<JobConfig> = {},
): Promise<Opened & { readonly error?: unknown }> {
  const opened: Opened = { files: new Set(), objects: new Set(), written: new Set() };
  const tools = {
    store: {
      read: (key: string) => {
        opened.objects.add(key);
        const content = objects.get(key);
        if (content === undefined) throw new StoreError(key, 'NotFound');
        return pieces(content);
      },
    },
    read: (path: JobPath) => {
      opened.files.add(path);
      return Promise.resolve(KEY_TEXT);
    },
    create: (path: JobPath) => {
      opened.written.add(path);
      return new Writable({ write: (_, __, done) => done() });
    },
    signal: never,
  };
  const at = { path: SNAPSHOT_FILE, mode: 0o600 };
  return downloadBackup({ ...config, ...change }, tools, at).then(
    () => opened,
    (error: unknown) => ({ ...opened, error }),
  );
}

/** A store in memory. */
function memoryStore(objects: Map<string, Buffer>): ObjectStore {
  return {
    upload: async (key, content) => {
      const all: Uint8Array[] = [];
      for await (const piece of content) all.push(Buffer.from(piece));
      objects.set(key, Buffer.concat(all));
      return 0;
    },
    read: (key) => pieces(objects.get(key) ?? Buffer.alloc(0)),
    list: () => Promise.resolve([]),
    delete: () => Promise.resolve(),
    deleteUnfinished: () => Promise.resolve(),
  };
}

const etcd = {
  readWithQuorum: () => Promise.resolve(),
  status: () =>
    Promise.resolve({ revision: '7', version: '3.6.6', clusterId: 'a', memberId: 'b' } as never),
  hashKV: () => Promise.resolve({ hash: '1', compactRevision: '2', hashRevision: '7' }),
  countKeys: () => Promise.resolve('3'),
  snapshot: () => pieces(Buffer.from('snapshot')),
};

/** Takes a backup. */
async function taken(keyID = 'k1'): Promise<{ objects: Map<string, Buffer>; manifest: Manifest }> {
  const objects = new Map<string, Buffer>();
  const { manifest } = await takeBackup(
    { backup: identity, karmada: identity, operatorVersion: '1.0.0', folder: FOLDER },
    {
      etcd,
      store: memoryStore(objects),
      randomBytes,
      signal: never,
      key: parseBackupKey(keyID, KEY_TEXT),
      clock: { wall: () => 0 },
      readObjects: () => Promise.resolve(Buffer.from('{"secrets":[]}')),
    },
  );
  return { objects, manifest };
}

const MANIFEST_KEY = `${FOLDER}/${MANIFEST}`;
const FILES = new Set([`${PATHS.keys}/k1`]);
const OBJECTS = new Set([
  MANIFEST_KEY,
  ...['etcd.snapshot', 'etcd.snapshot.enc', 'objects.json', 'objects.json.enc'].map(
    (name) => `${FOLDER}/${name}`,
  ),
]);
const WRITTEN = new Set<string>([SNAPSHOT_FILE]);

const without = (found: Set<string>, allowed: ReadonlySet<string>): readonly string[] =>
  [...found].filter((one) => !allowed.has(one));

const expectFixed = ({ files, objects, written }: Opened): void => {
  expect(without(files, FILES)).toEqual([]);
  expect(without(objects, OBJECTS)).toEqual([]);
  expect(without(written, WRITTEN)).toEqual([]);
};

describe('downloadBackup', () => {
  let good: Awaited<ReturnType<typeof taken>>;

  beforeAll(async () => {
    good = await taken();
  });

  const withManifest = (content: Buffer): Objects =>
    new Map([...good.objects, [MANIFEST_KEY, content]]);

  it('reads a backup that was not changed', async () => {
    const opened = await download(good.objects);
    expect(opened.error).toBeUndefined();
    expect(opened.files).toEqual(FILES);
    expect(opened.written).toEqual(WRITTEN);
  });

  it.each([
    '../../../var/lib/karmada-backup/store/evil',
    '../credentials/secretAccessKey',
    'k0',
    '..data',
  ])('opens no other key for a forged manifest that names %s', async (keyID) => {
    const key = parseBackupKey('k1', 'b2'.repeat(32));
    const salt = '00'.repeat(32);
    const forged = encodeManifest({ ...good.manifest, encryption: { keyID, salt } }, key);
    const opened = await download(withManifest(forged));
    expect(opened.error).toMatchObject({ name: 'ManifestError' });
    expectFixed(opened);
    expect(opened.written.size).toBe(0);
  });

  it('names another key of the Secret, but no path, if the manifest asks for it', async () => {
    const key = parseBackupKey('k1', 'b2'.repeat(32));
    const salt = '00'.repeat(32);
    const text = async (keyID: string): Promise<string> => {
      const forged = encodeManifest({ ...good.manifest, encryption: { keyID, salt } }, key);
      return String((await download(withManifest(forged))).error);
    };
    expect(await text('k0')).toContain('it names the key k0, and k1 was used');
    expect(await text('../k0')).not.toContain('k0');
  });

  it('opens the same files for any bytes of the store', async () => {
    const field = fc.oneof(
      ...[fc.string(), fc.constant('../../etc/passwd'), fc.constant('/etc/passwd'), fc.json()],
    );
    const changed = fc.record({
      keyID: field,
      salt: fc.oneof(field, fc.constant('00'.repeat(32))),
      files: fc.array(fc.record({ name: field, sizeBytes: fc.integer(), sha256: field })),
      isNone: fc.boolean(),
      seal: field,
    });
    await fc.assert(
      fc.asyncProperty(changed, async ({ keyID, salt, files, isNone, seal }) => {
        const encryption = isNone ? 'None' : { keyID, salt };
        const line = JSON.stringify({ ...good.manifest, encryption, files });
        const sha256 = createHash('sha256').update(`${line}\n`).digest('hex');
        const bytes = `${line}\n${JSON.stringify({ sha256, hmacSha256: seal })}\n`;
        for (const use of [config, { ...config, encryption: 'None' as const }])
          expectFixed(await download(withManifest(Buffer.from(bytes)), use));
      }),
    );
  });

  it('opens the same files for any changed byte', async () => {
    const content = good.objects.get(MANIFEST_KEY) ?? Buffer.alloc(0);
    const at = fc.integer({ min: 0, max: content.length - 1 });
    await fc.assert(
      fc.asyncProperty(at, fc.integer({ min: 1, max: 255 }), async (index, change) => {
        const bytes = Buffer.from(content);
        bytes[index] = (bytes[index] ?? 0) ^ change;
        const opened = await download(withManifest(bytes));
        expect(opened.error).toBeDefined();
        expectFixed(opened);
      }),
    );
  });

  it('accepts only the recorded manifest, also if another one has the same key', async () => {
    const manifestSHA256 = manifestDigest(good.objects.get(MANIFEST_KEY) ?? Buffer.alloc(0));
    expect((await download(good.objects, { manifestSHA256 })).error).toBeUndefined();
    const { objects: other } = await taken();
    expect((await download(other)).error).toBeUndefined();
    const { error, written } = await download(other, { manifestSHA256 });
    expect(String(error)).toContain(
      `status.manifestSHA256 of the KarmadaBackup is ${manifestSHA256}`,
    );
    expect(written.size).toBe(0);
  });

  it('stops at the length of the manifest', async () => {
    const object = `${FOLDER}/objects.json.enc`;
    const longer = Buffer.concat([good.objects.get(object) ?? Buffer.alloc(0), Buffer.alloc(1)]);
    const { error } = await download(new Map([...good.objects, [object, longer]]));
    expect(String(error)).toContain('objects.json: longer than the manifest says');
  });
});
