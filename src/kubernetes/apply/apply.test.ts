import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../client/any-client.fixture.ts';
import { Applier } from './apply.ts';
import type { KubernetesClient } from '../client/client-interface.ts';
import { settle } from '../time/clock.fixture.ts';
import { collector } from '../informers/collector.fixture.ts';
import { ApiError } from '../client/errors.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { reduceToMetadata } from '../objects/cache-transform.ts';
import { intentHash, withHash } from '../objects/intent.ts';
import { typeOf } from '../objects/resources.ts';

const LABELS = { owner: 'me' };

const configMap = (data: object, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'one', namespace: 'team', labels },
  data,
});

const owns = ({ metadata }: KubernetesObject): boolean => metadata.labels?.['owner'] === 'me';

const conflict = (message: string): ApiError =>
  new ApiError({ request: 'PATCH one', code: 409, reason: 'Conflict', message });

/** An API server with at most one object, and the requests that it received. */
function serverWith(live?: KubernetesObject) {
  const requests: string[] = [];
  let stored = live;
  const client = anyClient({
    typeOf,
    find: () => {
      requests.push('find');
      return Promise.resolve(stored);
    },
    apply: ({ metadata, ...object }) => {
      const { resourceVersion, ...rest } = metadata;
      requests.push(resourceVersion === undefined ? 'apply' : 'create');
      if (stored !== undefined && resourceVersion !== undefined)
        return Promise.reject(conflict('modified'));
      stored = { ...object, metadata: { ...rest, uid: 'u', resourceVersion: '7' } };
      return Promise.resolve(stored);
    },
  });
  return { requests, client: asClient(client), stored: () => stored };
}

/** The applier calls no other methods. */
const asClient = (client: Partial<KubernetesClient>): KubernetesClient =>
  client as KubernetesClient;

describe('Applier.apply of an object that the cache lacks', () => {
  const desired = configMap({ a: '1' }, LABELS);
  const live = (given: KubernetesObject): KubernetesObject => ({
    ...given,
    metadata: {
      ...given.metadata,
      uid: 'u',
      resourceVersion: '5',
      annotations: { 'operator.karmada.io/applied-hash': 'older' },
    },
  });

  it.each<[string, KubernetesObject | undefined, boolean, readonly [string, ...string[]]]>([
    [
      'creates it without a read when the cache is complete',
      undefined,
      true,
      ['created', 'create'],
    ],
    ['reads it before when the cache may lack it', undefined, false, ['created', 'find', 'create']],
    [
      'changes it when the cache was stale',
      live(configMap({ a: '0' }, LABELS)),
      true,
      ['configured', 'create', 'find', 'apply'],
    ],
    [
      'reports a conflict when it is foreign',
      live(configMap({ a: '1' })),
      true,
      ['conflict', 'create', 'find'],
    ],
  ])('%s', async (_, before, isAbsent, [outcome, ...requests]) => {
    const server = serverWith(before);
    const applier = new Applier({ client: server.client, fieldManager: 'me' });
    expect((await applier.apply({ desired, isAbsent, owns })).outcome).toBe(outcome);
    expect(server.requests).toEqual(requests);
    if (outcome === 'conflict') expect(server.stored()).toBe(before);
  });

  it('only reads a foreign object again', async () => {
    const server = serverWith(live(configMap({ a: '1' })));
    const applier = new Applier({ client: server.client, fieldManager: 'me' });
    for (let round = 0; round < 3; round += 1)
      await applier.apply({ desired, isAbsent: true, owns });
    expect(server.requests).toEqual(['create', 'find', 'find', 'find']);
  });

  it('reads an object that it has created until the cache contains it', async () => {
    const server = serverWith();
    const applier = new Applier({ client: server.client, fieldManager: 'me' });
    const request = { desired, isAbsent: true, owns };
    await applier.apply(request);
    expect((await applier.apply(request)).outcome).toBe('unchanged');
    expect(server.requests).toEqual(['create', 'find']);
  });

  it.each<[string, string | undefined, readonly string[]]>([
    ['does not read an object that it has created before the cache reaches it', '6', ['create']],
    ['reads it when the cache has reached its version without it', '7', ['create', 'find']],
    ['reads it while the cache is read', undefined, ['create', 'find']],
  ])('%s', async (_, version, requests) => {
    const server = serverWith();
    let cacheVersion: string | undefined = '5';
    const applier = new Applier({
      client: server.client,
      fieldManager: 'me',
      cacheVersion: () => cacheVersion,
    });
    const request = { desired, isAbsent: true, owns };
    await applier.apply(request);
    cacheVersion = version;
    expect((await applier.apply(request)).outcome).toBe('unchanged');
    expect(server.requests).toEqual(requests);
  });

  it('changes an object that it has just created without a read', async () => {
    const server = serverWith();
    const applier = new Applier({
      client: server.client,
      fieldManager: 'me',
      cacheVersion: () => '5',
    });
    await applier.apply({ desired, isAbsent: true, owns });
    const changed = configMap({ a: '2' }, LABELS);
    const result = await applier.apply({ desired: changed, isAbsent: true, owns });
    expect(result.outcome).toBe('configured');
    expect(server.requests).toEqual(['create', 'apply']);
    expect(server.stored()?.['data']).toEqual({ a: '2' });
  });

  it('throws the error when the API server rejects it, although no object exists', async () => {
    const server = serverWith();
    const apply = () => Promise.reject(conflict('quota'));
    const client = { ...server.client, apply };
    const attempt = new Applier({ client, fieldManager: 'me' }).apply({
      desired,
      isAbsent: true,
      owns,
    });
    await expect(attempt).rejects.toMatchObject({ code: 409 });
    expect(server.requests).toEqual(['find']);
  });
});

