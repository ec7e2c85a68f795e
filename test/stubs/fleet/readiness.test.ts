import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { Store } from '../api/store.ts';
import { KARMADAS, Readiness } from './readiness.ts';

function karmada(name: string, ready?: string): KubernetesObject {
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: ready }];
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name, namespace: 'a', generation: 1 },
    status: { conditions },
  };
}

describe('Readiness', () => {
  let store: Store;
  let now: number;
  let readiness: Readiness;

  beforeEach(() => {
    store = new Store();
    now = 0;
    readiness = new Readiness(store, () => now);
  });

  const at = (time: number, object: KubernetesObject): void => {
    now = time;
    store.put(KARMADAS, object);
  };

  it('measures the time from the creation until Ready once for each control plane', () => {
    at(1_000, karmada('one'));
    at(1_500, karmada('other'));
    at(2_000, karmada('one', 'True'));
    at(3_000, karmada('other', 'True'));
    at(9_000, karmada('other', 'True'));
    expect(readiness.sample).toMatchObject({ total: 2, ready: 2, timesMs: [1_000, 1_500] });
    expect(readiness.sample).toMatchObject({ sinceFirstMs: 2_000, sinceLastMs: 1_500 });
    readiness.reset();
    expect(readiness.sample).toMatchObject({ sinceFirstMs: 0, sinceLastMs: 0, timesMs: [] });
    at(10_000, karmada('third'));
    at(10_700, karmada('third', 'True'));
    at(10_900, karmada('one', 'False'));
    at(11_000, karmada('one', 'True'));
    expect(readiness.sample).toMatchObject({ sinceFirstMs: 700, sinceLastMs: 700, timesMs: [700] });
  });

  it('counts changes from Ready to another value, and changes of a status', () => {
    at(0, karmada('one'));
    at(1, karmada('one', 'True'));
    at(2, karmada('one', 'False'));
    expect(readiness.sample).toMatchObject({ total: 1, ready: 0, lost: 1, statusChanges: 2 });
    readiness.reset();
    at(3, { ...karmada('one', 'False'), metadata: { name: 'one', namespace: 'a', labels: {} } });
    expect(readiness.sample).toMatchObject({ lost: 0, statusChanges: 0 });
    at(4, karmada('one', 'Unknown'));
    expect(readiness.sample).toMatchObject({ lost: 0, statusChanges: 1 });
  });

  it('forgets deleted control planes', () => {
    at(0, karmada('one', 'True'));
    store.remove(KARMADAS, karmada('one'));
    expect(readiness.sample).toMatchObject({ total: 0, ready: 0 });
  });
});
