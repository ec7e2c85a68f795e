import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../client/any-client.fixture.ts';
import type { KubernetesClient } from '../client/client-interface.ts';
import { ApiError } from '../client/errors.ts';
import type { ObjectMeta, KubernetesObject } from '../objects/object.ts';
import { prunable, pruneObject, type PruneOutcome } from './prune.ts';
import { resources } from '../objects/resources.ts';

function object(
  name: string,
  metadata: Partial<ObjectMeta> = {},
  type = 'v1 ConfigMap',
): KubernetesObject {
  const [apiVersion = '', kind = ''] = type.split(' ');
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: 'ns', labels: { mine: 'yes' }, ...metadata },
  };
}

const owns = (live: KubernetesObject): boolean => live.metadata.labels?.['mine'] === 'yes';
const controller = { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u', controller: true };

describe('prunable', () => {
  it.each<[string, KubernetesObject, string[]]>([
    ['returns an object that is not desired', object('old'), ['old']],
    ['ignores a desired object', object('kept'), []],
    [
      'ignores a desired object with another API version',
      object('web', {}, 'apps/v1beta1 Deployment'),
      [],
    ],
    [
      'returns an object with a desired name and another kind',
      object('kept', {}, 'v1 Secret'),
      ['kept'],
    ],
    [
      'returns an object with a desired name and another API group',
      object('web', {}, 'example.io/v1 Deployment'),
      ['web'],
    ],
    [
      'returns an object with a desired name in another namespace',
      object('kept', { namespace: 'other' }),
      ['kept'],
    ],
    [
      'returns a cluster-scoped object with a desired name',
      object('kept', { namespace: undefined } as never),
      ['kept'],
    ],
    ['ignores an object without owner labels', object('old', { labels: {} }), []],
    [
      'ignores a terminating object',
      object('old', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      [],
    ],
    [
      'ignores an object of another controller',
      object('old', { ownerReferences: [controller] }),
      [],
    ],
    [
      'returns an object with an owner reference that is not a controller',
      object('old', { ownerReferences: [{ ...controller, controller: false }] }),
      ['old'],
    ],
    ['ignores an object that the rules keep', object('claim', {}, 'v1 PersistentVolumeClaim'), []],
  ])('%s', (_name, live, expected) => {
    const desired = [object('kept'), object('web', {}, 'apps/v1 Deployment')];
    const keep = (each: KubernetesObject): boolean => each.kind === 'PersistentVolumeClaim';
    const found = prunable({ live: [live], complete: true }, desired, { owns, keep });
    expect(found.map((each) => each.metadata.name)).toEqual(expected);
  });

  it('returns an object of another controller that the rules include', () => {
    const live = [object('old', { ownerReferences: [controller] })];
    const rules = { owns, deletesControlled: () => true };
    expect(prunable({ live, complete: true }, [], rules)).toEqual(live);
  });

  it('returns nothing when the inventory is incomplete', () => {
    expect(prunable({ live: [object('old')], complete: false }, [], { owns })).toEqual([]);
  });
});

describe('pruneObject', () => {
  const seen = { uid: 'u', resourceVersion: '1' };
  const changed = { uid: 'u', resourceVersion: '2' };
  const failure = (code: number): ApiError =>
    new ApiError({ request: 'delete', code, reason: 'Failed', message: '' });

  /** Outcome, and the versions to delete. */
  type Result = readonly [PruneOutcome, ...object[]];

  /** Client with a live object and the error of each deletion. Records the versions to delete. */
  function clientOf(
    live: KubernetesObject | undefined,
    errors: readonly (Error | undefined)[],
  ): { readonly client: KubernetesClient; readonly deleted: object[] } {
    const deleted: object[] = [];
    const client: Partial<KubernetesClient> = anyClient({
      typeOf: () => resources.ConfigMap,
      find: () => Promise.resolve(live),
      delete: (_type, _key, options) => {
        const error = errors[deleted.length];
        deleted.push({ uid: options?.uid, resourceVersion: options?.resourceVersion });
        return error === undefined ? Promise.resolve() : Promise.reject(error);
      },
    });
    return { client: client as KubernetesClient, deleted };
  }

  it.each<[string, KubernetesObject | undefined, readonly number[], Result]>([
    ['deletes the cached version', object('old', seen), [], ['deleted', seen]],
    ['accepts that the object is gone', undefined, [404], ['gone', seen]],
    ['accepts that a changed object is gone', undefined, [409], ['gone', seen]],
    [
      'deletes a changed object that is still owned',
      object('old', changed),
      [409],
      ['deleted', seen, changed],
    ],
    [
      'keeps a changed object without owner labels',
      object('old', { ...changed, labels: {} }),
      [409],
      ['changed', seen],
    ],
    [
      'keeps a recreated object with owner labels',
      object('old', { ...changed, uid: 'other' }),
      [409],
      ['changed', seen],
    ],
    [
      'keeps an object that changes again',
      object('old', changed),
      [409, 409],
      ['changed', seen, changed],
    ],
  ])('%s', async (_name, live, codes, [outcome, ...versions]) => {
    const { client, deleted } = clientOf(live, codes.map(failure));
    expect(await pruneObject(client, { object: object('old', seen), owns })).toBe(outcome);
    expect(deleted).toEqual(versions);
  });

  it('throws other errors', async () => {
    const { client } = clientOf(undefined, [failure(403)]);
    const request = { object: object('old', seen), owns };
    await expect(pruneObject(client, request)).rejects.toThrow('403');
  });
});