describe('Applier.apply', () => {
  const desired = configMap({ a: '1' }, LABELS);
  const APPLIED = { 'operator.karmada.io/applied-hash': 'older' };

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['an apply', APPLIED, ['find']],
    ['a migration of its managed fields', {}, ['find', 'get']],
  ])('does not keep the response of a read during %s', async (_, annotations, reads) => {
    const collect = collector();
    const read: [string, WeakRef<KubernetesObject>][] = [];
    const answer = (verb: string): Promise<KubernetesObject> => {
      const { metadata } = configMap({}, LABELS);
      const managedFields = [{ manager: 'other', operation: 'Update', fieldsV1: { 'f:data': {} } }];
      const long: KubernetesObject = {
        ...configMap({ a: '0' }, LABELS),
        metadata: { ...metadata, uid: 'u', resourceVersion: '5', annotations, managedFields },
      };
      read.push([verb, new WeakRef(long)]);
      return Promise.resolve(long);
    };
    const { promise, resolve } = Promise.withResolvers<KubernetesObject>();
    const client = anyClient({
      typeOf,
      find: () => answer('find'),
      get: () => answer('get'),
      patch: () => promise,
      apply: () => promise,
    });
    const options = { client: asClient(client), fieldManager: 'me', adoptManagers: ['other'] };
    const applier = new Applier(options);
    const applied = applier.apply({ desired, owns });
    await settle();
    await collect();
    expect(read.map(([verb, one]) => [verb, one.deref()])).toEqual(
      reads.map((verb) => [verb, undefined]),
    );
    resolve({ ...desired, metadata: { ...desired.metadata, uid: 'u', resourceVersion: '6' } });
    expect((await applied).outcome).toBe('configured');
  });
});

describe('Applier.compare', () => {
  const desired = configMap({ a: '1' }, LABELS);
  const applied = withHash(desired, intentHash(desired));
  const listed = (data: object): KubernetesObject => ({
    ...applied,
    metadata: { ...applied.metadata, uid: 'u', resourceVersion: '5' },
    data,
  });

  it.each<[string, object, readonly string[]]>([
    ['is not read again when it contains the desired state', { a: '1', more: 'x' }, []],
    ['is read when it differs', { a: '2' }, ['find', 'apply']],
  ])('compares an object that a cache keeps in part, which %s', async (_, data, requests) => {
    const object = listed(data);
    const server = serverWith(object);
    const applier = new Applier({ client: server.client, fieldManager: 'me' });
    applier.compare(desired, object);
    expect(server.requests).toEqual([]);
    const cached = reduceToMetadata(object);
    await applier.apply({ desired, cached, partial: true, owns });
    expect(server.requests).toEqual(requests);
  });

  it('reads an object that has changed since', async () => {
    const server = serverWith(listed({ a: '1' }));
    const applier = new Applier({ client: server.client, fieldManager: 'me' });
    const object = listed({ a: '1' });
    applier.compare(desired, object);
    const metadata = { ...object.metadata, resourceVersion: '6' };
    const cached = reduceToMetadata({ ...object, metadata });
    await applier.apply({ desired, cached, partial: true, owns });
    expect(server.requests).toEqual(['find']);
  });
});
