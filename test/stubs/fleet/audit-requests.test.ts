import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { AuditRequests, requestOf } from './audit-requests.ts';

const line = (verb: string, requestURI: string): string =>
  `${JSON.stringify({ verb, requestURI, userAgent: 'karmada-operator/1' })}\n`;
const headers = { 'user-agent': 'karmada-operator/1' };

it.each([
  ['get', 'GET'],
  ['list', 'GET'],
  ['watch', 'GET'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['other', 'OTHER'],
])('translates the verb %s of an audit log to the method %s', (verb, method) => {
  expect(requestOf(line(verb, '/version'))).toEqual({ method, url: '/version', headers });
});

it('returns each request once, when its line is complete', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  const path = join(folder, 'audit.log');
  const second = line('list', '/api/v1/pöds');
  await writeFile(path, line('get', '/version') + second.slice(0, 40));
  const requests = new AuditRequests(path);
  try {
    expect(await requests.take()).toMatchObject([{ url: '/version' }]);
    expect(await requests.take()).toEqual([]);
    await appendFile(path, second.slice(40));
    expect(await requests.take()).toMatchObject([{ url: '/api/v1/pöds' }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
