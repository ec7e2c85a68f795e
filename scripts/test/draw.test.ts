import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { draw, drawOrder } from './draw.ts';

const titles = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const seeds = Array.from({ length: 100 }, (_, seed) => seed);

describe('drawOrder', () => {
  it('puts every title first for some seed', () => {
    expect(new Set(seeds.map((seed) => drawOrder(titles, seed)[0]))).toEqual(new Set(titles));
  });

  it('keeps the order of the other titles when one is added', () => {
    for (const seed of seeds)
      expect(drawOrder([...titles, 'new'], seed).filter((title) => title !== 'new')).toEqual(
        drawOrder(titles, seed),
      );
  });
});

describe('draw', () => {
  it('returns the requested number in order, and the same titles for the same seed', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { maxLength: 30 }),
        fc.nat(30),
        fc.integer(),
        (some, count, seed) => {
          const first = draw(some, count, seed);
          expect(first).toHaveLength(Math.min(count, some.length));
          expect(some.filter((title) => first.includes(title))).toEqual(first);
          expect(draw(some, count, seed)).toEqual(first);
        },
      ),
    );
  });
});
