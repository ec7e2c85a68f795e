import { describe, expect, it } from '@jest/globals';
import type { Change } from './informer-options.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { BY_OWNER, ownerIndex, ownerOf, ownersOf } from './ownership.ts';
import { Store } from './store.ts';

const labels = { name: 'instance', namespace: 'instance-namespace' };

function object(name: string, given: Record<string, string>, namespace?: string): KubernetesObject {
  const place = namespace === undefined ? {} : { namespace };
  return { apiVersion: 'v1', kind: 'X', metadata: { name, labels: given, ...place } };
}

describe('ownerOf', () => {
  it.each<[string, KubernetesObject, string | undefined]>([
    [
      'returns the namespace of the object when there is no namespace label',
      object('a', { instance: 'demo' }, 'team'),
      'team/demo',
    ],
    [
      'returns the namespace of the label when it is set',
      object('a', { instance: 'demo', 'instance-namespace': 'x' }, 'team'),
      'x/demo',
    ],
    [
      'returns the owner of a cluster-scoped object',
      object('a', { instance: 'demo', 'instance-namespace': 'x' }),
      'x/demo',
    ],
    [
      'returns undefined for a cluster-scoped object without a namespace label',
      object('a', { instance: 'demo' }),
      undefined,
    ],
    ['returns undefined when there is no owner label', object('a', {}, 'team'), undefined],
    [
      'returns undefined when the owner label is empty',
      object('a', { instance: '' }, 'team'),
      undefined,
    ],
    [
      'returns undefined when the object has no labels',
      { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' } },
      undefined,
    ],
  ])('%s', (_name, given, expected) => {
    expect(ownerOf(given, labels)).toBe(expected);
  });

  it('ownersOf returns both owners when the owner of an object changes', () => {
    const change: Change = {
      type: 'modified',
      object: object('a', { instance: 'new' }, 'team'),
      previous: object('a', { instance: 'old' }, 'team'),
    };
    expect(ownersOf(change, labels)).toEqual(['team/new', 'team/old']);
    expect(ownersOf({ type: 'added', object: object('a', {}, 'team') }, labels)).toEqual([]);
  });
});

describe('Store', () => {
  it('finds objects by key and index after changes and deletions', () => {
    const store = new Store(ownerIndex(labels));
    store.set(object('a', { instance: 'one' }, 'team'));
    store.set(object('b', { instance: 'one' }, 'team'));
    store.set(object('c', {}, 'team'));
    expect(store.byIndex(BY_OWNER, 'team/one').map((each) => each.metadata.name)).toEqual([
      'a',
      'b',
    ]);
    expect(store.set(object('a', { instance: 'two' }, 'team'))?.metadata.labels).toEqual({
      instance: 'one',
    });
    expect(store.byIndex(BY_OWNER, 'team/one').map((each) => each.metadata.name)).toEqual(['b']);
    expect(store.delete('team/b')?.metadata.name).toBe('b');
    expect(store.delete('team/b')).toBeUndefined();
    expect(store.byIndex(BY_OWNER, 'team/one')).toEqual([]);
    expect(store.get({ namespace: 'team', name: 'a' })?.metadata.name).toBe('a');
    expect(store.list()).toHaveLength(2);
    expect(store.keys()).toEqual(['team/a', 'team/c']);
    expect(() => store.byIndex('nope', 'x')).toThrow('no index nope');
  });
});
