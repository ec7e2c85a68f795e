/**
 * Upgrades over several Karmada releases, with the real decision and the real status.
 *
 * @tier test
 */
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KarmadaStatus } from '../../api/karmada.ts';
import { isWorkload } from '../../components/workload.ts';
import { RollbackModel } from '../rollback/__fixtures__/model.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const OLD = { version: 'v1.16.0' };

const isReady = ({ conditions }: KarmadaStatus): boolean =>
  conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

const schedulerOf = ({ host }: RollbackModel): string => {
  const found = [...host.values()].filter(isWorkload);
  const scheduler = found.find(({ metadata }) => metadata.name.endsWith('-scheduler'));
  return /karmada-scheduler:(v[\d.]+)/.exec(JSON.stringify(scheduler?.spec))?.[1] ?? '';
};

async function installed(): Promise<RollbackModel> {
  const model = new RollbackModel(OLD, NOW);
  for (let turn = 0; turn < 40 && !isReady(model.status); turn += 1) {
    await model.reconcile();
    model.settle();
  }
  expect(isReady(model.status)).toBe(true);
  return model;
}

/** Each run is an upgrade with about ten crashes. */
const RUNS = process.env['KARMADA_TEST_TIER'] === 'all' ? 40 : 6;

/** Number of actions after which the operator crashes; undefined for a complete reconcile. */
const crash = fc.option(fc.nat({ max: 4 }), { nil: undefined });

it('an upgrade over a skipped minor version passes each release, and is Ready only with the last one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(crash, { maxLength: 30 }), async (crashes) => {
      const model = await installed();
      model.change({ version: 'v1.18.2' });
      const legs = new Set<string>();
      const tags = [schedulerOf(model)];
      for (let turn = 0; turn < 120; turn += 1) {
        const most = crashes[turn];
        await model.reconcile(most);
        if (most !== undefined) model.restart();
        model.settle();
        const { upgrade, versions } = model.status;
        if (upgrade) legs.add([upgrade.from, upgrade.to].map((one) => one?.karmada).join(' to '));
        if (tags.at(-1) !== schedulerOf(model)) tags.push(schedulerOf(model));
        const isDone = model.spec.version === versions?.karmada;
        if (isReady(model.status) && most === undefined && isDone) break;
      }
      expect(model.status).toMatchObject({ versions: { karmada: 'v1.18.2' } });
      expect(model.status.upgrade).toBeUndefined();
      expect([...legs]).toEqual(['v1.16.0 to v1.17.1', 'v1.17.1 to v1.18.2']);
      expect(tags).toEqual(['v1.16.0', 'v1.17.1', 'v1.18.2']);
    }),
    { numRuns: RUNS },
  );
});

it('an upgrade over a skipped minor version is never Ready with the release in between', async () => {
  const model = await installed();
  model.change({ version: 'v1.18.2' });
  const ready: (string | undefined)[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    await model.reconcile();
    if (isReady(model.status)) ready.push(model.status.versions?.karmada);
    model.settle();
  }
  expect(new Set(ready)).toEqual(new Set(['v1.18.2']));
});
