import { describe, expect, it } from '@jest/globals';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import type { Change } from '../../kubernetes/informers/informer-options.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
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
      rolloutLimit: { atOnce: { count: 1 }, failures: { count: 0 } },
      clock,
    };
    wireRollouts(tools, { add: () => undefined });
    for (const object of all) for (const handler of handlers) handler({ type: 'deleted', object });
    expect(lists).toBe(1);
    await clock.advance(1_000);
    expect(lists).toBe(2);
  });

  it.each<[string, object, readonly string[]]>([
    ['is suspended', { spec: { suspend: true } }, ['team/k2']],
    ['has ended', { status: {} }, ['team/k2']],
    ['goes on', { metadata: { ...karmada(1).metadata, labels: { a: 'b' } } }, []],
  ])('requeues a waiting Karmada when the rollout of another one %s', (_, change, expected) => {
    const withRollout = (index: number, status: string) => ({
      ...karmada(index),
      status: { conditions: [{ type: 'OperatorRollout', status, reason: 'x' }] },
    });
    const previous = withRollout(1, 'True');
    const object = { ...previous, ...change };
    const handlers: ((change: Change) => void)[] = [];
    const cache = { list: () => [object, withRollout(2, 'False'), withRollout(3, 'False')] };
    const karmadas = { cache, onChange: (one: (change: Change) => void) => handlers.push(one) };
    const queued: string[] = [];
    const tools = {
      local: { karmadas } as unknown as ManagementCluster,
      instances: { peek: () => undefined },
      rolloutLimit: { atOnce: { count: 1 }, failures: { count: 0 } },
      clock: manualClock(),
    };
    wireRollouts(tools, { add: (key) => queued.push(key) });
    for (const handler of handlers) handler({ type: 'modified', object, previous });
    expect(queued).toEqual(expected);
  });
});
