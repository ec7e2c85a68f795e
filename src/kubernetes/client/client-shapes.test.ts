/** A client rejects objects of another shape in each kind of response, and counts what a reconcile keeps. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from './client.ts';
import type { KubernetesClient } from './client-interface.ts';
import { explicitEndpoint } from '../connection/connection.ts';
import { HOST_LIMITS } from './limits.ts';
import { unbounded } from './long-responses.ts';
import { reducedTo } from '../informers/reduced-list.ts';
import { resources } from '../objects/resources.ts';

const KEY = { name: 'x', namespace: 'team' };
const metadata = { ...KEY, resourceVersion: '1' };
/** A value that `Buffer.from` takes for a list of so many bytes. */
const HOSTILE = { metadata, data: { token: { length: 1e9 } } };
const VALID = { metadata, data: { token: 'YQ==' } };

let server: Server;
let client: KubernetesClient;
let answer: object;
let kept: number;

beforeEach(async () => {
  kept = 0;
  server = createServer((_, response) => response.end(`${JSON.stringify(answer)}\n`));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  client = createClient(explicitEndpoint({ server: `http://127.0.0.1:${port}` }), {
    limits: HOST_LIMITS,
    responses: { of: () => unbounded, keep: (characters) => (kept += characters) },
  });
});

afterEach(async () => {
  await client.close();
  server.close();
});

const listOf = (item: object): object => ({ metadata: { resourceVersion: '1' }, items: [item] });

async function firstEvent(): Promise<unknown> {
  for await (const event of client.watch(resources.Secret, { resourceVersion: '1' })) return event;
  return undefined;
}

describe('createClient', () => {
  it.each<[string, object, () => Promise<unknown>]>([
    ['get', HOSTILE, () => client.get(resources.Secret, KEY)],
    ['find', HOSTILE, () => client.find(resources.Secret, KEY)],
    ['list', listOf(HOSTILE), () => client.list(resources.Secret)],
    ['watch', { type: 'ADDED', object: HOSTILE }, firstEvent],
    ['patch', HOSTILE, () => client.patch(resources.Secret, KEY, {})],
  ])('rejects an object of another shape in the response of %s', async (_, given, call) => {
    answer = given;
    await expect(call()).rejects.toThrow('field data[token] of Secret team/x');
  });

  it('gives an object the kind of the request, whatever the response says', async () => {
    answer = { ...VALID, apiVersion: 'apps/v1', kind: 'StatefulSet' };
    const found = await client.get(resources.Secret, KEY);
    expect(found).toMatchObject({ apiVersion: 'v1', kind: 'Secret' });
  });

  it('counts objects, lists, and what a reduced list keeps', async () => {
    answer = VALID;
    await client.get(resources.Secret, KEY);
    const one = kept;
    expect(one).toBeGreaterThan(50);
    answer = listOf({ metadata, data: { token: 'YQ=='.repeat(100) } });
    await client.list(resources.Secret);
    const both = kept;
    expect(both - one).toBeGreaterThan(400);
    const named = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => ({
      ...{ apiVersion, kind },
      metadata: KEY,
    });
    await client.list(resources.Secret, reducedTo(named));
    expect(kept - both).toBeGreaterThan(0);
    expect(kept - both).toBeLessThan(200);
  });
});
