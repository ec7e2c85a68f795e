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
    ['no longer wanted', object('old'), ['old']],
    ['wanted', object('kept'), []],
    ['wanted in another version of its API', object('web', {}, 'apps/v1beta1 Deployment'), []],
    ['same name, other kind', object('kept', {}, 'v1 Secret'), ['kept']],
    ['same name, other group', object('web', {}, 'example.io/v1 Deployment'), ['web']],
    ['same name, other namespace', object('kept', { namespace: 'other' }), ['kept']],
    ['cluster-scoped', object('kept', { namespace: undefined } as never), ['kept']],
    ['not ours', object('old', { labels: {} }), []],
    ['going already', object('old', { deletionTimestamp: '2026-01-01T00:00:00Z' }), []],
    ["a controller's", object('old', { ownerReferences: [controller] }), []],
    [
      'owned, not controlled',
      object('old', { ownerReferences: [{ ...controller, controller: false }] }),
      ['old'],
    ],
    ['to be kept', object('claim', {}, 'v1 PersistentVolumeClaim'), []],
  ])('%s', (_name, live, expected) => {
    const desired = [object('kept'), object('web', {}, 'apps/v1 Deployment')];
    const keep = (each: KubernetesObject): boolean => each.kind === 'PersistentVolumeClaim';
    const found = prunable({ live: [live], complete: true }, desired, { owns, keep });
    expect(found.map((each) => each.metadata.name)).toEqual(expected);
  });

  it('deletes nothing on incomplete knowledge', () => {
    expect(prunable({ live: [object('old')], complete: false }, [], { owns })).toEqual([]);
  });
});
