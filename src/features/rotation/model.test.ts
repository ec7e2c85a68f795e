/**
 * Random histories of a rotation: crashes after every prefix of writes, late decisions on former facts, Pods that do not
 * answer, Pods that restart with former mounts, agents that nobody updates, aborts and confirmations.
 *
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { history, Run, type History } from './__fixtures__/model-events.ts';
import { RULES, type RotationRules } from './rules.ts';

const RUNS = process.env['KARMADA_TEST_TIER'] === 'all' ? 100_000 : 5_000;

function runOf({ options, events }: History, rules: RotationRules = RULES): Run {
  const run = new Run(options, rules);
  for (const event of events) {
    run.happen(event);
    if (run.violation !== undefined) break;
  }
  return run;
}

describe('a rotation', () => {
  it('never separates two parties that talk, and ends without the former root', () => {
    fc.assert(
      fc.property(history, (given) => {
        const run = runOf(given);
        expect(run.violation).toBeUndefined();
        expect(run.settle()).toBeLessThan(Infinity);
        expect(run.violation).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });
});
