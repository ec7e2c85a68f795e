import { describe, expect, it } from '@jest/globals';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Apply, Remove } from './action.ts';
import { desiredObject } from '../instance/desired-objects.ts';
import type { TargetCluster } from '../control-plane-access/target-cluster.ts';
import type { Executors } from './execute-actions.ts';
import { LateCalls, LATE_AFTER_MS } from '../control-plane-access/late-calls.ts';
import { withLateWrites } from './late-writes.ts';

const OBJECT: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const NEVER = new Promise<never>(() => undefined);

const apply = (cluster: TargetCluster): Apply => ({
  kind: 'apply',
  target: desiredObject(cluster, 'rbac', OBJECT),
});
const remove: Remove = { kind: 'remove', cluster: 'controlPlane', object: OBJECT };

function setUp(write: () => Promise<object>) {
  const clock = manualClock();
  const state = { writes: 0 };
  const executor = (): Promise<object> => {
    state.writes += 1;
    return write();
  };
  const executors = { apply: executor, remove: executor } as object as Executors;
  const calls = new LateCalls({ clock, onEnd: () => undefined });
  return { clock, state, executors: withLateWrites(executors, calls) };
}

describe('withLateWrites', () => {
  it('does not wait longer than a quarter of a second for a control plane that does not answer', async () => {
    const { clock, state, executors } = setUp(() => NEVER);
    const both = Promise.all([executors.apply(apply('controlPlane')), executors.remove(remove)]);
    await clock.advance(LATE_AFTER_MS);
    expect(await both).toEqual([{ lateStep: 'rbac' }, { lateStep: 'removal' }]);
    expect(state.writes).toBe(1);
  });

  it('waits for writes to the host cluster', async () => {
    const { clock, executors } = setUp(() => NEVER);
    const ended = { now: false };
    void executors.apply(apply('host')).then(() => (ended.now = true));
    await clock.advance(60_000);
    expect(ended.now).toBe(false);
  });

  it('returns the result of a write that ends in time', async () => {
    const { executors } = setUp(() => Promise.resolve({ writes: 1 }));
    expect(await executors.apply(apply('controlPlane'))).toEqual({ writes: 1 });
  });
});
