import { describe, expect, it } from '@jest/globals';
import type { KarmadaStatus } from '../api/karmada.ts';
import { manualClock } from '../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { snapshotOf, wishOf } from '../instance/__fixtures__/instance.ts';
import type { Apply, Remove } from './action.ts';
import { desiredObject } from '../instance/desired-objects.ts';
import type { TargetCluster } from '../control-plane-access/target-cluster.ts';
import type { Executors } from './execute-actions.ts';
import { LateCalls, LATE_AFTER_MS } from '../control-plane-access/late-calls.ts';
import { awaitsOnlyWrites, withLateWrites } from './late-writes.ts';
import type { Assessment } from './assessment.ts';
import { reportedReady } from '../instance/__fixtures__/status.ts';

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

const READY = reportedReady();

describe('awaitsOnlyWrites', () => {
  const snapshot = snapshotOf(wishOf(), []);
  const assessment = {
    snapshot,
    problem: undefined,
    blocked: undefined,
    unfinished: [{ step: 'rbac', message: '' }],
  } as const;
  const problem = { reason: 'Error', message: 'timed out' } as const;

  const late = { lateSteps: ['rbac'] } as const;

  it('is true for a Ready control plane that lacks only the end of a write', () => {
    expect(awaitsOnlyWrites(late, assessment, READY)).toBe(true);
  });

  it.each<[string, object, Partial<Assessment>, KarmadaStatus]>([
    ['awaits no write', {}, {}, READY],
    ['lacks another step', { lateSteps: ['crds'] }, {}, READY],
    ['has a problem', late, { problem }, READY],
    ['was not Ready', late, {}, {}],
  ])('is false for a control plane that %s', (_, outcome, more, before) => {
    expect(awaitsOnlyWrites(outcome, { ...assessment, ...more }, before)).toBe(false);
  });
});
