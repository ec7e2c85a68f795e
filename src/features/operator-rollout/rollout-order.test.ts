import { describe, expect, it } from '@jest/globals';
import { ADOPT_ETCD_ANNOTATION } from '../../api/validation/adopt-etcd.ts';
import { ofKind } from '../../actions/action.ts';
import fc from 'fast-check';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { CERTIFICATES_HASH_ANNOTATION } from '../../components/overlay.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { karmadaOf, snapshotOf, VIEW, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import { InstanceCaches } from '../../instance/instance-cache.ts';
import { planInstance } from '../components/plan.ts';
import { stepStates } from '../components/steps.ts';
import type { RolloutLimit, Share, Sibling } from '../../instance/rollout-turn.ts';
import { gateRollout } from './rollout-gate.ts';
import { otherControlPlanes } from './other-control-planes.ts';
import {
  mostAtOnce,
  nextToRollOut,
  rolloutConditions,
  rolloutTurnOf,
  operatorDrivenChanges,
  withUntouched,
} from './rollout-order.ts';
import { OPERATOR_ROLLOUT } from '../../conditions/condition-types.ts';

const OLD = wishOf();
const INSTALLED: KarmadaStatus = { secretRef: { name: 'admin', namespace: 'team' } };

/** Desired objects of another version of the operator: every Deployment has another hash. */
const NEW: DesiredObjects = {
  ...OLD,
  objects: OLD.objects.map((item) =>
    item.object.kind === 'Deployment' ? { ...item, hash: `new ${item.hash}` } : item,
  ),
};
const SNAPSHOT = snapshotOf(OLD, [...OLD.steps]);
const DEPLOYMENTS = OLD.objects.filter(({ object }) => object.kind === 'Deployment');

const changes = (snapshot = SNAPSHOT, status = INSTALLED, isRequested = false): readonly string[] =>
  operatorDrivenChanges(NEW, snapshot, status, isRequested).map(({ step }) => step);

/** The snapshot with a changed or missing Deployment of karmada-webhook. */
function withWebhook(change: (object: KubernetesObject) => KubernetesObject | undefined) {
  const objects = SNAPSHOT.host.objects.flatMap((object) =>
    object.kind === 'Deployment' && object.metadata.name.endsWith('-webhook')
      ? (change(object) ?? [])
      : object,
  );
  return { ...SNAPSHOT, host: { ...SNAPSHOT.host, objects } };
}

describe('operatorDrivenChanges', () => {
  it('returns each workload that changes although the spec did not', () => {
    expect(changes()).toHaveLength(DEPLOYMENTS.length);
    expect(changes()).toContain('karmada-webhook');
  });

  it('returns nothing when a user changed the spec or the installation is incomplete', () => {
    expect(changes(SNAPSHOT, INSTALLED, true)).toEqual([]);
    expect(changes(SNAPSHOT, {})).toEqual([]);
    expect(operatorDrivenChanges(OLD, SNAPSHOT, INSTALLED, false)).toEqual([]);
  });

  it.each([
    ['Automatic', false],
    [undefined, true],
  ])(
    'returns an etcd that moves to https unless its user has agreed (%s)',
    (consent, isReturned) => {
      const objects = SNAPSHOT.host.objects.map((object) =>
        object.kind === 'StatefulSet'
          ? (JSON.parse(
              JSON.stringify(object)
                .replaceAll('peer-urls=https:', 'peer-urls=http:')
                .replace('etcd-template-hash":"', 'etcd-template-hash":"former'),
            ) as KubernetesObject)
          : object,
      );
      const annotations = { ...(consent !== undefined && { [ADOPT_ETCD_ANNOTATION]: consent }) };
      const metadata = { ...SNAPSHOT.karmada.metadata, annotations };
      const karmada = { ...SNAPSHOT.karmada, metadata };
      const moved = OLD.objects.map((item) =>
        item.object.kind === 'StatefulSet' ? { ...item, hash: 'moved' } : item,
      );
      const snapshot = { ...SNAPSHOT, karmada, host: { ...SNAPSHOT.host, objects } };
      const found = operatorDrivenChanges({ ...OLD, objects: moved }, snapshot, INSTALLED, false);
      expect(found.map(({ step }) => step)).toEqual(isReturned ? ['etcd'] : []);
    },
  );

  it.each<[string, (object: KubernetesObject) => KubernetesObject | undefined]>([
    ['is missing', () => undefined],
    ['has no available Pod', (object) => ({ ...object, status: { availableReplicas: 0 } })],
    [
      'gets new certificates',
      (object) => {
        const annotations = { [CERTIFICATES_HASH_ANNOTATION]: 'before' };
        const spec = object['spec'] as { template: { metadata: object } };
        const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations } };
        return { ...object, spec: { ...spec, template } };
      },
    ],
  ])('excludes a workload that %s', (_, change) => {
    expect(changes(withWebhook(change))).not.toContain('karmada-webhook');
    expect(changes(withWebhook(change))).toHaveLength(DEPLOYMENTS.length - 1);
  });
});

