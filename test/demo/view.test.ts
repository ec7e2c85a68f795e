import { describe, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import { changedRows, componentName, nextView, rowLine } from './view.ts';

function condition(type: string, status: 'True' | 'False', reason = 'Because'): Condition {
  const at = '2026-01-02T03:04:05Z';
  return {
    type,
    status,
    reason,
    message: `of ${type}`,
    observedGeneration: 1,
    lastTransitionTime: at,
  };
}

function karmada(...conditions: Condition[]): Karmada {
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'demo', namespace: 'demo', generation: 1 },
    status: { conditions },
  };
}

describe('demo view', () => {
  it.each([
    ['EtcdReady', 'Etcd'],
    ['APIServerReady', 'API server'],
    ['KubeControllerManagerReady', 'Kube controller manager'],
  ])('displays the condition %s as %s', (type, name) => {
    expect(componentName(type)).toBe(name);
  });

  it('keeps the elapsed time of a component after it is done', () => {
    const first = nextView(karmada(condition('EtcdReady', 'True')), 2_000);
    const second = nextView(
      karmada(condition('EtcdReady', 'True'), condition('APIServerReady', 'False')),
      5_000,
      first,
    );
    expect(second.rows.map(({ elapsedMs }) => elapsedMs)).toEqual([2_000, 5_000]);
    expect(changedRows(second, first).map(({ name }) => name)).toEqual(['API server']);
  });

  it.each([
    ['HostReachable', ['Host reachable', 'Etcd']],
    ['CertificatesValid', ['Etcd']],
    ['Ready', ['Etcd']],
  ])('shows conditions of components and HostReachable, given also %s', (type, names) => {
    const conditions = [condition(type, 'True'), condition('EtcdReady', 'True')];
    const { rows } = nextView(karmada(...conditions), 0);
    expect(rows.map(({ name }) => name)).toEqual(names);
  });

  it('is ready only when Ready is True for the current generation', () => {
    const ready = condition('Ready', 'True');
    expect(nextView(karmada(ready), 0).ready).toBe(true);
    expect(nextView(karmada({ ...ready, observedGeneration: 0 }), 0).ready).toBe(false);
  });

  it('truncates a row to one line of the terminal', () => {
    const view = nextView(karmada(condition('EtcdReady', 'False', 'x'.repeat(200))), 1_000);
    const [row] = view.rows;
    expect(row && rowLine(row, 80)).toHaveLength(79);
  });
});
