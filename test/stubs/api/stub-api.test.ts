import { beforeEach, describe, expect, it } from '@jest/globals';
import { isStatus } from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { StubApi } from './stub-api.ts';
import { StubClient } from './stub-client.ts';

const KEY = { namespace: 'default', name: 'one' };

const configMap = (data: object, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  data,
  metadata: { ...KEY, ...more },
});

let api: StubApi;
let client: StubClient;

beforeEach(() => {
  let last = 0;
  const serviceAddress = (): string => `127.1.0.${String((last += 1))}`;
  api = new StubApi({ allocations: { serviceAddress, nodePort: () => 30_000 } });
  client = new StubClient(api);
});

const apply = (object: KubernetesObject, fieldManager: string, force = false) =>
  client.apply(object, { fieldManager, force });

const dataOf = ({ data }: KubernetesObject): unknown => data;

const codeOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: { code?: number }) => error.code ?? 0,
  );

describe('server-side apply', () => {
  it('removes a field that the manager no longer applies, and keeps those of others', async () => {
    await apply(configMap({ a: '1', b: '1' }), 'one');
    await apply(configMap({ c: '1' }), 'two');
    expect(dataOf(await apply(configMap({ a: '2' }), 'one'))).toEqual({ a: '2', c: '1' });
  });

  it('rejects a field of another manager with 409, unless it is forced', async () => {
    await apply(configMap({ a: '1' }), 'one');
    const error = await apply(configMap({ a: '2' }), 'two').catch((reason: unknown) => reason);
    expect(isStatus(error, 409)).toBe(true);
    expect(error).toMatchObject({ details: { causes: [{ reason: 'FieldManagerConflict' }] } });
    expect(dataOf(await apply(configMap({ a: '2' }), 'two', true))).toEqual({ a: '2' });
    // The first manager owns nothing any more.
    expect(dataOf(await apply(configMap({}), 'one'))).toEqual({ a: '2' });
  });

  it('creates an object with a version that none has, and rejects it with 409 when it exists', async () => {
    const data = { a: '1', c: '1' };
    const created = await apply(configMap(data, { resourceVersion: '1' }), 'one');
    expect(created.metadata.resourceVersion).not.toBe('1');
    const again = apply(configMap({ b: '1' }, { resourceVersion: '1' }), 'two');
    expect(await codeOf(again)).toBe(409);
    expect(dataOf(await client.get(resources.ConfigMap, KEY))).toEqual(data);
    expect(dataOf(await apply(configMap({ a: '1' }), 'one'))).toEqual({ a: '1' });
  });

  it('stores nothing when nothing changes', async () => {
    const first = await apply(configMap({ a: '1' }), 'one');
    const { version } = api.store;
    const second = await apply(configMap({ a: '1' }), 'one');
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(api.store.version).toBe(version);
  });

  it('does not remove fields of an update, which migrated managed fields allow', async () => {
    const made = await client.create(configMap({ a: '1', b: '1' }), { fieldManager: 'one' });
    expect(dataOf(await apply(configMap({ a: '1' }), 'one'))).toEqual({ a: '1', b: '1' });
    const entries = made.metadata.managedFields as { operation: string }[];
    const fields = entries.map((entry) => ({ ...entry, operation: 'Apply' }));
    const patch = [{ op: 'replace', path: '/metadata/managedFields', value: fields }];
    await client.patch(resources.ConfigMap, KEY, patch);
    expect(dataOf(await apply(configMap({ a: '1' }), 'one'))).toEqual({ a: '1' });
  });

  it('merges lists by their keys', async () => {
    const deployment = (names: readonly string[], image: string): KubernetesObject => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: KEY,
      spec: { template: { spec: { containers: names.map((name) => ({ name, image })) } } },
    });
    await apply(deployment(['a', 'b'], 'x'), 'one');
    await apply(deployment(['c'], 'y'), 'two');
    const { spec } = await apply(deployment(['a'], 'z'), 'one');
    expect(spec).toMatchObject({
      template: {
        spec: {
          containers: [
            { name: 'a', image: 'z' },
            { name: 'c', image: 'y' },
          ],
        },
      },
    });
  });
});

