/**
 * An upgrade fails at each component in each way, in control planes of stubs. The operator returns to the last spec that was
 * Ready, and does not try the failed spec again.
 *
 * @size large
 * @sample small
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMPONENT_NAME } from '../../../src/api/naming.ts';
import { karmadaReleases, kubernetesReleases } from '../../../tools/embedded-cluster/releases.ts';
import { rolledBackUpgrade, rollbackTitle } from '../../harness/rollback-case.ts';
import { drawn } from '../../harness/sample.ts';
import { REASON_OF, STEP_FAILURES, type StepFailure } from '../../harness/step-failures.ts';
import { inPool } from '../../stubs/kills/pool.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';
import {
  correctUpgrade,
  failUpgrade,
  revertDuringReturn,
  type Afterwards,
  type Returned,
  type RollbackOutcome,
} from '../../stubs/rollback/fail-upgrade.ts';
import type { RollbackSetting } from '../../stubs/rollback/rollback-scene.ts';
import { laterThan, outOfOrder } from '../../stubs/rollback/workload-changes.ts';

/** Cases at a time: most of a case is waiting. */
const WIDTH = 4;

const CASES = drawn(STEP_FAILURES, 2, rollbackTitle);
const [LATEST] = STEP_FAILURES.toReversed();

let setting: RollbackSetting;
/** By title. All start together, so that they run side by side. */
const outcomes = new Map<string, PromiseWithResolvers<RollbackOutcome>>(
  CASES.map((failure) => [rollbackTitle(failure), Promise.withResolvers<RollbackOutcome>()]),
);
let running: Promise<unknown> = Promise.resolve();

async function runCase(failure: StepFailure): Promise<void> {
  const outcome = outcomes.get(rollbackTitle(failure));
  // The test of the case reports the error.
  outcome?.promise.catch(() => undefined);
  try {
    outcome?.resolve(await failUpgrade(failure, setting));
  } catch (error) {
    outcome?.reject(error);
  }
}

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  setting = { addresses, build };
  running = inPool(CASES, WIDTH, runCase);
}, 600_000);

afterAll(async () => {
  await running;
  setting.addresses.release();
  await setting.build.remove();
}, 600_000);

function expectReturned(failure: StepFailure, returned: Returned): void {
  const [key, what] = failure;
  const { status, changes, templates, etcdPod, lateMs } = returned;
  const component = COMPONENT_NAME[key];
  const reason = REASON_OF[what];
  expect(status.upgrade).toMatchObject({ ...rolledBackUpgrade(failure), reason });
  expect(status.phase).toBe('Blocked');
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'False', reason: 'UpgradeRolledBack' });
  expect(ready?.message).toContain(`${component} was not ready within`);
  expect(ready?.message).toContain('runs the last ready spec again');
  expect(changes.there).toContain(component);
  const order = {
    there: outOfOrder(changes.there),
    tooLate: laterThan(changes.there, component),
    back: outOfOrder(changes.back.toReversed()),
  };
  expect(order).toEqual({ there: [], tooLate: [], back: [] });
  expect(new Set(changes.back)).toEqual(new Set(changes.there));
  expect(templates.after).toEqual(templates.before);
  expect(etcdPod.after).toBe(etcdPod.before);
  expect([...changes.outages]).toEqual([]);
  expect([returned.lost, returned.lies]).toEqual([0, []]);
  expect(lateMs).toBeGreaterThan(0);
  expect(lateMs).toBeLessThan(60_000);
}

/** The record of the last ready spec stays, with the change that failed. */
function expectRecord(failure: StepFailure, { record, readyHash }: Returned): void {
  const { hash, failed = '{}' } = record;
  expect(hash).toBe(readyHash);
  const [key, what] = failure;
  const expected = { step: COMPONENT_NAME[key], reason: REASON_OF[what] };
  expect(JSON.parse(failed)).toMatchObject(expected);
}

/** Nothing is tried again, also without the status. */
function expectBlocked({ status, generations }: Afterwards): void {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.reason).toBe('UpgradeRolledBack');
  expect(generations.after).toEqual(generations.before);
}

/** Taking the change back restarts no Pod. */
function expectReverted(failure: StepFailure, { status, generations }: Afterwards): void {
  expect(status.upgrade).toBeUndefined();
  const { karmada, kubernetes } = rolledBackUpgrade(failure).from;
  expect(status.versions).toMatchObject({ karmada, kubernetes });
  expect(generations.after).toEqual(generations.before);
}

describe('rollback in a stub cluster', () => {
  it.each(CASES.map((failure) => [rollbackTitle(failure), failure] as const))(
    '%s',
    async (title, failure) => {
      const outcome = await outcomes.get(title)?.promise;
      if (outcome === undefined) throw new Error('the case did not run');
      expectReturned(failure, outcome.returned);
      expectRecord(failure, outcome.returned);
      expectBlocked(outcome.restarted);
      expectReverted(failure, outcome.reverted);
    },
    900_000,
  );

  it('completes the upgrade when the user corrects it after its return', async () => {
    if (LATEST === undefined) throw new Error('no failure');
    const { upgrade, versions } = await correctUpgrade(LATEST, setting);
    expect(upgrade).toBeUndefined();
    expect(versions).toMatchObject(rolledBackUpgrade(LATEST).to);
  }, 300_000);

  it('ends in the last ready spec when the user takes the upgrade back while it returns', async () => {
    if (LATEST === undefined) throw new Error('no failure');
    const { status, lost } = await revertDuringReturn(LATEST, setting);
    expect([status.upgrade, lost]).toEqual([undefined, 0]);
    const { previous: karmada } = karmadaReleases;
    expect(status.versions).toMatchObject({ karmada, kubernetes: kubernetesReleases.previous });
  }, 300_000);
});
