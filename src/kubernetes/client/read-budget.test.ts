import { describe, expect, it } from '@jest/globals';
import { isTooLarge } from './limits.ts';
import type { ReadBudget } from '../fairness/origin.ts';
import { ReadBudgets } from './read-budget.ts';

const MIB = 1_048_576;

/** Adds a response of 8 MiB. @returns whether there was room */
function hasRoom(budget: ReadBudget): boolean {
  try {
    budget.add(8 * MIB, 'get secrets');
    return true;
  } catch (error) {
    expect(isTooLarge(error)).toBe(true);
    return false;
  }
}

const times = (count: number, budget: ReadBudget): readonly boolean[] =>
  Array.from({ length: count }, () => hasRoom(budget));

describe('ReadBudgets', () => {
  it('rejects a response when a reconcile keeps more than 24 MiB', () => {
    expect(times(4, new ReadBudgets().begin('team'))).toEqual([true, true, true, false]);
  });

  it('rejects a response when the reconciles of a namespace keep more than 96 MiB', () => {
    const budgets = new ReadBudgets();
    const all = Array.from({ length: 6 }, () => budgets.begin('team'));
    expect(all.flatMap((budget) => times(2, budget)).every(Boolean)).toBe(true);
    expect(hasRoom(budgets.begin('team'))).toBe(false);
    expect(hasRoom(budgets.begin('other'))).toBe(true);
  });

  it('has room again when a reconcile has ended, and does not count what its background tasks read', () => {
    const budgets = new ReadBudgets();
    for (let round = 0; round < 100; round += 1) {
      const budget = budgets.begin('team');
      expect(times(4, budget).at(-1)).toBe(false);
      budget.end();
      budget.end();
      expect(times(10, budget).every(Boolean)).toBe(true);
    }
  });
});