describe('writes', () => {
  it('check the uid and the version', async () => {
    const made = await client.create(configMap({ a: '1' }));
    const uid = 'another';
    expect(await codeOf(apply(configMap({ a: '2' }, { uid }), 'one'))).toBe(409);
    expect(await codeOf(client.delete(resources.ConfigMap, KEY, { uid }))).toBe(409);
    await client.patch(resources.ConfigMap, KEY, { data: { a: '2' } });
    expect(await codeOf(client.replace(made))).toBe(409);
    expect(await codeOf(client.create(configMap({})))).toBe(409);
  });

  it('of a dry run store nothing', async () => {
    await client.create(configMap({ a: '1' }), { dryRun: true });
    expect(await client.find(resources.ConfigMap, KEY)).toBeUndefined();
  });

  it('need a Namespace that does not terminate', async () => {
    const elsewhere = { ...configMap({}), metadata: { name: 'one', namespace: 'none' } };
    expect(await codeOf(client.create(elsewhere))).toBe(404);
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'none' } });
    await client.delete(resources.Namespace, { name: 'none' });
    expect(await codeOf(client.create(elsewhere))).toBe(403);
  });

  it.each([
    [422, 'v1', 'ConfigMap', 'Upper'],
    [422, 'v1', 'ConfigMap', 'a_b'],
    [422, 'v1', 'ConfigMap', 'x'.repeat(254)],
    [200, 'v1', 'ConfigMap', 'a.b-c'],
    [422, 'v1', 'Service', 'a.b'],
    [422, 'v1', 'Service', '1a'],
    [422, 'v1', 'Service', 'x'.repeat(64)],
    [200, 'v1', 'Service', 'x'.repeat(63)],
    [200, 'rbac.authorization.k8s.io/v1', 'Role', 'system:Reader'],
    [422, 'rbac.authorization.k8s.io/v1', 'Role', 'a%b'],
  ])('return %i for a new %s %s with the name %s', async (code, apiVersion, kind, name) => {
    const object = { apiVersion, kind, metadata: { name, namespace: 'default' }, spec: {} };
    expect(await codeOf(client.create(object))).toBe(code);
    const intent = client.apply(object, { fieldManager: 'one', force: true });
    expect(await codeOf(intent)).toBe(code);
  });

  it('keep an object until its last finalizer is removed', async () => {
    await client.create(configMap({}, { finalizers: ['a/b'] }));
    await client.delete(resources.ConfigMap, KEY);
    const found = await client.get(resources.ConfigMap, KEY);
    expect(found.metadata.deletionTimestamp).toBeDefined();
    await client.patch(resources.ConfigMap, KEY, { metadata: { finalizers: null } });
    expect(await client.find(resources.ConfigMap, KEY)).toBeUndefined();
  });

  it('change the status only through its subresource, and the generation only with the spec', async () => {
    const set: KubernetesObject = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: KEY,
      spec: { replicas: 1, serviceName: 'a' },
    };
    await client.create(set);
    const type = resources.StatefulSet;
    const status = { replicas: 1 };
    expect((await client.patch(type, KEY, { status })).status).toEqual({});
    const options = { subresource: 'status' } as const;
    const observed = await client.patch(type, KEY, { status, spec: { replicas: 5 } }, options);
    expect(observed).toMatchObject({ status, spec: { replicas: 1 }, metadata: { generation: 1 } });
    const grown = await client.patch(type, KEY, { spec: { replicas: 3 } });
    expect(grown.metadata.generation).toBe(2);
    expect(await codeOf(client.patch(type, KEY, { spec: { serviceName: 'b' } }))).toBe(422);
  });
});

describe('watches', () => {
  const request = (resourceVersion: string, more = '') => ({
    method: 'GET',
    headers: {},
    body: '',
    url: `/api/v1/configmaps?watch=true&resourceVersion=${resourceVersion}${more}`,
  });

  it('send the events after a version, and moves into and out of a selection', async () => {
    const { resourceVersion } = await client.list(resources.ConfigMap);
    const seen: string[] = [];
    const end = api.watch(request(resourceVersion, '&labelSelector=a%3Db'), ({ type }) =>
      seen.push(type),
    );
    await client.create(configMap({}));
    await client.patch(resources.ConfigMap, KEY, { metadata: { labels: { a: 'b' } } });
    await client.patch(resources.ConfigMap, KEY, { data: { a: '1' } });
    await client.patch(resources.ConfigMap, KEY, { metadata: { labels: { a: 'c' } } });
    await client.delete(resources.ConfigMap, KEY);
    end();
    expect(seen).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('fail with 410 after a compaction', async () => {
    const { resourceVersion } = await client.list(resources.ConfigMap);
    await client.create(configMap({}));
    api.store.compact();
    expect(() => api.watch(request(resourceVersion), () => undefined)).toThrow('too old');
  });
});
