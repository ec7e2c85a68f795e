/**
 * Random histories of one etcd: faults, changes of the spec, crashes of the operator and partial responses.
 *
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { majorityOf } from '../../etcd/view.ts';
import { factsOf, run } from '../../etcd-cluster/members/__fixtures__/model-operator.ts';
import {
  damage,
  lose,
  recover,
  restart,
} from '../../etcd-cluster/members/__fixtures__/model-faults.ts';
import { GRACE_MS, type Disk } from '../../etcd-cluster/members/__fixtures__/model-objects.ts';
import { EtcdModel } from '../../etcd-cluster/members/__fixtures__/model.ts';
import { nextStep } from './next-step.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';

type Damage = NonNullable<Disk['defect']>;

type Event =
  | { readonly kind: 'want'; readonly members: number }
  | { readonly kind: 'reconcile'; readonly silent: readonly number[] }
  | { readonly kind: 'write'; readonly lagging: readonly number[] }
  | { readonly kind: 'restart'; readonly ordinal: number }
  | { readonly kind: 'lose'; readonly ordinal: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: Damage; readonly ordinal: number }
  | { readonly kind: 'recover'; readonly ordinal: number }
  | { readonly kind: 'stick'; readonly ordinal: number }
  | { readonly kind: 'free'; readonly ordinal: number };

const ordinal = fc.integer({ min: 0, max: 4 });
const some = fc.array(ordinal, { maxLength: 2 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('reconcile' as const),
      silent: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, some),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), lagging: some }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('want' as const), members: fc.constantFrom(1, 3, 5) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('restart', 'lose', 'stick', 'free'), ordinal }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('nodeLost', 'nodeUnready', 'corrupt', 'behind', 'recover', 'recover'),
      ordinal,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: GRACE_MS }),
    }),
  },
);

/** Whether the others keep the quorum, and all of them have all entries, when the data of this ordinal is lost. */
function survives(model: EtcdModel, lost: number): boolean {
  const voters = model.voters();
  const others = voters.filter((member) => member.ordinal !== lost);
  const whole = others.filter(
    (member) =>
      model.runs(member) && (model.disks.get(member.ordinal)?.index ?? 0) >= model.acknowledged,
  );
  return whole.length >= majorityOf(voters.length);
}

type Handler<K extends Event['kind']> = (
  model: EtcdModel,
  event: Extract<Event, { readonly kind: K }>,
) => void;

function schedule(model: EtcdModel, one: number, isScheduled: boolean): void {
  const pod = model.pods.get(one);
  if (pod && !pod.isRunning) pod.isScheduled = isScheduled;
  model.settle();
}

const damaging =
  (kind: Damage) =>
  (model: EtcdModel, { ordinal: one }: { readonly ordinal: number }): void => {
    if (survives(model, one)) damage(model, one, kind);
  };

/** Faults that etcd itself could not survive do not happen. */
const HANDLERS: { readonly [K in Event['kind']]: Handler<K> } = {
  want: (model, { members: count }) => {
    model.wanted = count;
  },
  write: (model, { lagging }) => model.write(new Set(lagging)),
  reconcile: (model, { silent }) => model.execute(nextStep(factsOf(model, new Set(silent)))),
  lose: (model, { ordinal: one }) => {
    if (survives(model, one)) lose(model, one);
  },
  restart: (model, { ordinal: one }) => {
    if (survives(model, one)) restart(model, one);
  },
  nodeLost: damaging('nodeLost'),
  nodeUnready: damaging('nodeUnready'),
  corrupt: damaging('corrupt'),
  behind: damaging('behind'),
  recover: (model, { ordinal: one }) => recover(model, one),
  pass: (model, { ms }) => {
    model.now += ms;
    model.settle();
  },
  stick: (model, event) => schedule(model, event.ordinal, false),
  free: (model, event) => schedule(model, event.ordinal, true),
};

function happen(model: EtcdModel, one: Event): void {
  const handle = HANDLERS[one.kind] as (model: EtcdModel, event: Event) => void;
  handle(model, one);
}

const members = (model: EtcdModel): readonly number[] =>
  model.voters().map((member) => member.ordinal);

/** A history has 30 events on average. */
const RUNS = process.env['KARMADA_TEST_TIER'] === 'all' ? 4_000 : 600;

describe('the rules for the members of an etcd', () => {
  it.each([
    [1, 3],
    [3, 5],
    [5, 3],
    [3, 1],
    [1, 5],
    [5, 1],
  ])('change %i members to %i', (from, to) => {
    const model = new EtcdModel(from);
    model.wanted = to;
    expect(run(model)).toEqual({ kind: 'none' });
    expect(members(model)).toEqual(Array.from({ length: to }, (_, n) => n));
    expect(model.replicas).toBe(to);
  });

  it('return to the former number in the middle of a change', () => {
    const model = new EtcdModel(3);
    model.wanted = 5;
    for (let count = 0; count < 3; count += 1) model.execute(nextStep(factsOf(model)));
    model.wanted = 3;
    expect(run(model)).toEqual({ kind: 'none' });
    expect(members(model)).toEqual([0, 1, 2]);
  });

  it.each([0, 1, 2])('replace member %i of three when its data is lost', (lost) => {
    const model = new EtcdModel(3);
    const [before] = model.members.filter((member) => member.ordinal === lost);
    lose(model, lost);
    expect(run(model)).toEqual({ kind: 'none' });
    expect(members(model)).toEqual(expect.arrayContaining([0, 1, 2]));
    expect(model.removed).toEqual(new Set([before?.id]));
  });

  it.each(['nodeLost', 'corrupt', 'behind'] as const)(
    'replace a member after the grace period when it has the defect %s',
    (defect) => {
      const model = new EtcdModel(3);
      const [before] = model.members.filter(({ ordinal: one }) => one === 1);
      damage(model, 1, defect);
      model.now += GRACE_MS - 1;
      for (let count = 0; count < 5; count += 1) model.execute(nextStep(factsOf(model)));
      expect(model.removed.size).toBe(0);
      expect(run(model)).toEqual({ kind: 'none' });
      expect(model.removed).toEqual(new Set([before?.id]));
    },
  );

  it('keep a member whose node is not ready for any time', () => {
    const model = new EtcdModel(3);
    damage(model, 1, 'nodeUnready');
    model.now += 1_000 * GRACE_MS;
    expect(nextStep(factsOf(model))).toMatchObject({ kind: 'wait', dueAt: Infinity });
    recover(model, 1);
    expect(run(model)).toEqual({ kind: 'none' });
    expect(model.removed.size).toBe(0);
  });

  it('remove no member of two when one lost its data', () => {
    const model = new EtcdModel(2);
    lose(model, 1);
    const step: MemberStep = run(model, 20);
    expect(step.kind).toBe('none');
    expect(model.removed.size).toBe(0);
  });

  it('keep quorum and data in every history, and end at the desired number', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 3, 5),
        fc.array(event, { maxLength: 60, size: 'max' }),
        (first, history) => {
          const model = new EtcdModel(first);
          for (const one of history) happen(model, one);
          for (const pod of model.pods.values()) pod.isScheduled = true;
          for (const [one, { defect }] of model.disks)
            if (defect === 'nodeUnready') recover(model, one);
          expect(run(model)).toEqual({ kind: 'none' });
          expect([...members(model)].sort()).toEqual(
            Array.from({ length: model.wanted }, (_, n) => n),
          );
        },
      ),
      { numRuns: RUNS },
    );
  });
});
