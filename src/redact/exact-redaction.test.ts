import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exactRedaction, valueFinder } from './exact-redaction.ts';

describe('exactRedaction', () => {
  it('replaces long values everywhere and short ones as words', () => {
    const redact = exactRedaction(['hunter2', 'correct-horse', 'correct-horse-battery', 'abc']);
    expect(redact('xcorrect-horse-battery hunter2, hunter22 abc')).toBe(
      'x(redacted) (redacted), hunter22 abc',
    );
  });

  it('treats values as text, not as patterns', () => {
    const redact = exactRedaction(['a.c*', '$&$1(x)[y]']);
    expect(redact('a.c* abcc $&$1(x)[y]')).toBe('(redacted) abcc (redacted)');
  });

  it('replaces values that overlap or follow each other completely', () => {
    const redact = exactRedaction(['abcdefgh', 'efghijkl', 'mnopqrst']);
    expect(redact('>abcdefghijkl<')).toBe('>(redacted)<');
    expect(redact('abcdefghmnopqrst, abcdefgh')).toBe('(redacted), (redacted)');
  });

  it('never leaves a value in a text', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 8, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word), fc.array(word), (values, texts) => {
        const result = exactRedaction(values)(texts.join('-'));
        expect(values.filter((value) => result.includes(value))).toEqual([]);
      }),
    );
  });

  it('finds all parts of a text that a value covers', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 7 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), text, (values, searched) => {
        const isCovered = Array.from(searched, () => false);
        for (const value of values)
          for (let at = searched.indexOf(value); at >= 0; at = searched.indexOf(value, at + 1))
            isCovered.fill(true, at, at + value.length);
        const found = Array.from(searched, () => false);
        for (const { start, end } of valueFinder(values, 4)(searched)) found.fill(true, start, end);
        expect(found).toEqual(isCovered);
      }),
    );
  });

  it.each([
    ['the same beginning', (index: number) => `same-beginning-${index}`],
    ['each other as beginning', (index: number) => 'a'.repeat(4 + (index % 400))],
  ])('takes time that does not depend on the number of values with %s', (_, valueOf) => {
    const values = Array.from({ length: 20_000 }, (__, index) => valueOf(index));
    const redact = exactRedaction(values);
    const { user: before } = process.cpuUsage();
    redact(`same-beginning-x ${'a'.repeat(80)}b\n`.repeat(2_000));
    expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  });

  it('takes time that does not depend on the number of values', () => {
    const values = Array.from(
      { length: 30_000 },
      (_, index) => `value-${index * 7919}-of-a-secret`,
    );
    const redact = exactRedaction(values);
    const { user: before } = process.cpuUsage();
    expect(redact('an ordinary line of a log\n'.repeat(100_000))).not.toContain('redacted');
    expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  });
});
