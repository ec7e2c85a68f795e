/** What every store of backups does, with the content that the tests of stores use. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deleteBackup } from '../../../src/backup/delete-backup.ts';
import { probeStore } from '../../../src/backup/job/probe.ts';
import type { ObjectStore } from '../../../src/backup/stores/object-store.ts';
import { createS3Client, type S3Settings } from '../../../src/backup/stores/s3-client.ts';
import { systemClock, type Clock } from '../../../src/kubernetes/time/clock.ts';

const MIB = 2 ** 20;
/** Three parts. */
export const CONTENT = randomBytes(20 * MIB);

/** Clock whose pauses between attempts are short. */
const clock: Clock = { ...systemClock, after: (ms, act) => systemClock.after(ms / 100, act) };
export const tools = { clock, random: Math.random, timeoutMs: 2_000 };
export const never = new AbortController().signal;

export async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0; at < content.length; at += 32_768) yield content.subarray(at, at + 32_768);
}

async function* failing(content: Buffer): AsyncGenerator<Buffer> {
  yield* pieces(content);
  throw new Error('etcd ended');
}

export async function contentOf(store: ObjectStore, key: string): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of store.read(key, never)) all.push(piece);
  return Buffer.concat(all);
}

export const digest = (content: Buffer): string =>
  createHash('sha256').update(content).digest('hex');

/** Number of unfinished uploads of an object. */
export async function unfinishedUploads(settings: S3Settings, key: string): Promise<number> {
  const client = createS3Client(settings, tools);
  const { text } = await client.call({ method: 'GET', query: { uploads: '' }, signal: never });
  return text.split(`<Key>${key}</Key>`).length - 1;
}

export interface TestedStore {
  readonly create: () => ObjectStore;
  /** Counts what unfinished uploads of a key left. */
  readonly unfinished: (key: string) => Promise<number>;
}

/** Declares the cases of a store. */
export function describeStore(name: string, { create, unfinished }: TestedStore): void {
  describe(`store: ${name}`, () => {
    it.each([0, 5, 8 * MIB, 8 * MIB + 1, 20 * MIB])('stores %i bytes', async (length) => {
      const store = create();
      const content = CONTENT.subarray(0, length);
      const key = `sizes/of/${String(length)}`;
      await expect(store.upload(key, pieces(content), never)).resolves.toBe(length);
      expect(digest(await contentOf(store, key))).toBe(digest(content));
      expect(await store.list(`${key}`, never)).toContainEqual({ key, sizeBytes: length });
    });

    it('never replaces an object', async () => {
      const store = create();
      for (const length of [10, 20 * MIB]) {
        const key = `kept/${String(length)}`;
        await store.upload(key, pieces(CONTENT.subarray(0, length)), never);
        const other = store.upload(key, pieces(randomBytes(length)), never);
        await expect(other).rejects.toMatchObject({ code: 'ObjectExists' });
        expect(digest(await contentOf(store, key))).toBe(digest(CONTENT.subarray(0, length)));
      }
    });

    it.each([0, 5, 20 * MIB])(
      'keeps nothing of a stream that fails after %i bytes',
      async (length) => {
        const store = create();
        const key = `failed/${String(length)}`;
        const upload = store.upload(key, failing(CONTENT.subarray(0, length)), never);
        await expect(upload).rejects.toThrow('etcd ended');
        expect(await store.list('failed/', never)).toEqual([]);
        await expect(contentOf(store, key)).rejects.toMatchObject({ code: 'NotFound' });
        expect(await unfinished(key)).toBe(0);
      },
    );

    it('passes a probe, which leaves nothing and replaces what a killed one left', async () => {
      const store = create();
      await store.upload('probe/x-rest', pieces(Buffer.from('rest')), never);
      await probeStore(store, { prefix: 'probe/x', random: 'abc', signal: never });
      expect(await store.list('probe/', never)).toEqual([]);
    });

    it('loses only the files of one backup when that is deleted', async () => {
      const store = create();
      const names = ['manifest.jsonl', 'etcd.snapshot.enc', 'objects.json'];
      const inside = ['gone', 'gone/one'].flatMap((folder) =>
        names.map((name) => `${folder}/${name}`),
      );
      for (const key of [...inside, 'gone/notes'])
        await store.upload(key, pieces(Buffer.from('x')), never);
      const left = async (): Promise<readonly string[]> =>
        (await store.list('gone/', never)).map(({ key }) => key);
      await deleteBackup(store, 'gone', never);
      expect(await left()).toEqual(['gone/notes', ...names.map((n) => `gone/one/${n}`).sort()]);
      await deleteBackup(store, 'gone/one', never);
      expect(await left()).toEqual(['gone/notes']);
      await deleteBackup(store, 'gone/none', never);
    });

    it('deletes objects, and none without an error', async () => {
      const store = create();
      await store.upload('deleted/one', pieces(Buffer.from('x')), never);
      await store.delete('deleted/one', never);
      await store.delete('deleted/one', never);
      expect(await store.list('deleted/', never)).toEqual([]);
    });

    it.each(['../x', 'a//b', '/a', 'a/..', 'a/.hidden', 'a b', 'a?b', ''])(
      'rejects the key %j',
      async (key) => {
        await expect(
          (async () => create().upload(key, pieces(Buffer.from('x')), never))(),
        ).rejects.toMatchObject({ code: 'InvalidKey' });
      },
    );
  });
}
