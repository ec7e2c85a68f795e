import { expect, it } from '@jest/globals';
import { orphansView } from './orphans-view.ts';

const etcd = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { namespace: 'team', name: 'demo-karmada-etcd', labels: { private: 'label' } },
};

it('orphansView separates orphans of all host clusters from clusters that could not be read', () => {
  const here = { namespace: 'team', name: 'demo', workloads: [etcd] };
  const notChecked = 'host cluster https://b: not checked (timeout)';
  const there = { ...here, server: 'https://a' };
  const workloads = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'demo-karmada-etcd' }];
  expect(orphansView([here, { notChecked }, there])).toEqual({
    items: [
      { namespace: 'team', name: 'demo', workloads },
      { namespace: 'team', name: 'demo', server: 'https://a', workloads },
    ],
    notChecked: [notChecked],
  });
});

it('orphansView has empty lists without an orphan', () => {
  expect(orphansView([])).toEqual({ items: [], notChecked: [] });
});
