/** Backups into stores that are slow, stand still, are full, or are in another region. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createS3Store } from '../../../src/backup/stores/s3-store.ts';
import { storeErrorText } from '../../../src/backup/stores/store-remedies.ts';
import { systemClock, type Clock } from '../../../src/kubernetes/time/clock.ts';
import {
  startFaults,
  startS3Server,
  type Fault,
  type S3Server,
} from '../../harness/servers/s3-server.ts';

const MIB = 2 ** 20;
const PIECE = randomBytes(MIB);
const clock: Clock = { ...systemClock, after: (ms, act) => systemClock.after(ms / 100, act) };
const tools = { clock, random: Math.random, timeoutMs: 2_000 };
const never = new AbortController().signal;

let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3Server();
}, 600_000);

afterAll(() => s3.close());

interface Result {
  readonly error: unknown;
  /** Objects in the store afterwards. */
  readonly objects: readonly number[];
  /** Most bytes that the source was ahead of the store. */
  readonly aheadBytes: number;
}

/** Uploads two parts behind a fault. */
async function uploadBehind(key: string, faultOf: (name: string) => Fault): Promise<Result> {
  const faults = await startFaults(s3, faultOf);
  let [taken, aheadBytes] = [0, 0];
  async function* content(): AsyncGenerator<Buffer> {
    for (let n = 0; n < 24; n += 1) {
      yield await Promise.resolve(PIECE);
      taken += PIECE.length;
      aheadBytes = Math.max(aheadBytes, taken - faults.forwarded());
    }
  }
  try {
    const store = createS3Store(faults.settings, tools);
    const error = await store.upload(key, content(), never).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const objects = await createS3Store(s3.settings, tools).list(key, never);
    return { error, aheadBytes, objects: objects.map(({ sizeBytes }) => sizeBytes) };
  } finally {
    await faults.close();
  }
}

describe('an S3 server that is slower than etcd', () => {
  it('gets the whole object although each part takes longer than the timeout, and slows the source down', async () => {
    const slow = { bytesPerSecond: 2 * MIB };
    const result = await uploadBehind('slow/whole', (name) =>
      name.startsWith('part') ? slow : 'pass',
    );
    expect(result).toMatchObject({ error: undefined, objects: [24 * MIB] });
    // Two parts, the chunk in progress, and what the kernel buffers.
    expect(result.aheadBytes).toBeLessThan(22 * MIB);
  });

  it.each(['part 1', 'part 2', 'complete upload'])(
    'is reported when it stands still at %s, and no object remains',
    async (at) => {
      const result = await uploadBehind(`stalled/${at.replace(' ', '-')}`, (name) =>
        name === at ? 'stall request' : 'pass',
      );
      expect(result.objects).toEqual([]);
      expect(storeErrorText(result.error)).toMatch(
        /^(PUT|POST) stalled\/[\w-]+: no response of the store \(UND_ERR_HEADERS_TIMEOUT\); spec\.s3\.endpoint: /,
      );
    },
    60_000,
  );
});

describe('an S3 server whose bucket is in another region', () => {
  it.each([
    ['every request', () => true, 400, 'AuthorizationHeaderMalformed'],
    ['every request', () => true, 301, 'PermanentRedirect'],
    ['begin upload', (name: string) => name === 'begin upload', 301, 'PermanentRedirect'],
  ])('is reported with that region: %s, %#', async (_, isHit, answer, code) => {
    const fault = { answer, code, region: 'eu-other-2' };
    const result = await uploadBehind(`region/${code}`, (name) => (isHit(name) ? fault : 'pass'));
    expect(result.objects).toEqual([]);
    const text = storeErrorText(result.error);
    expect(text).toContain('the region of the bucket is eu-other-2; spec.s3.region');
  });
});

describe('a full S3 server', () => {
  it.each([
    [507, 'InsufficientStorage'],
    [403, 'QuotaExceeded'],
  ])('is reported, and no object remains: %i %s', async (answer, code) => {
    const result = await uploadBehind(`full/${code}`, (name) =>
      name === 'part 2' ? { answer, code } : 'pass',
    );
    expect(result.objects).toEqual([]);
    expect(storeErrorText(result.error)).toContain(`${code}; spec.s3.bucket: the store is full`);
  });
});