describe('withUntouched', () => {
  const waiting = withUntouched(
    NEW,
    SNAPSHOT.host.objects,
    operatorDrivenChanges(NEW, SNAPSHOT, INSTALLED, false),
  );

  it('keeps the workloads and counts all steps as complete while the control plane waits', () => {
    const states = stepStates(waiting, SNAPSHOT);
    expect([...states.values()].filter(({ state }) => state !== 'complete')).toEqual([]);
    const input = { snapshot: SNAPSHOT, desired: waiting, states, blockedChanges: [] };
    const written = ofKind(planInstance(input, VIEW).actions, 'apply').map(
      ({ target }) => target.object.kind,
    );
    expect(written).not.toContain('Deployment');
    expect(written).toContain('Service');
  });

  it('lets the plan recreate a missing Deployment while the control plane waits', () => {
    const snapshot = withWebhook(() => undefined);
    const blocked = withUntouched(
      NEW,
      snapshot.host.objects,
      operatorDrivenChanges(NEW, snapshot, INSTALLED, false),
    );
    const input = {
      snapshot,
      desired: blocked,
      states: stepStates(blocked, snapshot),
      blockedChanges: [],
    };
    const written = ofKind(planInstance(input, VIEW).actions, 'apply').filter(
      ({ target }) => target.object.kind === 'Deployment',
    );
    expect(written.map(({ target }) => target.step)).toEqual(['karmada-webhook']);
  });
});

const ONE = { count: 1 };
const MANY = { count: 100 };
const waiting = (reason: string): object => ({ turn: 'wait', reason });

