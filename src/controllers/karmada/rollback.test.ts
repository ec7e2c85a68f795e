/** @tier test */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KarmadaSpec } from '../../api/karmada.ts';
import { NOW } from '../../instance/__fixtures__/instance.ts';
import { releaseOf, RollbackModel } from '../../features/rollback/__fixtures__/model.ts';

const DEADLINE_MS = 600_000;

const specIn = (version: string): KarmadaSpec => ({
  version,
  upgrade: { onFailure: 'Rollback', stepDeadline: '10m' },
  components: { etcd: { local: { volumeData: { emptyDir: {} } } } },
});
const OLD = specIn('v1.16.0');
const NEW = specIn('v1.17.1');

/** Components that can fail. etcd does not change. */
const COMPONENTS = [
  'karmada-apiserver',
  'karmada-aggregated-apiserver',
  'karmada-metrics-adapter',
  'karmada-webhook',
  'kube-controller-manager',
  'karmada-controller-manager',
  'karmada-scheduler',
];

/** Reconciles until nothing changes. */
async function atRest(model: RollbackModel, stepMs = 5_000): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    const before = model.writes;
    await model.reconcile();
    model.settle();
    await model.reconcile();
    model.now += stepMs;
    if (model.writes === before) return;
  }
  throw new Error(`no rest: ${JSON.stringify(model.status)}`);
}

async function readyWith(spec: KarmadaSpec): Promise<RollbackModel> {
  const model = new RollbackModel(spec, NOW);
  await atRest(model);
  model.history.clear();
  return model;
}

const readyOf = ({ status }: RollbackModel) =>
  status.conditions?.find(({ type }) => type === 'Ready');

const releases = (model: RollbackModel): ReadonlySet<string> =>
  new Set([...model.host.values()].filter(isKarmada).map(releaseOf));

const isKarmada = ({ kind }: { kind: string }): boolean => kind === 'Deployment';

describe('rollback', () => {
  it('records the spec of a ready control plane once', async () => {
    const model = await readyWith(OLD);
    expect(readyOf(model)).toMatchObject({ status: 'True' });
    expect(model.record).toBeDefined();
    const { writes } = model;
    await atRest(model);
    expect(model.writes).toBe(writes);
  });

  it('records nothing with onFailure: Halt', async () => {
    const model = await readyWith({ ...OLD, upgrade: { onFailure: 'Halt' } });
    expect(readyOf(model)).toMatchObject({ status: 'True' });
    expect(model.record).toBeUndefined();
  });

  it.each(COMPONENTS)('returns to the last ready spec when %s fails', async (component) => {
    const model = await readyWith(OLD);
    const before = new Map(model.host);
    model.broken.add(component);
    model.change(NEW);
    await atRest(model);
    expect(model.status.upgrade).toMatchObject({ step: component, phase: 'Progressing' });
    model.now = Date.parse(model.status.upgrade?.startedAt ?? '') + DEADLINE_MS - 1_000;
    await model.reconcile();
    expect(releases(model)).toContain('new');
    model.now += 1_000;
    await atRest(model);
    expect(model.status.upgrade).toMatchObject({ step: component, phase: 'RolledBack' });
    expect(readyOf(model)).toMatchObject({ status: 'False', reason: 'UpgradeRolledBack' });
    expect(model.status.phase).toBe('Blocked');
    const specs = (objects: RollbackModel['host']): unknown =>
      [...objects].map(([id, object]) => [id, object['spec']]);
    expect(specs(model.host)).toEqual(specs(before));
  });

  it('returns in reverse order', async () => {
    const model = await readyWith(OLD);
    model.broken.add('karmada-controller-manager');
    model.change(NEW);
    await atRest(model);
    model.now += DEADLINE_MS;
    const rounds: (readonly string[])[] = [];
    for (let round = 0; round < 12; round += 1) {
      model.history.clear();
      await model.reconcile();
      model.settle();
      rounds.push([...model.history.keys()].map((one) => one.replace('karmada-demo-', '')));
    }
    expect(rounds.filter((round) => round.length > 0)).toEqual([
      ['controller-manager'],
      ['kube-controller-manager'],
      ['aggregated-apiserver', 'metrics-adapter', 'webhook'],
      ['apiserver'],
    ]);
  });

  it('does not try the failed spec again until it changes', async () => {
    const model = await readyWith(OLD);
    model.broken.add('karmada-webhook');
    model.change(NEW);
    await atRest(model);
    model.now += DEADLINE_MS;
    await atRest(model);
    expect(releases(model)).toEqual(new Set(['old']));
    model.broken.clear();
    model.restart();
    model.status = {};
    model.history.clear();
    model.now += 10 * DEADLINE_MS;
    await atRest(model);
    expect(model.history.size).toBe(0);
    expect(readyOf(model)?.reason).toBe('UpgradeRolledBack');
    model.change({ ...NEW, upgrade: { onFailure: 'Rollback', stepDeadline: '11m' } });
    await atRest(model);
    expect(readyOf(model)?.status).toBe('True');
    expect(releases(model)).toEqual(new Set(['new']));
  });

  it('tries the failed spec again after another spec was ready', async () => {
    const model = await readyWith(OLD);
    model.broken.add('karmada-webhook');
    model.change(NEW);
    await atRest(model);
    model.now += DEADLINE_MS;
    await atRest(model);
    model.change(OLD);
    await atRest(model);
    expect(readyOf(model)?.status).toBe('True');
    expect(model.status.upgrade).toBeUndefined();
    model.broken.clear();
    model.change(NEW);
    await atRest(model);
    expect(readyOf(model)?.status).toBe('True');
    expect(releases(model)).toEqual(new Set(['new']));
  });

  it('ends in one release and never oscillates, whatever fails, crashes or is lost', async () => {
    const tick = fc.record({
      most: fc.option(fc.nat(12), { nil: Infinity }),
      away: fc.subarray(COMPONENTS, { maxLength: 2 }),
      waitMs: fc.integer({ min: 1_000, max: DEADLINE_MS }),
      restarts: fc.boolean(),
      losesStatus: fc.integer({ min: 0, max: 9 }),
      settles: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(COMPONENTS, { maxLength: 2 }),
        fc.array(tick, { maxLength: 25 }),
        async (broken, ticks) => {
          const model = await readyWith(OLD);
          for (const component of broken) model.broken.add(component);
          model.change(NEW);
          for (const { most, away, waitMs, restarts, losesStatus, settles } of ticks) {
            model.away.clear();
            for (const component of away) model.away.add(component);
            if (restarts) model.restart();
            if (losesStatus === 0) model.status = {};
            await model.reconcile(most);
            if (settles) model.settle();
            model.now += waitMs;
          }
          model.away.clear();
          for (let round = 0; round < 4; round += 1) {
            await atRest(model, 60_000);
            model.now += DEADLINE_MS;
          }
          await atRest(model);
          expect(releases(model).size).toBe(1);
          const isOld = releases(model).has('old');
          expect(readyOf(model)).toMatchObject(
            isOld ? { reason: 'UpgradeRolledBack' } : { status: 'True' },
          );
          for (const [name, history] of model.history) {
            const order = ['old', ...history].filter((one, index, all) => one !== all[index - 1]);
            expect([name, order.join()]).toEqual([
              name,
              expect.stringMatching(/^old(,new(,old)?)?$/),
            ]);
          }
        },
      ),
      { numRuns: 8 },
    );
  }, 600_000);
});
