/**
 * Stores of backups: a folder, and an S3 server with and without faults. Objects are complete or absent.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeStore } from '../../../src/backup/job/probe.ts';
import { fixedCredentials } from '../../../src/backup/stores/credentials.ts';
import { createFileStore } from '../../../src/backup/stores/file-store.ts';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { createS3Client, type S3Settings } from '../../../src/backup/stores/s3-client.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';
import {
  startFaults,
  startS3Server,
  type Fault,
  type S3Server,
} from '../../harness/servers/s3-server.ts';
import {
  CONTENT,
  contentOf,
  describeStore,
  digest,
  never,
  pieces,
  tools,
  unfinishedUploads,
} from './store-cases.ts';

let s3: S3Server;
let folder: string;

/** Number of unfinished uploads of an object. */
const uploadsLeft = (key: string): Promise<number> => unfinishedUploads(s3.settings, key);

/** Number of unfinished files. */
const partsIn = async (): Promise<number> =>
  (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.part')).length;

beforeAll(async () => {
  s3 = await startS3Server();
  folder = await mkdtemp(join(tmpdir(), 'backup-store-'));
}, 600_000);

afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true, force: true });
});

describeStore('folder', { create: () => createFileStore(folder), unfinished: partsIn });
describeStore('S3', { create: () => createS3Store(s3.settings, tools), unfinished: uploadsLeft });

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
