/** Exchange of a token at a stub of a token service. It stands for that of a cloud, which no test can reach. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sessionIn, tokenErrorIn } from './sts-xml.ts';
import { tokenServiceOf } from './token-service.ts';
import { webIdentity } from './web-identity.ts';

const TOKEN = 'header.payload/+=&.signature';
const start = Date.parse('2026-01-01T00:00:00Z');

let server: Server;
let seen: { url: string; body: URLSearchParams }[] = [];
let answer: { status: number; text: string };
let now = start;

const response = (key: string, expiration: string): string =>
  `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
const failure = (code: string): string =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${TOKEN.replace('&', '&amp;')}</Message></Error></ErrorResponse>`;

beforeAll(async () => {
  server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = new URLSearchParams(Buffer.concat(chunks).toString());
      seen.push({ url: request.url ?? '', body });
      reply.writeHead(answer.status).end(answer.text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  server.closeAllConnections();
  await once(server.close(), 'close');
});

beforeEach(() => {
  [seen, now] = [[], start];
  answer = { status: 200, text: response('first', '2026-01-01T01:00:00Z') };
});

const signal = new AbortController().signal;

function source(roleARN?: string): () => Promise<string> {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  const service = { url, audience: url };
  const role = roleARN === undefined ? {} : { roleARN };
  const identity = { service, ...role, token: async () => Promise.resolve(`${TOKEN}\n`) };
  const credentials = webIdentity(identity, { wall: () => now });
  return async () => (await credentials(signal)).accessKeyId;
}

describe('webIdentity', () => {
  it('sends the token in the body, with the role', async () => {
    expect(await source('arn:aws:iam::123456789012:role/backup')()).toBe('first');
    expect(seen[0]?.url).toBe('/');
    expect(Object.fromEntries(seen[0]?.body ?? [])).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      DurationSeconds: '3600',
      RoleSessionName: 'karmada-backup',
      RoleArn: 'arn:aws:iam::123456789012:role/backup',
      WebIdentityToken: TOKEN,
    });
  });

  it('exchanges the token once for parallel requests, and again ten minutes before the end', async () => {
    const next = source();
    expect(await Promise.all([next(), next(), next()])).toEqual(['first', 'first', 'first']);
    now = start + 49 * 60_000;
    expect([await next(), seen.length]).toEqual(['first', 1]);
    now = start + 50 * 60_000;
    answer = { status: 200, text: response('second', '2026-01-01T02:00:00Z') };
    expect([await next(), seen.length]).toEqual(['second', 2]);
    expect(seen[1]?.body.has('RoleArn')).toBe(false);
  });

  it('names the code of an error, never the token, and exchanges again afterwards', async () => {
    const next = source();
    answer = { status: 403, text: failure('AccessDenied') };
    const error = await next().catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(
      /POST 127\.0\.0\.1 AssumeRoleWithWebIdentity: the store responded 403 TokenService\.AccessDenied/,
    );
    expect(JSON.stringify(error) + String(error)).not.toContain('payload');
    answer = { status: 200, text: response('later', '2026-01-01T01:00:00Z') };
    expect(await next()).toBe('later');
  });

  it('says that a server without a token service has none', async () => {
    answer = { status: 405, text: 'not XML' };
    await expect(source()()).rejects.toThrow('TokenService.Unknown');
    answer = { status: 200, text: '<html/>' };
    await expect(source()()).rejects.toThrow('no credentials');
  });
});

describe('tokenServiceOf', () => {
  it.each([
    [
      'https://s3.eu-central-1.amazonaws.com',
      'https://sts.eu-1.amazonaws.com',
      'sts.amazonaws.com',
    ],
    [
      'https://s3.cn-north-1.amazonaws.com.cn',
      'https://sts.eu-1.amazonaws.com.cn',
      'sts.amazonaws.com.cn',
    ],
    [
      'https://minio.example.com:9000',
      'https://minio.example.com:9000',
      'https://minio.example.com:9000',
    ],
    [
      'https://amazonaws.com.example.com',
      'https://amazonaws.com.example.com',
      'https://amazonaws.com.example.com',
    ],
    ['https://evilamazonaws.com', 'https://evilamazonaws.com', 'https://evilamazonaws.com'],
  ])('of %s is %s', (endpoint, url, audience) => {
    expect(tokenServiceOf(endpoint, 'eu-1')).toEqual({ url, audience });
  });

  it('never gives a server outside AWS a token for another one', () => {
    fc.assert(
      fc.property(fc.domain(), fc.option(fc.integer({ min: 1, max: 65_535 })), (name, port) => {
        const endpoint = `https://${name}${port === null ? '' : `:${String(port)}`}`;
        const { url, audience } = tokenServiceOf(endpoint, 'r');
        const isAws = /(^|\.)amazonaws\.com(\.cn)?$/.test(name);
        expect(url === endpoint ? audience : isAws).toBe(url === endpoint ? endpoint : true);
      }),
    );
  });
});

describe('responses of a token service', () => {
  it('are never repeated in an error', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 3 }), (text) => {
        const code = tokenErrorIn(failure(text.replaceAll(/[<&]/g, '')));
        expect(code === undefined || /^TokenService\.[A-Za-z0-9.]+$/.test(code)).toBe(true);
        expect(() => sessionIn(text)).toThrow('no credentials');
      }),
    );
  });
});
