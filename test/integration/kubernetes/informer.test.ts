import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { Change } from '../../../src/kubernetes/informers/informer-options.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import type { InformerOptions } from '../../../src/kubernetes/informers/informer-options.ts';
import { hashSecretValues } from '../../../src/kubernetes/objects/cache-transform.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import {
  adminClient,
  configMap,
  eventually,
  memoryLog,
} from '../../harness/servers/apiserver-client.ts';
import { startProxy, type Proxy } from './proxy.ts';

let api: ApiServer;
let direct: KubernetesClient;
let proxy: Proxy;
let client: KubernetesClient;
let log: ReturnType<typeof memoryLog>;
const informers: Informer[] = [];

beforeAll(async () => {
  api = await startApiServer();
  direct = adminClient(api);
});

afterAll(async () => {
  await direct.close();
  await api.stop();
});

beforeEach(async () => {
  proxy = await startProxy(api.port);
  client = adminClient(api, { server: proxy.url });
  log = memoryLog();
});

afterEach(async () => {
  await Promise.all(informers.splice(0).map((informer) => informer.stop()));
  await client.close();
  await proxy.close();
});

function start(options: Partial<InformerOptions> = {}): { informer: Informer; changes: Change[] } {
  const changes: Change[] = [];
  const informer = new Informer({
    client,
    type: resources.ConfigMap,
    labelSelector: 'app.kubernetes.io/instance=demo',
    clock: systemClock,
    random: Math.random,
    log,
    ...options,
  });
  informers.push(informer);
  informer.onChange((change) => changes.push(change));
  informer.start();
  return { informer, changes };
}

function names(informer: Informer): string[] {
  return informer.cache
    .list()
    .map((object) => object.metadata.name)
    .sort();
}

let counter = 0;
/** Creates an object directly and waits until the informer's cache contains it. */
async function proveAlive(informer: Informer): Promise<void> {
  counter += 1;
  const name = `alive-${counter}`;
  await direct.create(configMap(name));
  const key = { namespace: 'default', name };
  await eventually(
    `${name} in the cache`,
    () => informer.cache.get(key),
    () => log.lines.slice(-8),
  );
}

