import { describe, expect, it } from '@jest/globals';
import type { Step } from '../../components/component.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { NOW, pod, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { ProbeTarget } from '../../instance/probes.ts';
import { requeueAfterMs } from './requeue.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { assess } from './assess.ts';
import { UNASKED } from '../../features/etcd-plan/etcd-health.ts';

const DESIRED = wishOf();
const seen = (done: readonly Step[]): Snapshot => {
  const { host, ...snapshot } = snapshotOf(DESIRED, done);
  return { ...snapshot, host: { ...host, pods: [pod('etcd')] } };
};
const COMPLETE = seen([...DESIRED.steps]);
const TARGET: ProbeTarget = { step: 'cluster-api-service', address: '10.96.0.7', port: 443 };
const LATE = { ...VIEW, checkAt: NOW + 86_400_000 };

/** Etcd members are not probed here, so their pending check does not count. */
const assessed = (snapshot: Snapshot = COMPLETE, view = LATE): Assessment => {
  const found = assess({
    snapshot,
    view,
    desired: DESIRED,
    certificateProblem: undefined,
    plan: { actions: [], blockedChanges: [] },
    outcome: { writes: 0, errors: [], problems: [], blockedChanges: [], live: new Map() },
  });
  const unfinished = found.unfinished.filter(({ message }) => message !== UNASKED);
  return { ...found, unfinished };
};

function delay(
  instance: Partial<InstanceCache> = {},
  assessment: Assessment = assessed(),
  statusLeft = 0,
): number {
  const cache = { key: 'team/karmada-demo', settled: new Map(), ...instance };
  const input = { instance: cache, clock: manualClock(NOW), random: () => 0 };
  return requeueAfterMs(input, assessment, statusLeft);
}

describe('requeueAfterMs', () => {
  it('returns ten minutes for a complete control plane', () => {
    expect(delay()).toBe(600_000);
  });

  it.each<[string, number, number]>([
    ['a control plane is incomplete', delay({}, assessed(seen(['etcd']))), 15_000],
    ['a Service was never probed', delay({ probes: [TARGET] }), 1],
    [
      'a probed Service is unreachable',
      delay({ probes: [TARGET], reachability: new Map([[TARGET.step, 0]]) }),
      100,
    ],
    [
      'a probed Service is reachable',
      delay({ probes: [TARGET], reachability: new Map([[TARGET.step, 'open']]) }),
      600_000,
    ],
    ['a restart of an etcd member is blocked', delay({ restartBlockedSince: 0 }), 3_000],
    ['a status is to be written later', delay({}, assessed(), 700), 700],
    [
      'certificates are due in a minute',
      delay({}, assessed(COMPLETE, { ...VIEW, checkAt: NOW + 60_000 })),
      60_000,
    ],
    [
      'certificates are overdue',
      delay({}, assessed(COMPLETE, { ...VIEW, checkAt: NOW - 60_000 })),
      1_000,
    ],
  ])('is short enough when %s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});
