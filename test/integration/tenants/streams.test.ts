/** Security tests: API servers of other parties with endless responses, or with unrelated content. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryLog } from '../../../src/kubernetes/time/clock.fixture.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { CacheTotal } from '../../../src/kubernetes/informers/cache-total.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import type { Limits } from '../../../src/kubernetes/client/limits.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { eventually } from '../../harness/servers/apiserver-client.ts';

const LIMITS: Limits = { answer: 200_000, list: 400_000, line: 100_000, watch: 400_000 };

let server: Server;
let client: KubernetesClient;

afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

/** @param answer writes the response; `url` contains path and query */
async function serve(answer: (response: ServerResponse, url: string) => void): Promise<void> {
  server = createServer((request, response) => answer(response, request.url ?? ''));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = explicitEndpoint({ server: `http://127.0.0.1:${String(port)}` });
  client = createClient(endpoint, { limits: LIMITS });
}

/** Sends the same text until the client closes the connection. */
function endless(response: ServerResponse, text: string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(text));
  };
  response.on('drain', more);
  more();
}

const object = (name: string): object => ({
  metadata: { name, namespace: 'a', uid: name, resourceVersion: '1' },
  data: { key: 'x'.repeat(10_000) },
});

let names = 0;
const next = (): string => `name-${String((names += 1))}`;

const connections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)));

describe('client of an API server with endless responses', () => {
  it.each<[string, (response: ServerResponse, url: string) => void, RegExp]>([
    [
      'a response body',
      (response) => endless(response, 'x'.repeat(10_000)),
      /the response is larger than/,
    ],
    [
      'the number of values of a response',
      (response) =>
        response.end(`{"metadata":{"resourceVersion":"1"},"items":[${'{},'.repeat(30_000)}{}]}`),
      /the response has more than 25000 JSON values/,
    ],
    [
      'the nesting of a response',
      (response) => response.end('['.repeat(1_001)),
      /the response is nested more than 1000 levels deep/,
    ],
    [
      'the pages of a list',
      (response) =>
        response.end(
          JSON.stringify({
            metadata: { resourceVersion: '1', continue: 'more' },
            items: [object(next())],
          }),
        ),
      /the list is larger than/,
    ],
  ])('closes the connection when %s exceeds the limit', async (_, answer, message) => {
    await serve(answer);
    await expect(client.list(resources.ConfigMap)).rejects.toThrow(message);
  });

  it.each<[string, () => string, RegExp]>([
    ['a line', () => 'x'.repeat(10_000), /the watch event is larger than/],
    ['the number of values of a line', () => '{},'.repeat(3_000), /more than 12500 JSON values/],
    [
      'the sum of all events',
      () => `${JSON.stringify({ type: 'ADDED', object: object('same') })}\n`,
      /the watch is larger than/,
    ],
  ])('closes the connection of a watch when %s exceeds the limit', async (_, text, message) => {
    await serve((response) => endless(response, text()));
    const read = async (): Promise<void> => {
      for await (const event of client.watch(resources.ConfigMap, { resourceVersion: '1' }))
        expect(event.type).toBe('ADDED');
    };
    await expect(read()).rejects.toThrow(message);
    await eventually('the connection is closed', async () => (await connections()) === 0);
  });

  it.each([
    ['an item is null', '{"metadata":{"resourceVersion":"1"},"items":[null]}'],
    ['an item has no metadata', '{"metadata":{"resourceVersion":"1"},"items":[{}]}'],
    ['an item has no name', '{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{}}]}'],
    [
      'a label is no text',
      '{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a","labels":{"b":1}}}]}',
    ],
    ['its resourceVersion is no text', '{"metadata":{"resourceVersion":1},"items":[]}'],
    ['it is null', 'null'],
  ])('rejects a list when %s', async (_, body) => {
    await serve((response) => response.end(body));
    await expect(client.list(resources.ConfigMap)).rejects.toThrow(
      'list configmaps: the response of the API server is not a list of Kubernetes objects',
    );
  });

  it.each(['null', '{"type":"ADDED"}', '{"type":"OTHER","object":{"metadata":{"name":"a"}}}'])(
    'rejects the event %s of a watch',
    async (line) => {
      await serve((response) => void response.write(`${line}\n`));
      const read = async (): Promise<void> => {
        for await (const event of client.watch(resources.ConfigMap, { resourceVersion: '1' }))
          expect(event).toBeUndefined();
      };
      await expect(read()).rejects.toThrow('is not an event of a watch');
    },
  );

  it('reports no reason when an error response exceeds the limit', async () => {
    await serve((response) => {
      response.writeHead(500);
      endless(response, 'password=hunter2 ');
    });
    await expect(client.list(resources.ConfigMap)).rejects.toThrow(/500 .*no reason given/);
  });
});

describe('Informer with objects of other parties', () => {
  it('stores objects up to its size limit, and reports the overflow', async () => {
    await serve((response, url) => {
      if (!url.includes('watch=true')) {
        response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: [] }));
        return;
      }
      for (let count = 0; count < 20; count += 1)
        response.write(`${JSON.stringify({ type: 'ADDED', object: object(next()) })}\n`);
    });
    const type = resources.ConfigMap;
    const common = { clock: systemClock, random: Math.random, log: memoryLog() };
    const total = new CacheTotal(100_000);
    const informer = new Informer({ ...common, client, type, total });
    informer.start();
    await eventually('the overflow is reported', () => informer.overflow !== undefined);
    expect(informer.overflow).toContain('keep configmaps: the total size of the cache is larger');
    expect(informer.cache.list().length).toBe(9);
    await informer.stop();
  });
});

describe('client of a server that is no API server', () => {
  it.each([
    ['text', 'root:x:0:0 hunter2'],
    ['other JSON', JSON.stringify({ message: 'hunter2', reason: 'hunter2' })],
    [
      'a Status with unexpected fields',
      JSON.stringify({ kind: 'Status', message: 7, reason: 'a b' }),
    ],
  ])('does not repeat the response in errors when it contains %s', async (_, body) => {
    await serve((response) => response.writeHead(403).end(body));
    const error = await client.list(resources.ConfigMap).catch(String);
    expect(error).not.toMatch(/hunter2|a b/);
    expect(error).toContain('403');
  });
});
