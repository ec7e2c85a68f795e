import { describe, expect, it } from '@jest/globals';
import { REDACTED } from '../redact/redacted.ts';
import { createQuoter } from './quote.ts';
import { Redactions } from './redactions.ts';
import type { Setting } from './vocabulary.ts';

const settingsOf = (values: readonly string[]): readonly Setting[] =>
  values.map((value) => ({ name: 'A', value }));

const quoterFor = (...values: readonly string[]): ReturnType<typeof createQuoter> =>
  createQuoter(() => new Redactions().of([['etcd', settingsOf(values)]])('etcd'));

/** All parts of the text that replaces a value. */
const ofReplacement = (): readonly string[] =>
  Array.from({ length: REDACTED.length }, (_, start) => start).flatMap((start) =>
    Array.from({ length: REDACTED.length - start }, (_, more) =>
      REDACTED.slice(start, start + more + 1),
    ),
  );

describe('createQuoter', () => {
  it('never searches what replaces a value', () => {
    const text = `panic: ${REDACTED.repeat(200)} ${'acte '.repeat(400)}`;
    const [line = ''] = quoterFor(ofReplacement().join(' ')).safeLines(text);
    expect(line.length).toBeLessThanOrEqual(3 * text.length);
    expect(line.startsWith(`panic: ${REDACTED} `)).toBe(true);
  });

  it('replaces a long value that is cut off', () => {
    const value = Array.from({ length: 500 }, (_, index) => String.fromCodePoint(0x400 + index));
    const text = `panic: ${value.slice(0, 300).join('')}`;
    expect(quoterFor(value.join('')).safeLines(text)).toEqual([
      `panic: (redacted)${value.slice(256, 300).join('')}`,
    ]);
  });

  it('derives the redaction only for a quote, and once', () => {
    let reads = 0;
    const quoter = createQuoter(() => {
      reads += 1;
      return new Redactions().of([['etcd', settingsOf(['hunter22'])]])('etcd');
    });
    expect(reads).toBe(0);
    expect(quoter.quoted('sent hunter22')).toBe('sent (redacted)');
    expect(quoter.quoted('sent hunter22 again')).toBe('sent (redacted) again');
    expect(reads).toBe(1);
  });

  it.each([
    ['many characters', ['x'.repeat(32_769)]],
    ['many values', Array.from({ length: 1_001 }, (_, index) => `value-${index}`)],
    [
      'a value with many parts',
      [Array.from({ length: 1_001 }, (_, index) => `w${index}wx`).join(' ')],
    ],
  ])('quotes nothing when the spec has %s', (_, values) => {
    const quoter = quoterFor(...values);
    expect(quoter.safeLines('Error: x')).toEqual([]);
    expect(quoter.quoted('Error: x')).toBeUndefined();
  });

  it('quotes no text that names a secret next to unknown words', () => {
    expect(quoterFor().quoted('the password hunter is wrong')).toBeUndefined();
    expect(quoterFor().quoted('the token is invalid')).toBe('the token is invalid');
  });

  it('quotes no word that may be cut off', () => {
    const text = `${'hunter22'.repeat(40)} hunte`;
    expect(quoterFor('hunter22').quoted(text)).toBe('(redacted)');
  });
});
