import { describe, expect, it } from '@jest/globals';
import { COMPONENT } from '../../../src/api/labels.ts';
import { Store } from '../api/store.ts';
import { laterThan, outOfOrder, WorkloadChanges } from './workload-changes.ts';

const NAMESPACE = 'team';

const named = (name: string) => ({
  metadata: { name, namespace: NAMESPACE, labels: { [COMPONENT]: name } },
});

const deployment = (name: string, image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  ...named(name),
  spec: { template: { spec: { image } } },
});

const pod = (name: string, status: 'True' | 'False') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  ...named(name),
  status: { conditions: [{ type: 'Ready', status }] },
});

describe('changes of workloads', () => {
  it('are in order, and name components without a ready Pod', () => {
    const store = new Store();
    const put = (name: string, image: string): unknown =>
      store.put('apps/deployments', deployment(name, image));
    for (const name of ['karmada-apiserver', 'karmada-webhook']) {
      put(name, 'old');
      store.put('/pods', pod(name, 'True'));
    }
    const changes = new WorkloadChanges(store, NAMESPACE);
    put('karmada-apiserver', 'new');
    put('karmada-webhook', 'new');
    put('karmada-webhook', 'new');
    store.put('/pods', pod('karmada-webhook', 'False'));
    put('karmada-webhook', 'old');
    changes.end();
    put('karmada-apiserver', 'old');
    const { there, back, outages } = changes;
    expect({ there, back, outages: [...outages] }).toEqual({
      there: ['karmada-apiserver', 'karmada-webhook'],
      back: ['karmada-webhook'],
      outages: ['karmada-webhook'],
    });
  });

  it.each([
    [['karmada-apiserver', 'karmada-webhook', 'karmada-metrics-adapter'], []],
    [['karmada-webhook', 'karmada-apiserver', 'karmada-scheduler'], ['karmada-apiserver']],
    [[], []],
  ])('%j have out of order %j', (components, expected) => {
    expect(outOfOrder(components)).toEqual(expected);
  });

  it('of later stages are found', () => {
    const all = ['karmada-apiserver', 'karmada-webhook', 'karmada-scheduler'];
    expect(laterThan(all, 'karmada-metrics-adapter')).toEqual(['karmada-scheduler']);
  });
});
