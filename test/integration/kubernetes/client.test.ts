import { mkdtemp, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import {
  explicitEndpoint,
  kubeConfigEndpoint,
} from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import {
  ApiError,
  isNamespaceTerminating,
  NetworkError,
} from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { clusterType, resources } from '../../../src/kubernetes/objects/resources.ts';
import { LeaderTerm, TermEndedError } from '../../../src/kubernetes/time/term.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, configMap } from '../../harness/servers/apiserver-client.ts';
import { startProxy } from './proxy.ts';

let api: ApiServer;
let client: KubernetesClient;

beforeAll(async () => {
  api = await startApiServer({ tokens: { 'first-token': 'first', 'second-token': 'second' } });
  client = adminClient(api);
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}

describe('Kubernetes client', () => {
  it('passes on the Date header of each response, also when the call fails', async () => {
    const heard: { date: string; sentAt: number }[] = [];
    const listener = adminClient(api, { hearDate: (date, sentAt) => heard.push({ date, sentAt }) });
    const before = systemClock.monotonic();
    await listener.raw('/version');
    await listener.find(resources.ConfigMap, { namespace: 'default', name: 'none' });
    await listener.close();
    expect(heard).toHaveLength(2);
    for (const { date, sentAt } of heard) {
      expect(Math.abs(Date.parse(date) - systemClock.wall())).toBeLessThan(60_000);
      expect(sentAt).toBeGreaterThanOrEqual(before);
    }
  });

  it('creates, reads, replaces, patches, applies, lists and deletes', async () => {
    const made = await client.create(configMap('crud', { a: '1' }));
    expect(made.metadata.uid).toBeDefined();
    const key = { namespace: 'default', name: 'crud' };
    const read = await client.get(resources.ConfigMap, key);
    expect(read).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } });
    const replaced = await client.replace({ ...read, data: { a: '2' } });
    expect(replaced.data).toEqual({ a: '2' });
    expect(await failure(client.replace({ ...read, data: { a: '3' } }))).toMatchObject({
      code: 409,
    });
    await client.patch(resources.ConfigMap, key, { data: { b: 'x' } });
    await client.patch(resources.ConfigMap, key, [{ op: 'add', path: '/data/c', value: 'y' }]);
    const applied = await client.apply(configMap('crud', { d: 'z' }), { fieldManager: 'm' });
    expect(applied.data).toEqual({ a: '2', b: 'x', c: 'y', d: 'z' });
    const listed = await client.list(resources.ConfigMap, {
      labelSelector: 'app.kubernetes.io/instance=demo',
    });
    expect(listed.items.map((item) => [item.kind, item.apiVersion])).toEqual([['ConfigMap', 'v1']]);
    const wrong = client.delete(resources.ConfigMap, key, { uid: 'another' });
    expect(await failure(wrong)).toMatchObject({ code: 409 });
    await client.delete(resources.ConfigMap, key, { uid: made.metadata.uid ?? '' });
    expect(await client.find(resources.ConfigMap, key)).toBeUndefined();
    expect(await failure(client.get(resources.ConfigMap, key))).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: expect.stringContaining('get ConfigMap default/crud'),
    });
  });

  it('writes nothing when the call is a dry run', async () => {
    await client.apply(configMap('dry'), { fieldManager: 'm', dryRun: true });
    const key = { namespace: 'default', name: 'dry' };
    expect(await client.find(resources.ConfigMap, key)).toBeUndefined();
  });

  it('returns a permanent error for an unknown field in each kind of write', async () => {
    const bad = { ...configMap('bad'), spce: {} };
    const writes = [() => client.apply(bad, { fieldManager: 'm' }), () => client.create(bad)];
    for (const write of writes) {
      const error = await failure(write());
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ permanent: true, message: expect.stringContaining('spce') });
    }
  });

  it('names the object in an error and never shows data of a Secret', async () => {
    const error = await failure(
      client.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'leak', namespace: 'default' },
        type: 'kubernetes.io/tls',
        data: { 'tls.crt': 'aHVudGVyMg==' },
      }),
    );
    expect(error).toMatchObject({
      code: 422,
      message: expect.stringContaining('Secret default/leak'),
    });
    expect(String(error)).not.toMatch(/hunter2|aHVudGVyMg/);
  });

  it('rejects a key without a name or namespace', async () => {
    const empty = client.delete(resources.ConfigMap, { namespace: 'default', name: '' });
    expect(String(await failure(empty))).toMatch(/a name must not be ""/);
    expect(String(await failure(client.get(resources.ConfigMap, { name: 'x' })))).toMatch(
      /namespace/,
    );
  });

  it('keeps capitals and colons in names', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] };
    await client.apply({ ...role, metadata: { name: 'system:My:Role' } }, { fieldManager: 'm' });
    const read = await client.get(resources.ClusterRole, { name: 'system:My:Role' });
    expect(read.metadata.name).toBe('system:My:Role');
  });

  it('reads long lists in pages, and restarts when a page has expired', async () => {
    for (let i = 0; i < 12; i += 1) await client.create(configMap(`page-${i}`));
    const options = { namespace: 'default', labelSelector: 'app.kubernetes.io/instance=demo' };
    const page = await client.listPage(resources.ConfigMap, { ...options, limit: 5 });
    expect(page.items).toHaveLength(5);
    await client.patch(
      resources.ConfigMap,
      { namespace: 'default', name: 'page-0' },
      { data: { changed: 'yes' } },
    );
    await api.compact();
    await api.restart();
    const stale = client.listPage(resources.ConfigMap, {
      ...options,
      limit: 5,
      continue: page.continue ?? '',
    });
    expect(await failure(stale)).toMatchObject({ code: 410 });
    const all = await client.list(resources.ConfigMap, { ...options, pageSize: 5 });
    expect(all.items).toHaveLength(12);
  });

  it('rejects a page that is longer than maxBytes', async () => {
    await client.create(configMap('long', { a: 'x'.repeat(2_000) }));
    const long = client.listPage(resources.ConfigMap, { namespace: 'default', maxBytes: 1_000 });
    expect(await failure(long)).toMatchObject({ code: 'TOO_LARGE' });
  });

  it('lists only metadata when metadataOnly is set', async () => {
    const { items } = await client.list(resources.ConfigMap, {
      namespace: 'default',
      metadataOnly: true,
    });
    expect(items[0]).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    expect(items[0]).not.toHaveProperty('data');
  });

  it('reads raw paths and applies the status subresource', async () => {
    expect(await client.raw('/readyz')).toMatchObject({ status: 200, body: 'ok' });
    expect(JSON.parse((await client.raw('/version')).body)).toHaveProperty('gitVersion');
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
    await client.create(node);
    await client.apply(
      { ...node, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      { fieldManager: 's', subresource: 'status' },
    );
    const live = await client.get(resources.Node, { name: 'n1' });
    expect(live.status).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
  });

  it('cancels a call when its signal is aborted, and fails when its timeout has passed', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    stop.abort(reason);
    const get = client.list(resources.ConfigMap, { signal: stop.signal });
    expect(await failure(get)).toBe(reason);
    const late = failure(client.list(resources.ConfigMap, { timeoutMs: 0 }));
    expect(await late).toMatchObject({ code: 'TIMEOUT' });
    expect(await late).toBeInstanceOf(NetworkError);
  });

  it('reports a refused connection and an untrusted certificate as NetworkError', async () => {
    const access = { caData: api.caData, certData: api.admin.cert, keyData: api.admin.key };
    const refused = createClient(explicitEndpoint({ ...access, server: 'https://127.0.0.1:1' }));
    expect(await failure(refused.list(resources.Node))).toMatchObject({ code: 'ECONNREFUSED' });
    const { certData, keyData } = access;
    const stranger = createClient(explicitEndpoint({ certData, keyData, server: api.url }));
    expect(await failure(stranger.list(resources.Node))).toMatchObject({ maybeSent: false });
    await Promise.all([refused.close(), stranger.close()]);
  });

  it('shares one connection between many calls', async () => {
    let opened = 0;
    const count = (): void => {
      opened += 1;
    };
    const own = adminClient(api);
    expect(channel('undici:client:connected').name).toBeDefined();
    subscribe('undici:client:connected', count);
    await own.list(resources.ConfigMap);
    await Promise.all(Array.from({ length: 60 }, () => own.list(resources.Node)));
    unsubscribe('undici:client:connected', count);
    expect(opened).toBe(1);
    await own.close();
  });

  it('reads credentials from a kubeconfig file, and from a token file after its content has changed', async () => {
    const file = new KubeConfig();
    file.loadFromString(api.kubeconfig);
    const fromFile = createClient(kubeConfigEndpoint(file));
    expect(await fromFile.find(resources.Node, { name: 'absent' })).toBeUndefined();
    const tokenFile = join(await mkdtemp(join(api.directory, 'token-')), 'token');
    await writeFile(tokenFile, 'no-such-token\n');
    const cluster = new KubeConfig();
    cluster.loadFromClusterAndUser(
      {
        name: 'c',
        server: api.url,
        caData: Buffer.from(api.caData).toString('base64'),
        skipTLSVerify: false,
      },
      { name: 'u', authProvider: { name: 'tokenFile', config: { tokenFile } } },
    );
    const fromToken = createClient(kubeConfigEndpoint(cluster));
    expect(await failure(fromToken.list(resources.Node))).toMatchObject({ code: 401 });
    const fresh = new KubeConfig();
    fresh.loadFromOptions(cluster);
    await writeFile(tokenFile, 'first-token\n');
    const second = createClient(kubeConfigEndpoint(fresh));
    expect((await second.list(resources.Node)).items).toBeDefined();
    await Promise.all([fromFile.close(), fromToken.close(), second.close()]);
  });

  it('uses new credentials without a new client when the old ones are rejected', async () => {
    let token = 'no-such-token';
    let asked = 0;
    const endpoint = {
      server: api.url,
      credentials: () => {
        asked += 1;
        const headers = { authorization: `Bearer ${token}` };
        return Promise.resolve({ ca: api.caData, headers });
      },
    };
    const own = createClient(endpoint);
    expect(await failure(own.list(resources.Node))).toMatchObject({ code: 401 });
    token = 'second-token';
    await own.list(resources.Node);
    expect(asked).toBe(3);
    await own.close();
  });

  it('uses a new client certificate without a new client when the credentials are read again', async () => {
    const review = clusterType(
      'authentication.k8s.io/v1',
      'SelfSubjectReview',
      'selfsubjectreviews',
    );
    let pair = await api.clientPair('before', 'system:masters');
    let later = 0;
    const own = createClient(
      {
        server: api.url,
        credentials: () => Promise.resolve({ ca: api.caData, ...pair, headers: {} }),
      },
      {
        resources: [review],
        clock: { ...systemClock, monotonic: () => systemClock.monotonic() + later },
      },
    );
    const user = async (): Promise<unknown> => {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: review.kind, metadata: {} };
      const answer = await own.create(body as KubernetesObject);
      return (answer.status as { userInfo: { username: string } }).userInfo.username;
    };
    expect(await user()).toBe('before');
    pair = await api.clientPair('after', 'system:masters');
    expect(await user()).toBe('before');
    later = 60_000;
    expect(await user()).toBe('after');
    await own.close();
  });

  it('connects through a custom dialer and still verifies the certificate by name', async () => {
    let dialled = 0;
    const route = (): Promise<ReturnType<typeof connect>> => {
      dialled += 1;
      return Promise.resolve(connect(api.port, '127.0.0.1'));
    };
    const access = { caData: api.caData, certData: api.admin.cert, keyData: api.admin.key, route };
    const own = createClient(
      explicitEndpoint({
        ...access,
        server: 'https://apiserver.invalid:5443',
        tlsServerName: 'kubernetes.default.svc',
      }),
    );
    await Promise.all([own.list(resources.Node), own.list(resources.ConfigMap)]);
    const wrong = createClient(
      explicitEndpoint({ ...access, server: 'https://apiserver.invalid' }),
    );
    expect(await failure(wrong.list(resources.Node))).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(dialled).toBeGreaterThan(0);
    await Promise.all([own.close(), wrong.close()]);
  });

  it('times out one call on a silent connection, and opens a new connection for the next call', async () => {
    const proxy = await startProxy(api.port);
    const own = adminClient(api, { server: proxy.url });
    await own.list(resources.Node);
    proxy.silence();
    const silent = failure(own.list(resources.Node, { timeoutMs: 300 }));
    expect(await silent).toMatchObject({ code: 'TIMEOUT' });
    await own.list(resources.Node);
    expect(proxy.accepted()).toBe(2);
    await own.close();
    await proxy.close();
  });

  it('connects through an HTTP proxy', async () => {
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(String(request.url));
      const target = connect(api.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      for (const each of [socket, target]) each.on('error', () => each.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const own = createClient(
      explicitEndpoint({
        server: api.url,
        caData: api.caData,
        certData: api.admin.cert,
        keyData: api.admin.key,
        proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      }),
    );
    expect((await own.list(resources.Node)).items).toBeDefined();
    expect(asked).toEqual([`127.0.0.1:${api.port}`]);
    await own.close();
    proxy.close();
  });

  it('recognizes the error of a Namespace that is terminating', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } };
    await client.create(namespace);
    await client.delete(resources.Namespace, { name: 'ending' });
    const late = configMap('late');
    const error = await failure(
      client.create({ ...late, metadata: { ...late.metadata, namespace: 'ending' } }),
    );
    expect(isNamespaceTerminating(error)).toBe(true);
  });

  it('sends no call after the term has ended, not even a queued one', async () => {
    const term = new LeaderTerm(systemClock);
    const rateLimit = { qps: 1, burst: 2 };
    const own = adminClient(api, { term, rateLimit });
    const object = configMap('term', { a: '1' });
    const key = { namespace: 'default', name: 'term' };
    const made = await own.create(object);
    const changed = { ...made, data: { a: '2' } };
    const elsewhere = new AbortController();
    await own.find(resources.ConfigMap, key);
    const waiting = own.replace(changed, { signal: elsewhere.signal });
    term.end(new TermEndedError('the lease is lost'));
    const calls = [
      waiting,
      own.find(resources.ConfigMap, key),
      own.list(resources.ConfigMap, { namespace: 'default', signal: elsewhere.signal }),
      own.raw('/version'),
      own.create(configMap('term-2')),
      own.replace(changed),
      own.apply(changed, { fieldManager: 'test', force: true }),
      own.patch(resources.ConfigMap, key, { data: { a: '3' } }),
      own.delete(resources.ConfigMap, key),
      own.delete(resources.ConfigMap, key, { signal: elsewhere.signal }),
    ];
    for (const call of calls)
      expect(await failure(call)).toEqual(new TermEndedError('the lease is lost'));
    expect(await client.find(resources.ConfigMap, key)).toEqual(made);
    expect(
      await client.find(resources.ConfigMap, { namespace: 'default', name: 'term-2' }),
    ).toBeUndefined();
    await client.delete(resources.ConfigMap, key);
    await own.close();
  });
});
