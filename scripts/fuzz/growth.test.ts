/**
 * The time of each parser grows in proportion to its input.
 *
 * @size medium
 * @tier test
 */
import { describe, expect, it } from '@jest/globals';
import { growth, LARGEST_GROWTH } from './growth.ts';
import { PARSERS } from './parsers.ts';

describe('parsers of untrusted data', () => {
  it.each(PARSERS.map((parser) => [parser.name, parser] as const))(
    'take time in proportion to the input: %s',
    async (_, parser) => {
      const slow: string[] = [];
      for (const token of parser.tokens) {
        const factor = await growth(parser, token);
        if (factor > LARGEST_GROWTH) slow.push(`${JSON.stringify(token)}: ${factor.toFixed(1)}`);
      }
      expect(slow).toEqual([]);
    },
    300_000,
  );

  it('is shown by a quadratic parser', async () => {
    const quadratic = (input: Buffer): unknown =>
      input
        .toString('latin1')
        .match(new RegExp('-----BEGIN [^-]+-----[^]*?-----END [^-]+-----', 'g'));
    const parser = {
      name: 'x',
      errors: [],
      seeds: [],
      tokens: [],
      limit: 32_768,
      parse: quadratic,
    };
    expect(await growth(parser, '-----BEGIN A-----')).toBeGreaterThan(LARGEST_GROWTH);
  });
});