describe('rolloutTurnOf', () => {
  const pending = operatorDrivenChanges(NEW, SNAPSHOT, INSTALLED, false);
  const limit: RolloutLimit = { atOnce: ONE, failures: { count: 0 } };
  const own = { marked: false, namespace: 'team' };
  const none = { key: 'team/none', state: 'none' } as const;
  const rolling = { key: 'team/rolls', state: 'rolling' } as const;
  const failed = { key: 'team/broken', state: 'failed' } as const;

  it('returns go or claim when a control plane has nothing to wait for', () => {
    const siblings = [rolling, failed];
    const given = { ...own, changes: pending, limit, siblings };
    expect(rolloutTurnOf({ ...given, changes: [] })).toEqual({ turn: 'go' });
    expect(rolloutTurnOf({ ...given, marked: true })).toEqual({ turn: 'go' });
    expect(rolloutTurnOf({ ...given, siblings: [none] })).toEqual({ turn: 'announce' });
  });

  it.each<[string, Partial<RolloutLimit>, readonly Sibling[], object]>([
    ['the limit is reached', {}, [rolling, none], waiting('Waiting')],
    ['a rollout failed and none may fail', { atOnce: MANY }, [failed, none], waiting('Stopped')],
    ['more rollouts failed than may fail', { failures: ONE }, [failed, failed], waiting('Stopped')],
    [
      'as many rollouts failed as may fail',
      { failures: ONE },
      [failed, none],
      { turn: 'announce' },
    ],
    [
      'a share of all failed that is not below the budget',
      { atOnce: MANY, failures: { percent: 1 } },
      [failed, ...Array.from({ length: 98 }, () => none)],
      { turn: 'announce' },
    ],
    [
      'the share of the failed ones is above the budget',
      { atOnce: MANY, failures: { percent: 1 } },
      [failed, ...Array.from({ length: 97 }, () => none)],
      waiting('Stopped'),
    ],
    ['rollouts are paused', { atOnce: { count: 0 } }, [none], waiting('RolloutsPaused')],
  ])('decides when %s', (_, given, siblings, expected) => {
    const found = rolloutTurnOf({
      ...own,
      changes: pending,
      siblings,
      limit: { ...limit, ...given },
    });
    expect(found).toMatchObject(expected);
    // The status of a waiting control plane does not change with those that roll.
    expect(JSON.stringify(found)).not.toContain('team/');
  });

  const of = (namespace: string, state: Sibling['state'], count: number): readonly Sibling[] =>
    Array.from({ length: count }, (_, index) => ({ key: `${namespace}/${String(index)}`, state }));

  it.each<[string, Share, readonly Sibling[], string]>([
    [
      'starts although all those of another namespace failed',
      ONE,
      of('a', 'failed', 9),
      'announce',
    ],
    [
      'waits when those of two other namespaces failed',
      ONE,
      [...of('a', 'failed', 9), ...of('b', 'failed', 1)],
      'wait',
    ],
    [
      'waits when one of its namespace failed',
      MANY,
      [...of('a', 'none', 9), ...of('team', 'failed', 1)],
      'wait',
    ],
    ['starts although another namespace has the only slot', ONE, of('a', 'rolling', 1), 'announce'],
    ['starts although another namespace has more than all', ONE, of('a', 'rolling', 9), 'announce'],
    [
      'waits when two other namespaces have the slots',
      ONE,
      [...of('a', 'rolling', 1), ...of('b', 'rolling', 1)],
      'wait',
    ],
    [
      'leaves the last slot to other namespaces',
      { count: 3 },
      [...of('team', 'rolling', 2), ...of('a', 'none', 1)],
      'wait',
    ],
    ['uses all slots without other namespaces', { count: 3 }, of('team', 'rolling', 2), 'announce'],
  ])('%s', (_, atOnce, siblings, expected) => {
    const found = rolloutTurnOf({
      ...own,
      changes: pending,
      siblings,
      limit: { atOnce, failures: { count: 0 } },
    });
    expect(found.turn).toBe(expected);
  });

  it('continues a rollout that has started while rollouts are paused', () => {
    const paused = { ...limit, atOnce: { count: 0 } };
    const given = { ...own, changes: pending, siblings: [], limit: paused };
    const found = rolloutTurnOf({ ...given, marked: true });
    expect(found).toEqual({ turn: 'go' });
  });

  it.each<[Share, number, number]>([
    [{ percent: 10 }, 1, 1],
    [{ percent: 10 }, 19, 1],
    [{ percent: 10 }, 20, 2],
    [{ percent: 100 }, 7, 7],
    [{ count: 3 }, 100, 3],
    [{ count: 0 }, 100, 0],
  ])(
    'limits with %j of %i control planes the rollouts to %i at a time',
    (atOnce, total, expected) => {
      expect(mostAtOnce({ atOnce }, total)).toBe(expected);
    },
  );
});

