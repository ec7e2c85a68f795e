import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fillBudget, runSeconds } from './budget.ts';

const suite = (file: string, seconds: number, alone = false) => ({ file, seconds, alone });
const files = (suites: readonly { file: string }[]): string[] => suites.map(({ file }) => file);

describe('runSeconds', () => {
  it('adds the suites that run alone to the time of the busier worker', () => {
    const suites = [suite('a', 60), suite('b', 50), suite('c', 40), suite('d', 30, true)];
    expect(runSeconds(suites)).toBe(90 + 30);
    expect(runSeconds([])).toBe(0);
  });
});

describe('fillBudget', () => {
  it('selects in order until the budget is full, and later suites that still fit', () => {
    const candidates = [suite('a', 100), suite('b', 100), suite('c', 300), suite('d', 50)];
    expect(files(fillBudget([suite('x', 100)], candidates, 200))).toEqual(['a', 'b', 'd']);
  });

  it('counts a suite that runs alone for both workers', () => {
    const candidates = [suite('a', 100, true), suite('b', 50)];
    expect(files(fillBudget([suite('x', 100)], candidates, 180))).toEqual(['b']);
  });

  it('selects nothing when the other suites already exceed the budget', () => {
    expect(fillBudget([suite('x', 500)], [suite('a', 1)], 300)).toEqual([]);
  });

  const suites = fc.array(
    fc.record({ file: fc.string(), seconds: fc.nat(600), alone: fc.boolean() }),
  );

  it('never exceeds the budget', () => {
    fc.assert(
      fc.property(suites, suites, fc.nat(5_000), (always, candidates, budget) => {
        const chosen = fillBudget(always, candidates, budget);
        const seconds = runSeconds([...always, ...chosen]);
        expect(chosen.length === 0 || seconds <= budget).toBe(true);
      }),
    );
  });
});
