import { describe, expect, it } from '@jest/globals';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import { manualClock } from '../../kubernetes/clock.fixture.ts';
import type { Change } from '../../kubernetes/informer-options.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { wireRollouts } from './wire-rollouts.ts';

const karmada = (index: number): KubernetesObject => ({
  ...{ apiVersion: 'operator.karmada.io/v1alpha1', kind: 'Karmada' },
  metadata: { name: `k${String(index)}`, namespace: 'team' },
});

describe('wireRollouts', () => {
  it('examines all Karmadas at most once a second, although thousands are deleted', async () => {
    const all = Array.from({ length: 2_000 }, (_, index) => karmada(index));
    const handlers: ((change: Change) => void)[] = [];
    let lists = 0;
    const list = () => {
      lists += 1;
      return all;
    };
    const karmadas = {
      cache: { list },
      onChange: (one: (change: Change) => void) => handlers.push(one),
    };
    const local = { karmadas } as unknown as ManagementCluster;
    const clock = manualClock();
    const tools = {
      local,
      instances: { peek: () => undefined },
      rolloutLimit: { count: 1 },
      clock,
    };
    wireRollouts(tools, { add: () => undefined });
    for (const object of all) for (const handler of handlers) handler({ type: 'deleted', object });
    expect(lists).toBe(1);
    await clock.advance(1_000);
    expect(lists).toBe(2);
  });
});
