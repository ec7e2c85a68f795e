import { describe, expect, it } from '@jest/globals';
import type { ObjectMeta, KubernetesObject } from './object.ts';
import { prunable } from './prune.ts';

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

  it('returns nothing when the inventory is incomplete', () => {
    expect(prunable({ live: [object('old')], complete: false }, [], { owns })).toEqual([]);
  });
});