describe('Informer', () => {
  it('lists objects, follows changes and maintains indexes', async () => {
    await direct.create(configMap('one', { owner: 'a' }));
    const { informer, changes } = start({
      indexes: { owner: (object) => [String((object.data as { owner?: string }).owner)] },
    });
    await informer.synced;
    expect(informer.hasSynced).toBe(true);
    expect(informer.cache.byIndex('owner', 'a')).toHaveLength(1);
    const late: Change[] = [];
    informer.onChange((change) => late.push(change));
    expect(late.map((change) => change.type)).toEqual(['added']);
    expect(informer.cache.list()[0]?.metadata).not.toHaveProperty('managedFields');
    await direct.patch(
      resources.ConfigMap,
      { namespace: 'default', name: 'one' },
      { data: { owner: 'b' } },
    );
    await eventually('moved', () => informer.cache.byIndex('owner', 'b').length === 1);
    expect(informer.cache.byIndex('owner', 'a')).toEqual([]);
    await direct.patch(
      resources.ConfigMap,
      { namespace: 'default', name: 'one' },
      { metadata: { labels: null } },
    );
    await eventually('removed from the cache', () => informer.cache.list().length === 0);
    expect(changes.map((change) => change.type)).toEqual(['added', 'modified', 'deleted']);
  });

  it('stores hashes of Secret values, or only metadata', async () => {
    const data = { key: Buffer.from('value').toString('base64') };
    await direct.create({ ...configMap('hidden'), kind: 'Secret', data });
    const { informer } = start({ type: resources.Secret, transform: hashSecretValues });
    await informer.synced;
    expect(JSON.stringify(informer.cache.list())).not.toContain(data.key);
    expect(informer.cache.list()[0]?.data).toEqual({ key: expect.stringMatching(/^sha256:/) });
    const bare = start({ type: resources.Secret, metadataOnly: true });
    await bare.informer.synced;
    expect(bare.informer.cache.list()[0]).toMatchObject({ kind: 'Secret', apiVersion: 'v1' });
    expect(bare.informer.cache.list()[0]).not.toHaveProperty('data');
  });

  it('calls the other handlers and keeps the watch when a handler throws', async () => {
    const { informer, changes } = start();
    informer.onChange(() => {
      throw new Error('broken handler');
    });
    const after: Change[] = [];
    informer.onChange((change) => after.push(change));
    await proveAlive(informer);
    expect(after.length).toBe(changes.length);
    expect(log.lines.join('\n')).toContain('broken handler');
  });

  it('continues when its connections are reset', async () => {
    const { informer } = start();
    await informer.synced;
    for (let i = 0; i < 3; i += 1) {
      proxy.cut();
      await proveAlive(informer);
    }
  });

  it('continues without missing a change when a connection is silently dead', async () => {
    const { informer } = start({ silenceMs: 1_500 });
    await informer.synced;
    await proveAlive(informer);
    const before = proxy.accepted();
    proxy.silence();
    await proveAlive(informer);
    expect(proxy.accepted()).toBeGreaterThan(before);
    expect(log.lines.join('\n')).toContain('no data on the watch for 1.5 s');
  });

  it('continues when the API server was killed and restarted, and reports deletions', async () => {
    await direct.create(configMap('doomed'));
    const { informer, changes } = start();
    await informer.synced;
    await api.kill();
    await eventually('noticed', () => log.lines.some((line) => line.includes('will retry')));
    expect(names(informer)).toContain('doomed');
    expect(informer.problem).toContain('no response from the API server');
    await api.restart();
    await direct.delete(resources.ConfigMap, { namespace: 'default', name: 'doomed' });
    await proveAlive(informer);
    await eventually('deleted', () => !names(informer).includes('doomed'));
    expect(informer.problem).toBeUndefined();
    expect(changes.filter((change) => change.object.metadata.name === 'doomed').at(-1)?.type).toBe(
      'deleted',
    );
  });

  it('lists again and reports deletions when its resourceVersion has been compacted', async () => {
    await direct.create(configMap('lost'));
    const { informer, changes } = start();
    await informer.synced;
    proxy.block();
    await direct.delete(resources.ConfigMap, { namespace: 'default', name: 'lost' });
    await direct.create(configMap('found'));
    await api.compact();
    await api.restart();
    expect(names(informer)).toContain('lost');
    changes.length = 0;
    proxy.resume();
    await eventually(
      'listed again',
      () => names(informer).includes('found'),
      () => log.lines.slice(-8),
    );
    expect(names(informer)).not.toContain('lost');
    expect(log.lines.join('\n')).toContain('relisting');
    expect(changes.map((change) => `${change.type} ${change.object.metadata.name}`)).toEqual([
      'deleted lost',
      'added found',
    ]);
    await proveAlive(informer);
  });

  it('delivers no change after stop, also when it is stopped during its start', async () => {
    const { informer, changes } = start();
    await informer.stop();
    await direct.create(configMap('after-stop'));
    const second = start();
    await second.informer.synced;
    await second.informer.stop();
    const count = second.changes.length;
    await direct.create(configMap('after-second-stop'));
    await proveAlive(start().informer);
    expect(changes).toEqual([]);
    expect(second.changes.length).toBe(count);
  });

  it('shares few connections between 100 informers', async () => {
    const started = Array.from({ length: 100 }, () => start().informer);
    await Promise.all(started.map((informer) => informer.synced));
    await Promise.all(started.slice(0, 5).map(proveAlive));
    expect(proxy.accepted()).toBeLessThanOrEqual(5);
  });
});

describe('Informer with an overloaded server', () => {
  let server: Server;
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('respects Retry-After, survives broken lines and ends of the watch, and reaches the current state', async () => {
    const answers: string[] = [];
    const listed = { metadata: { resourceVersion: '5' }, items: [configMap('x')] };
    const script: [number, string][] = [
      [429, '{"reason":"TooManyRequests","message":"storage is (re)initializing"}'],
      [503, 'not json'],
      [200, JSON.stringify(listed)],
      [429, '{"reason":"TooManyRequests"}'],
      [200, '{"type":"ADDED","object":{"metadata":{"name":"half'],
      [200, '{"type":"ERROR","object":{"code":410,"reason":"Expired","message":"too old"}}\n'],
      [200, JSON.stringify({ ...listed, items: [configMap('x'), configMap('y')] })],
      [500, 'oops'],
    ];
    server = createServer((request, response) => {
      const [status, body] = script.shift() ?? [200, undefined];
      answers.push(`${request.url?.includes('watch=true') === true ? 'watch' : 'list'} ${status}`);
      response.writeHead(status, status === 429 || status === 503 ? { 'retry-after': '0' } : {});
      if (body === undefined) response.flushHeaders();
      else response.end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const own = createClient(explicitEndpoint({ server: `http://127.0.0.1:${port}` }));
    const { informer } = start({ client: own });
    await eventually(
      'all responses are sent',
      () => script.length === 0 && answers.length >= 9,
      () => [answers, log.lines],
    );
    expect(names(informer)).toEqual(['x', 'y']);
    expect(answers).toEqual([
      'list 429',
      'list 503',
      'list 200',
      'watch 429',
      'watch 200',
      'watch 200',
      'list 200',
      'watch 500',
      'watch 200',
    ]);
    await informer.stop();
    await own.close();
  });
});
