import { describe, expect, it } from '@jest/globals';
import { ParseBudgets } from './parse-budgets.ts';

function setUp() {
  let now = 0;
  const budgets = new ParseBudgets({ monotonic: () => now });
  const pass = (ms: number): void => void (now += ms);
  /** Parses texts of 10 ms until there is no room. @returns how many */
  const parsed = (namespace: string): number => {
    let count = 0;
    for (; budgets.hasRoom(namespace); count += 1) budgets.run(namespace, () => pass(10));
    return count;
  };
  return { budgets, pass, parsed };
}

describe('ParseBudgets', () => {
  it('has room for five seconds of a namespace, and then for a fifth of the time', () => {
    const { pass, parsed } = setUp();
    expect(parsed('a')).toBe(623);
    pass(1_000);
    expect(parsed('a')).toBe(25);
    expect(parsed('b')).toBe(623);
  });

  it('has no room for millions of tiny texts', () => {
    const { budgets } = setUp();
    let count = 0;
    for (; budgets.hasRoom('a') && count < 1_000_000; count += 1) budgets.run('a', () => undefined);
    expect(count).toBeGreaterThan(100_000);
    expect(count).toBeLessThan(200_000);
  });

  it('counts the time of work that fails', () => {
    const { budgets, pass } = setUp();
    const fail = (): void =>
      budgets.run('a', () => {
        pass(6_000);
        throw new SyntaxError('no JSON');
      });
    expect(fail).toThrow('no JSON');
    expect([budgets.hasRoom('a'), budgets.hasRoom('b')]).toEqual([false, true]);
  });

  it('forgets namespaces that have earned all their time again', () => {
    const { budgets, pass } = setUp();
    for (let index = 0; index < 5_000; index += 1) budgets.run(`n${index}`, () => pass(1));
    pass(60_000);
    expect(budgets.hasRoom('n4999')).toBe(true);
  });
});
