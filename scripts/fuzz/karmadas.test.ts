/**
 * The time of each pure function that the spec of a Karmada runs through grows in proportion to the spec.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { exactRedaction } from '../../src/redact/exact-redaction.ts';
import { growthOf, LARGEST_GROWTH, slowStages } from './growth.ts';
import { largeKarmada, LARGE_SPECS, STAGES } from './karmadas.ts';

const LENGTH = 32_768;

describe('functions of the spec of a Karmada', () => {
  it.each(Object.entries(LARGE_SPECS))(
    'take time in proportion to the spec: %s',
    async (_, specOf) => {
      const input = (length: number) => largeKarmada(specOf(length));
      expect(await slowStages(STAGES, { input, length: LENGTH })).toEqual([]);
    },
    300_000,
  );
});

describe('exactRedaction', () => {
  const values = (length: number, valueOf: (index: number) => string): readonly string[] =>
    Array.from({ length: Math.floor(length / 16) }, (_, index) => valueOf(index));

  it.each<[string, (length: number) => readonly string[]]>([
    [
      'values with the same beginning',
      (length) => values(length, (index) => `same-start-${index}`),
    ],
    ['values that contain each other', (length) => nested(length)],
    ['long values of one character', (length) => ['a'.repeat(length / 2), 'a'.repeat(length / 4)]],
  ])('takes time in proportion to values and text: %s', async (_, valuesOf) => {
    const factor = await growthOf({
      input: (length) => ({ values: valuesOf(length), text: textOf(valuesOf(length), length) }),
      run: (input) => exactRedaction(input.values)(input.text),
      length: LENGTH,
    });
    expect(factor).toBeLessThanOrEqual(LARGEST_GROWTH);
  });

  /** Values with 4, 5, 6 … characters that have this length together. */
  function nested(length: number): readonly string[] {
    return Array.from({ length: Math.floor(Math.sqrt(2 * length)) }, (_, index) =>
      'a'.repeat(index + 4),
    );
  }

  /** A text in which each value almost occurs. */
  const textOf = (all: readonly string[], length: number): string =>
    all
      .map((value) => value.slice(0, -1))
      .join('_')
      .repeat(2)
      .slice(0, length);
});
