import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sizeOf } from './size-of.ts';

describe('sizeOf', () => {
  it('is the length of a long string, and close to that of the text of an object', () => {
    expect(sizeOf('x'.repeat(1_000))).toBeGreaterThanOrEqual(1_000);
    const secret = {
      metadata: { name: 'a', labels: { b: 'c' } },
      data: { key: 'x'.repeat(5_000) },
    };
    expect(sizeOf(secret) / JSON.stringify(secret).length).toBeCloseTo(1, 1);
  });

  it('is at least half of the length of the text of any JSON value without escapes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value).replaceAll(/\\(u[0-9a-f]{4}|.)/g, '');
        expect(sizeOf(value)).toBeGreaterThanOrEqual(text.length / 2 - 16);
      }),
    );
  });

  it('measures a value that is nested deeply', () => {
    let value: unknown = 'x';
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    expect(sizeOf(value)).toBeGreaterThan(200_000);
  });

  it('grows with each added field', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, key) => {
        fc.pre(!Object.hasOwn(object, key) && key !== '__proto__');
        expect(sizeOf({ ...object, [key]: 1 })).toBeGreaterThan(sizeOf(object));
      }),
    );
  });
});
