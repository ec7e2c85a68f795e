import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { INSTANCE } from '../api/labels.ts';
import { orphansIn, orphanText } from './orphans.ts';

const workload = (key: string, more: object = {}): KubernetesObject => {
  const [namespace = '', name = ''] = key.split('/');
  const metadata = { namespace, name: `${name}-etcd`, labels: { [INSTANCE]: name }, ...more };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata };
};

describe('orphansIn', () => {
  it.each<[string, readonly KubernetesObject[], readonly string[], readonly string[]]>([
    ['finds none when every Karmada is there', [workload('a/demo')], ['a/demo'], []],
    ['finds a control plane without its Karmada', [workload('a/demo')], ['b/demo'], ['a/demo']],
    ['counts a control plane once', [workload('a/demo'), workload('a/demo')], [], ['a/demo']],
    ['leaves out what is being deleted', [workload('a/demo', { deletionTimestamp: 'x' })], [], []],
    ['leaves out what has no instance', [workload('a/demo', { labels: {} })], [], []],
  ])('%s', (_, workloads, keys, expected) => {
    const found = orphansIn(workloads, new Set(keys));
    expect(found.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(expected);
  });

  it('says where it runs and what to do', () => {
    const [here] = orphansIn([workload('a/demo')], new Set());
    const [there] = orphansIn([workload('a/demo')], new Set(), 'https://host.example.com');
    expect(here && orphanText(here)).toBe(
      'Karmada a/demo: its control plane runs (StatefulSet a/demo-etcd), but there is no such Karmada; the operator neither repairs nor deletes it; create the Karmada again with its former spec',
    );
    expect(there && orphanText(there)).toContain('on the host cluster https://host.example.com');
    expect(there && orphanText(there)).toContain('unless another operator runs it');
  });
});
