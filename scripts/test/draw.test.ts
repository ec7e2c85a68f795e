import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { draw, drawOrder } from './draw.ts';
import type { CaseResult } from './ledger.ts';

const titles = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function row(title: string, date: string, result: CaseResult['result'] = 'passed'): CaseResult {
  return { case: title, result, key: 'k', seed: 1, commit: 'c', date, seconds: 1 };
}

const all = (date: string): CaseResult[] => titles.map((title) => row(title, date));

describe('drawOrder', () => {
  it('starts with failed cases, and alternates between the oldest case and one of the seed', () => {
    const known = titles.map((title, day) =>
      row(title, `2026-01-0${String(day + 1)}`, title === 'h' ? 'failed' : 'passed'),
    );
    for (let seed = 0; seed < 50; seed += 1) {
      const order = drawOrder(titles, known, seed);
      expect(order.slice(0, 2)).toEqual(['h', 'a']);
      expect(order.toSorted()).toEqual(titles);
    }
    const third = Array.from({ length: 50 }, (_, seed) => drawOrder(titles, known, seed)[2]);
    expect(new Set(third)).toEqual(new Set(['b', 'c', 'd', 'e', 'f', 'g']));
  });
});

describe('draw', () => {
  it('selects all cases when there are at most as many as requested', () => {
    expect(draw(titles, 8, [], 1)).toEqual(titles);
  });

  it('selects one half from the cases that passed longest ago', () => {
    const known = all('2026-02-02').map((one) =>
      one.case === 'c' || one.case === 'f' ? { ...one, date: '2026-01-01' } : one,
    );
    for (let seed = 0; seed < 50; seed += 1)
      expect(draw(titles, 4, known, seed)).toEqual(expect.arrayContaining(['c', 'f']));
  });

  it('prefers a case that never ran', () => {
    const known = all('2020-01-01').filter((one) => one.case !== 'g');
    for (let seed = 0; seed < 50; seed += 1) expect(draw(titles, 1, known, seed)).toEqual(['g']);
  });

  it('selects all failed cases when they are more than requested', () => {
    const known = [row('a', '2026-01-01', 'failed'), row('h', '2026-01-01', 'failed')];
    for (let seed = 0; seed < 50; seed += 1) {
      expect(draw(titles, 3, known, seed)).toEqual(expect.arrayContaining(['a', 'h']));
      expect(draw(titles, 1, known, seed)).toEqual(['a', 'h']);
    }
  });

  it('selects every case for some seed when no results are recorded', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 100; seed += 1)
      for (const one of draw(titles, 2, [], seed)) seen.add(one);
    expect([...seen].sort()).toEqual(titles);
  });

  it('returns the requested number in order, and the same cases for the same seed', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { maxLength: 30 }),
        fc.nat(30),
        fc.integer(),
        (some, count, seed) => {
          const first = draw(some, count, [], seed);
          expect(first).toHaveLength(Math.min(count, some.length));
          expect(some.filter((title) => first.includes(title))).toEqual(first);
          expect(draw(some, count, [], seed)).toEqual(first);
        },
      ),
    );
  });
});
