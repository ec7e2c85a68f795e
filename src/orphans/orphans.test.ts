import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { INSTANCE } from '../api/labels.ts';
import { orphansIn, orphanText } from './orphans.ts';

const workload = (key: string, more: object = {}): KubernetesObject => {
  const [namespace = '', name = ''] = key.split('/');
  const metadata = { namespace, name: `${name}-etcd`, labels: { [INSTANCE]: name }, ...more };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata };
};

describe('orphansIn', () => {
  it.each<[string, readonly KubernetesObject[], readonly string[], readonly string[]]>([
    ['returns nothing when every Karmada object exists', [workload('a/demo')], ['a/demo'], []],
    [
      'returns a control plane whose Karmada object is missing',
      [workload('a/demo')],
      ['b/demo'],
      ['a/demo'],
    ],
    [
      'returns a control plane with two workloads once',
      [workload('a/demo'), workload('a/demo')],
      [],
      ['a/demo'],
    ],
    [
      'ignores a workload that is terminating',
      [workload('a/demo', { deletionTimestamp: 'x' })],
      [],
      [],
    ],
    ['ignores a workload without an instance label', [workload('a/demo', { labels: {} })], [], []],
  ])('%s', (_, workloads, keys, expected) => {
    const found = orphansIn(workloads, new Set(keys));
    expect(found.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(expected);
  });

  it('describes an orphan with its host cluster and the remedy', () => {
    const [here] = orphansIn([workload('a/demo')], new Set());
    const [there] = orphansIn([workload('a/demo')], new Set(), 'https://host.example.com');
    expect(here && orphanText(here)).toBe(
      'Karmada a/demo: object not found, but its control plane runs (StatefulSet a/demo-etcd); the operator neither repairs nor deletes it; create the Karmada again with its former spec',
    );
    expect(there && orphanText(there)).toContain('on the host cluster https://host.example.com');
    expect(there && orphanText(there)).toContain('unless another operator runs it');
  });
});
