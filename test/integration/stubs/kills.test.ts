/**
 * The operator process is killed after each of its writes, in control planes of stubs. Whatever it is killed after, the objects
 * at the end are those of an undisturbed run, and no CA is replaced.
 *
 * @size enormous
 * @sample small
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spread, runsAll } from '../../harness/sample.ts';
import { missingPoints } from '../../stubs/kills/kill-points.ts';
import { inPool } from '../../stubs/kills/pool.ts';
import { runScenario, type Outcome, type Setting } from '../../stubs/kills/run-scenario.ts';
import { DELETION, INSTALL, MEMBERS, UPGRADE, type Scenario } from '../../stubs/kills/scenario.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';

/** Cases at a time: most of a case is waiting. */
const WIDTH = 4;
/** Writes of a sampled run, for each scenario. */
const SAMPLE = 1;

let setting: Setting;

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  setting = { addresses, build };
}, 600_000);

afterAll(async () => {
  setting.addresses.release();
  await setting.build.remove();
});

/** What is wrong with a run, compared with an undisturbed one; undefined if nothing is. */
function defectOf(write: number, outcome: Outcome, undisturbed: Outcome): object | undefined {
  const { endState, changedAuthorities, killed } = outcome;
  const isEqual = isDeepStrictEqual(endState, undisturbed.endState);
  if (isEqual && changedAuthorities.length === 0 && killed === 1) return undefined;
  return { write, point: outcome.points[write - 1], killed, changedAuthorities, endState };
}

describe.each<readonly [string, Scenario]>(
  [INSTALL, DELETION, UPGRADE, MEMBERS].map((one) => [one.title, one] as const),
)('%s', (_, scenario) => {
  it('ends with the same objects and CAs when the operator is killed after any of its writes', async () => {
    const undisturbed = await runScenario(scenario, setting);
    expect(undisturbed.changedAuthorities).toEqual([]);
    const writes = undisturbed.points.map((__, index) => index + 1);
    const chosen = spread(writes, SAMPLE);
    const outcomes = await inPool(chosen, WIDTH, async (write) => ({
      write,
      outcome: await runScenario(scenario, setting, { afterWrite: write }),
    }));
    const defects = outcomes.flatMap(
      ({ write, outcome }) => defectOf(write, outcome, undisturbed) ?? [],
    );
    for (const defect of defects)
      expect(defect).toEqual({
        ...defect,
        killed: 1,
        changedAuthorities: [],
        endState: undisturbed.endState,
      });
    expect(defects).toEqual([]);
    if (!runsAll) return;
    const killedAt = outcomes.map(({ write, outcome }) => outcome.points[write - 1] ?? '');
    expect(missingPoints(undisturbed.points, killedAt)).toEqual([]);
  }, 1_800_000);
});