describe('rolloutConditions', () => {
  const inTrouble = 'a Pod fails';

  it.each([
    ['announces its turn', { turn: 'announce', ready: true }, ['Progressing']],
    ['rolls', { turn: 'go', marked: true }, ['Progressing']],
    ['rolls and has a problem', { turn: 'go', marked: true, failure: inTrouble }, ['Failed']],
    ['has finished its rollout', { turn: 'go', marked: true, ready: true }, []],
    ['has a problem without a rollout', { turn: 'go', failure: inTrouble }, []],
  ] as const)(
    'returns the condition of a control plane that %s',
    (_, { turn, ...given }, reasons) => {
      const state = { marked: false, ready: false, failure: undefined, ...given };
      expect(rolloutConditions({ turn }, state).map(({ reason }) => reason)).toEqual(reasons);
    },
  );
});

/** Control planes of one operator, reduced to their rollout states. */
class Fleet {
  readonly statuses = new Map<string, KarmadaStatus>();
  readonly current = new Set<string>();
  instances = new InstanceCaches();
  readonly #limit: RolloutLimit;

  constructor(count: number, limit: RolloutLimit, namespaces = 1) {
    this.#limit = limit;
    for (let index = 0; index < count; index += 1) {
      const number = Math.floor((index * namespaces) / count);
      const namespace = number === 0 ? 'team' : `team${String(number)}`;
      this.statuses.set(`${namespace}/k${String(index)}`, INSTALLED);
    }
  }

  /** Restarts the operator, which loses its memory. */
  restart(): void {
    this.instances = new InstanceCaches();
  }

  /** Reconciles one control plane; `ends` completes its rollout, `fails` gives it a problem. */
  pass(key: string, { ends, fails }: { ends: boolean; fails: boolean }): void {
    const before = this.statuses.get(key) ?? {};
    const desired = this.current.has(key) ? OLD : NEW;
    const local = {
      karmadas: { cache: { list: () => this.#karmadas() } },
    } as unknown as ManagementCluster;
    const { metadata } = SNAPSHOT.karmada;
    const [namespace = ''] = key.split('/');
    const karmada = { ...SNAPSHOT.karmada, metadata: { ...metadata, namespace } };
    const found = gateRollout(
      desired,
      { ...SNAPSHOT, karmada },
      {
        before,
        isRequested: false,
        limit: this.#limit,
        siblings: () => otherControlPlanes({ local, instances: this.instances }, key),
      },
    );
    this.instances.get(key).announcesRollout = found.rollout.turn === 'announce';
    if (found.rollout.turn === 'go') this.current.add(key);
    const marked = before.conditions?.some(({ status }) => status === 'True') === true;
    const failure = fails ? 'a Pod fails' : undefined;
    const ready = ends && !fails && found.rollout.turn === 'go';
    const findings = rolloutConditions(found.rollout, { marked, ready, failure });
    const times = { lastTransitionTime: '', observedGeneration: 2 };
    const conditions = findings.map((finding) => ({ ...finding, ...times }));
    this.statuses.set(key, { ...before, conditions });
  }

  get rolling(): number {
    return this.#count('True');
  }

  #count(status: string): number {
    const all = [...this.statuses.values()].flatMap(({ conditions = [] }) => conditions);
    return all.filter((one) => one.type === OPERATOR_ROLLOUT && one.status === status).length;
  }

  #karmadas(): readonly Karmada[] {
    return [...this.statuses].map(([key, status]) => {
      const [namespace = '', name = ''] = key.split('/');
      const karmada = karmadaOf();
      return { ...karmada, metadata: { ...karmada.metadata, namespace, name }, status };
    });
  }
}

