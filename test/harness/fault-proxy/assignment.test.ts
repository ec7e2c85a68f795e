import { describe, expect, it } from '@jest/globals';
import type { Sort } from './calls.ts';
import { shareOut } from './assignment.ts';
import { faultsOf, kindOf, type Fault, type Rule } from './faults.ts';

const sorts: readonly Sort[] = ['read', 'write', 'watch', 'read', 'write'];
const calls = Array.from({ length: 400 }, (_, index) => ({
  what: `call ${Math.floor(index / 2)}`,
  occurrence: 1 + (index % 2),
  sort: sorts[index % sorts.length] ?? 'read',
}));
const position = ({ what, occurrence }: Pick<Rule, 'what' | 'occurrence'>): string =>
  `${what} ${occurrence}`;

describe('shareOut', () => {
  it.each([1, 7, 8, 13, 40])(
    'assigns one fault to each call when there are %i installations',
    (installs) => {
      const all = shareOut(calls, installs, 5).flat();
      expect(all.map(position).toSorted()).toEqual(calls.map(position).toSorted());
    },
  );

  it.each([1, 7, 8, 13, 26, 40])(
    'uses each fault for each sort of call when there are %i installations',
    (installs) => {
      const sortOf = new Map(calls.map((call) => [position(call), call.sort]));
      const rules = shareOut(calls, installs, 3).flat();
      for (const sort of sorts) {
        const used = rules.filter((rule) => sortOf.get(position(rule)) === sort);
        expect(new Set(used.map(({ fault }) => fault))).toEqual(new Set(faultsOf[sort]));
      }
    },
  );

  it.each([13, 16, 40])(
    'limits slow faults per installation to the average plus 3 when there are %i installations',
    (installs) => {
      const slow = (rules: readonly Rule[]): number =>
        rules.filter(({ fault }) => kindOf(fault) === 'timeout').length;
      const counts = shareOut(calls, installs, 0).map(slow);
      const most = Math.max(...counts);
      const average = counts.reduce((sum, count) => sum + count, 0) / installs;
      expect(most).toBeLessThanOrEqual(average + 3);
    },
  );

  it('assigns other faults when the seed changes, and the same faults when the seed is equal', () => {
    const faults = (seed: number): Fault[] =>
      shareOut(calls, 40, seed).flatMap((rules) => rules.map(({ fault }) => fault));
    expect(faults(1)).toEqual(faults(1));
    expect(faults(1).filter((fault, index) => fault === faults(2)[index])).toEqual([]);
  });
});
