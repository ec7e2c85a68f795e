/** Stores of backups: a folder, and an S3 server with and without faults. Objects are complete or absent. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeStore } from '../../../src/backup/job/probe.ts';
import { fixedCredentials } from '../../../src/backup/stores/credentials.ts';
import { createFileStore } from '../../../src/backup/stores/file-store.ts';
import type { ObjectStore } from '../../../src/backup/stores/object-store.ts';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { createS3Client, type S3Settings } from '../../../src/backup/stores/s3-client.ts';
import { systemClock, type Clock } from '../../../src/kubernetes/clock.ts';
import { eventually } from '../kubernetes/fixture.ts';
import { startFaults, startS3Server, type Fault, type S3Server } from './s3-server.ts';

const MIB = 2 ** 20;
/** Three parts. */
const CONTENT = randomBytes(20 * MIB);

let s3: S3Server;
let folder: string;

/** Clock whose pauses between attempts are short. */
const clock: Clock = { ...systemClock, after: (ms, act) => systemClock.after(ms / 100, act) };
const tools = { clock, random: Math.random, timeoutMs: 2_000 };
const never = new AbortController().signal;

async function* pieces(content: Buffer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0; at < content.length; at += 32_768) yield content.subarray(at, at + 32_768);
}

async function* failing(content: Buffer): AsyncGenerator<Buffer> {
  yield* pieces(content);
  throw new Error('etcd ended');
}

async function contentOf(store: ObjectStore, key: string): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of store.read(key, never)) all.push(piece);
  return Buffer.concat(all);
}

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Number of unfinished uploads of an object. */
async function uploadsLeft(key: string): Promise<number> {
  const client = createS3Client(s3.settings, tools);
  const { text } = await client.call({ method: 'GET', query: { uploads: '' }, signal: never });
  return text.split(`<Key>${key}</Key>`).length - 1;
}

beforeAll(async () => {
  s3 = await startS3Server();
  folder = await mkdtemp(join(tmpdir(), 'backup-store-'));
}, 600_000);

afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each<[string, () => ObjectStore]>([
  ['folder', () => createFileStore(folder)],
  ['S3', () => createS3Store(s3.settings, tools)],
])('store: %s', (_, create) => {
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
      expect(
        (await readdir(folder, { recursive: true })).filter((f) => f.endsWith('.part')),
      ).toEqual([]);
      expect(await uploadsLeft(key)).toBe(0);
    },
  );

  it('passes a probe, which leaves nothing and replaces what a killed one left', async () => {
    const store = create();
    await store.upload('probe/x-rest', pieces(Buffer.from('rest')), never);
    await probeStore(store, { prefix: 'probe/x', random: 'abc', signal: never });
    expect(await store.list('probe/', never)).toEqual([]);
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

describe('S3 with object lock', () => {
  const objectLock = { mode: 'GOVERNANCE', seconds: 2 } as const;
  const settings = (): S3Settings => ({ ...s3.settings, bucket: 'locked', objectLock });

  it('keeps objects until their retention has ended, and then deletes all their versions', async () => {
    const client = createS3Client(settings(), tools);
    const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
    await client.call({ method: 'PUT', headers, signal: never });
    const store = createS3Store(settings(), tools);
    const keys = ['kept/large', 'kept/small'];
    await store.upload('kept/large', pieces(CONTENT), never);
    await store.upload('kept/small', pieces(Buffer.from('x')), never);
    const locked = createS3Store(
      { ...settings(), objectLock: { ...objectLock, seconds: 9e6 } },
      tools,
    );
    await locked.upload('kept/longer', pieces(Buffer.from('x')), never);
    await expect(store.delete('kept/longer', never)).rejects.toMatchObject({
      code: 'ObjectLocked',
    });
    for (const key of keys)
      await eventually(`${key} can be deleted`, () =>
        store.delete(key, never).then(
          () => true,
          () => false,
        ),
      );
    expect((await store.list('kept/', never)).map(({ key }) => key)).toEqual(['kept/longer']);
    const query = { versions: '', prefix: 'kept/' };
    const { text } = await client.call({ method: 'GET', query, signal: never });
    expect(text.match(/<VersionId>/g)).toHaveLength(1);
  });

  it('is probed although the object of the probe stays', async () => {
    const store = createS3Store(
      { ...settings(), objectLock: { ...objectLock, seconds: 60 } },
      tools,
    );
    for (const random of ['a', 'b'])
      await probeStore(store, { prefix: 'probe-u', random, signal: never });
    expect(await store.list('probe-u', never)).toHaveLength(2);
  });

  it('is refused by a bucket without it', async () => {
    const store = createS3Store({ ...s3.settings, objectLock }, tools);
    const upload = store.upload('refused/lock', pieces(Buffer.from('x')), never);
    await expect(upload).rejects.toMatchObject({ code: 'InvalidRequest' });
  });
});

/** All requests of an upload of three parts. */
const REQUESTS = ['begin upload', 'part 1', 'part 2', 'part 3', 'complete upload'];

/** Uploads behind a fault. @returns the error, and what the store has afterwards */
async function uploadBehind(
  key: string,
  faultOf: (name: string, count: number) => Fault,
  change: Partial<S3Settings> = {},
): Promise<{ error: unknown; isWhole: boolean; keys: number; left: number }> {
  const faults = await startFaults(s3, faultOf);
  try {
    const store = createS3Store({ ...faults.settings, ...change }, tools);
    const error = await store.upload(key, pieces(CONTENT), never).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const direct = createS3Store(s3.settings, tools);
    const keys = (await direct.list(key, never)).length;
    const isWhole = keys === 1 && digest(await contentOf(direct, key)) === digest(CONTENT);
    return { error, isWhole, keys, left: await uploadsLeft(key) };
  } finally {
    await faults.close();
  }
}

describe('S3 with faults', () => {
  const once: readonly (readonly [string, Fault])[] = [
    ['500', { answer: 500, code: 'InternalError' }],
    ['503', { answer: 503, code: 'SlowDown' }],
    ['503 with a region', { answer: 503, code: 'SlowDown', region: 'other-1' }],
    ['429', { answer: 429 }],
    ['a cut request', 'cut request'],
    ['a cut response', 'cut response'],
  ];
  it.each(REQUESTS.flatMap((name) => once.map(([what, fault]) => [what, name, fault] as const)))(
    'recovers from %s at %s',
    async (what, name, fault) => {
      const key = `faults/once/${what}-${name}`.replaceAll(' ', '-');
      const result = await uploadBehind(key, (seen, count) =>
        seen === name && count === 1 ? fault : 'pass',
      );
      // A lost response of the first request leaves an upload without parts, which no client can know.
      const left = name === 'begin upload' && fault === 'cut response' ? result.left : 0;
      expect(result).toEqual({ error: undefined, isWhole: true, keys: 1, left });
    },
  );

  const lasting: readonly (readonly [string, Fault, string])[] = [
    ['403', { answer: 403, code: 'AccessDenied' }, 'AccessDenied'],
    ['403 for an expired token', { answer: 403, code: 'ExpiredToken' }, 'ExpiredToken'],
    [
      '403 for a wrong clock',
      { answer: 403, code: 'RequestTimeTooSkewed' },
      'RequestTimeTooSkewed',
    ],
    ['500', { answer: 500, code: 'InternalError' }, 'InternalError'],
    ['507 for a full disk', { answer: 507, code: 'QuotaExceeded' }, 'QuotaExceeded'],
    ['a redirect', { answer: 307, code: 'TemporaryRedirect' }, 'TemporaryRedirect'],
    ['a cut request', 'cut request', ''],
  ];
  it.each(
    REQUESTS.flatMap((name) => lasting.map(([what, ...rest]) => [what, name, ...rest] as const)),
  )('has no object after lasting %s at %s', async (what, name, fault, code) => {
    const key = `faults/lasting/${what}-${name}`.replaceAll(' ', '-');
    const result = await uploadBehind(key, (seen) => (seen === name ? fault : 'pass'));
    expect(result).toMatchObject({ isWhole: false, keys: 0 });
    expect(result.error).toMatchObject({ name: 'StoreError' });
    if (code !== '') expect(result.error).toMatchObject({ code });
  });

  it('reports a wrong region and wrong credentials by the code of the server', async () => {
    const region = await uploadBehind('wrong/region', () => 'pass', { region: 'us-other-9' });
    expect(region).toMatchObject({ keys: 0, error: { name: 'StoreError' } });
    const credentials = fixedCredentials({ accessKeyId: 'tester', secretAccessKey: 'wrong-one' });
    const denied = await uploadBehind('wrong/credentials', () => 'pass', { credentials });
    expect(denied).toMatchObject({ keys: 0, error: { code: 'SignatureDoesNotMatch' } });
    expect(String(denied.error)).not.toContain('wrong-one');
    const bucket = await uploadBehind('wrong/bucket', () => 'pass', { bucket: 'none' });
    expect(bucket).toMatchObject({ keys: 0, error: { code: 'NoSuchBucket' } });
  });

  it('notices a response that ends early', async () => {
    const direct = createS3Store(s3.settings, tools);
    await direct.upload('cut/body', pieces(CONTENT), never);
    const faults = await startFaults(s3, (name) => (name === 'GET' ? 'cut body' : 'pass'));
    const store = createS3Store(faults.settings, tools);
    await expect(contentOf(store, 'cut/body')).rejects.toMatchObject({ code: 'Incomplete' });
    await faults.close();
  });
});