describe('gateRollout with several control planes', () => {
  const step = fc.record({
    index: fc.nat(11),
    ends: fc.boolean(),
    fails: fc.boolean(),
    restarts: fc.boolean(),
  });

  it('never exceeds the limit and updates all control planes in the end', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, most) => {
          const fleet = new Fleet(12, { atOnce: { count: most }, failures: { count: 0 } });
          for (const { index, ends, fails, restarts } of steps) {
            if (restarts) fleet.restart();
            fleet.pass(`team/k${String(index)}`, { ends, fails });
            expect(fleet.rolling).toBeLessThanOrEqual(most);
          }
          for (let round = 0; round < 40; round += 1)
            for (const key of fleet.statuses.keys()) fleet.pass(key, { ends: true, fails: false });
          expect([fleet.current.size, fleet.rolling]).toEqual([12, 0]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('starts no further rollout while one has failed, even after a restart of the operator', () => {
    const fleet = new Fleet(12, { atOnce: { count: 3 }, failures: { count: 0 } });
    const round = (fails: string): void => {
      for (const key of fleet.statuses.keys())
        fleet.pass(key, { ends: key !== fails, fails: key === fails });
    };
    round('team/k0');
    round('team/k0');
    const begun = fleet.current.size;
    expect(begun).toBeLessThan(12);
    for (let rounds = 0; rounds < 10; rounds += 1) {
      fleet.restart();
      round('team/k0');
    }
    expect(fleet.rolling).toBe(1);
    expect(fleet.current.size).toBeLessThanOrEqual(begun + 3);
    expect(fleet.current.size).toBeLessThan(12);
  });
});

it.each([
  ['fail', true],
  ['never end', false],
])('updates all control planes of other namespaces while those of one %s', (_, fails) => {
  const fleet = new Fleet(12, { atOnce: { count: 1 }, failures: { count: 0 } }, 3);
  const keys = [...fleet.statuses.keys()];
  for (let rounds = 0; rounds < 40; rounds += 1)
    for (const key of keys) {
      const isHostile = key.startsWith('team/');
      fleet.pass(key, { ends: !isHostile, fails: isHostile && fails });
      expect(fleet.rolling).toBeLessThanOrEqual(3);
    }
  expect(keys.filter((key) => !fleet.current.has(key))).toEqual(['team/k1', 'team/k2', 'team/k3']);
});

it('updates all other control planes when as many rollouts failed as may fail', () => {
  const fleet = new Fleet(12, { atOnce: { count: 2 }, failures: { count: 1 } });
  for (let rounds = 0; rounds < 20; rounds += 1)
    for (const key of fleet.statuses.keys())
      fleet.pass(key, { ends: key !== 'team/k0', fails: key === 'team/k0' });
  expect([fleet.current.size, fleet.rolling]).toEqual([12, 1]);
});

describe('nextToRollOut', () => {
  const waiting = ['d', 'b', 'c', 'a'].map((key) => ({ key, state: 'waiting' as const }));
  const rolling = { key: 'e', state: 'rolling' } as const;
  const failed = { key: 'f', state: 'failed' } as const;

  it.each<[string, RolloutLimit, readonly Sibling[], readonly string[]]>([
    ['up to the limit', { atOnce: { count: 2 }, failures: ONE }, [], ['a', 'b']],
    ['for free slots only', { atOnce: { count: 3 }, failures: ONE }, [rolling], ['a', 'b']],
    ['none without a free slot', { atOnce: ONE, failures: ONE }, [rolling, rolling], []],
    ['none when too many failed', { atOnce: MANY, failures: { count: 0 } }, [failed], []],
    ['also beside failed ones of the budget', { atOnce: ONE, failures: ONE }, [failed], ['a']],
    ['none while rollouts are paused', { atOnce: { count: 0 }, failures: ONE }, [], []],
  ])(
    'returns waiting control planes in the order of their names, %s',
    (_, limit, more, expected) => {
      expect(nextToRollOut([...waiting, ...more], limit)).toEqual(expected);
    },
  );

  it('lets namespaces take turns, and returns none of a namespace with its share', () => {
    const keys = ['a/1', 'a/2', 'a/3', 'b/1', 'c/1'];
    const siblings = keys.map((key) => ({ key, state: 'waiting' as const }));
    const limit = { atOnce: { count: 3 }, failures: ONE };
    expect(nextToRollOut(siblings, limit)).toEqual(['a/1', 'b/1', 'c/1']);
    const busy = ['a/4', 'a/5'].map((key) => ({ key, state: 'rolling' as const }));
    expect(nextToRollOut([...siblings, ...busy], limit)).toEqual(['b/1']);
  });
});
