/** Requests of the S3 store to a stub server. test/integration/backup tests it with a real one. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../kubernetes/time/clock.ts';
import { fixedCredentials } from './credentials.ts';
import { createS3Store } from './s3-store.ts';
import type { S3Settings } from './s3-client.ts';

interface Seen {
  readonly what: string;
  readonly headers: IncomingHttpHeaders;
}

const LENGTH = 9 * 2 ** 20;
let server: Server;
let seen: Seen[] = [];
/** Length of the object, once it was created. */
let stored: number | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const query = new URL(url, 'http://s3').searchParams;
    seen.push({ what: `${method} ${[...query.keys()].join(' ')}`, headers });
    request.resume().once('end', () => {
      if (method === 'HEAD') {
        response.writeHead(stored === undefined ? 404 : 200, { 'content-length': stored ?? 0 });
        return void response.end();
      }
      const isCompletion = method === 'POST' && query.has('uploadId');
      if (isCompletion) stored = LENGTH;
      response.writeHead(200, { etag: '"e"' });
      response.end(query.has('uploads') ? '<R><UploadId>u</UploadId></R>' : '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

beforeEach(() => {
  [seen, stored] = [[], undefined];
});

async function upload(change: Partial<S3Settings>, length: number): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const settings: S3Settings = {
    endpoint: `http://127.0.0.1:${String(port)}`,
    region: 'eu-1',
    bucket: 'b',
    pathStyle: true,
    credentials: fixedCredentials({ accessKeyId: 'a', secretAccessKey: 's' }),
    ...change,
  };
  const clock = { ...systemClock, wall: () => Date.parse('2026-01-01T00:00:00.500Z') };
  const store = createS3Store(settings, { clock, random: Math.random });
  async function* content(): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.alloc(length));
  }
  await store.upload('x', content(), new AbortController().signal);
}

describe('createS3Store', () => {
  const change: Partial<S3Settings> = {
    sse: { type: 'aws:kms', kmsKeyID: 'k-1' },
    objectLock: { mode: 'COMPLIANCE', seconds: 86_400 },
  };
  const created = {
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'k-1',
    'x-amz-object-lock-mode': 'COMPLIANCE',
    'x-amz-object-lock-retain-until-date': '2026-01-02T00:00:01Z',
  };

  it.each([
    ['PutObject', 10, 'PUT '],
    ['CreateMultipartUpload', LENGTH, 'POST uploads'],
  ])(
    'signs headers for encryption and object lock in %s, and only there',
    async (_, length, what) => {
      await upload(change, length);
      const found = seen.filter(({ headers }) => 'x-amz-object-lock-mode' in headers);
      expect(found.map((one) => one.what)).toEqual([what]);
      expect(found[0]?.headers).toMatchObject(created);
      const { authorization = '' } = found[0]?.headers ?? {};
      for (const name of Object.keys(created)) expect(authorization).toContain(name);
    },
  );

  it('sends an MD5 sum with each body, which a bucket with object lock requires', async () => {
    await upload(change, LENGTH);
    const parts = seen.filter(({ what }) => what.startsWith('PUT'));
    expect(parts).toHaveLength(2);
    for (const { headers } of parts) expect(headers['content-md5']).toMatch(/^[\w+/]{22}==$/);
  });

  it('sends no such header by default', async () => {
    await upload({}, 10);
    const names = seen.flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => /lock|encryption/.test(name))).toEqual([]);
  });
});
