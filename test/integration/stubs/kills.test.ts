/**
 * The operator process is killed after each of its writes, in control planes of stubs. Whatever it is killed after, the objects
 * at the end are those of an undisturbed run, and no CA is replaced.
 *
 * @size enormous
 * @sample small
 * @tier always
 * @job stubs
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { differing } from '../../harness/compare-states.ts';
import { drawn } from '../../harness/sample.ts';
import { killsAt } from '../../stubs/kills/kill-points.ts';
import { killAtEachPoint, type Case } from '../../stubs/kills/matrix.ts';
import { runScenario, type Outcome, type Setting } from '../../stubs/kills/run-scenario.ts';
import {
  adoptedEtcd,
  DELETION,
  INSTALL,
  MEMBERS,
  NAMESPACE,
  UPGRADE,
  type Scenario,
} from '../../stubs/kills/scenario.ts';
import { Addresses } from '../../stubs/network/addresses.ts';
import { buildOperator } from '../../stubs/operator/build.ts';

/** Cases at a time: most of a case is waiting. */
const WIDTH = 4;

let setting: Setting;

beforeAll(async () => {
  const [addresses, build] = await Promise.all([Addresses.claim(), buildOperator()]);
  setting = { addresses, build };
}, 600_000);

afterAll(async () => {
  setting.addresses.release();
  await setting.build.remove();
});

/** Verifies that a run ended like an undisturbed one. */
function verify(one: Case<Outcome>, undisturbed: Outcome): void {
  const { at, changedAuthorities } = one;
  const [actual, expected] = differing(one.endState, undisturbed.endState);
  const found = { at, changedAuthorities, ...actual };
  expect(found).toEqual({ at, changedAuthorities: [], ...expected });
}

const SCENARIOS = [INSTALL, DELETION, UPGRADE, MEMBERS, adoptedEtcd(1), adoptedEtcd(3)];

it.each<readonly [string, Scenario]>(
  drawn(SCENARIOS, 1, ({ title }) => title).map((one) => [one.title, one]),
)(
  '%s ends with the same objects and CAs when the operator is killed after any of its writes',
  async (_, scenario) => {
    const undisturbed = await runScenario(scenario, setting);
    expect(undisturbed.changedAuthorities).toEqual([]);
    const expected = undisturbed.endState;
    const { cases, missing } = await killAtEachPoint(
      undisturbed.points,
      (at) => runScenario(scenario, { ...setting, expected }, killsAt(at, NAMESPACE)),
      WIDTH,
    );
    for (const one of cases) verify(one, undisturbed);
    expect(missing).toEqual([]);
  },
  3_600_000,
);
