/** @tier test */
import { describe, expect, it } from '@jest/globals';
import { fuzz, MAX_MEMORY, type FuzzTools } from './fuzz.ts';
import { newInput, randomOf } from './mutate.ts';
import type { UntrustedParser } from './parser.ts';
import { PARSERS } from './parsers.ts';
import { fuzzReport } from './report.ts';

class Rejected extends Error {
  override readonly name = 'Rejected';
}

const parserOf = (parse: UntrustedParser['parse'], limit = 1_000): UntrustedParser => ({
  name: 'sample',
  parse,
  limit,
  errors: ['Rejected'],
  seeds: [Buffer.from('seed')],
  tokens: ['bad', 'x'],
});

/** A clock that advances by one with each look, and memory that grows by `allocated` with each input. */
function toolsOf(allocated = 0): FuzzTools {
  let [time, memory] = [0, 0];
  return {
    random: randomOf(7),
    now: () => (time += 1),
    memory: () => (memory += allocated),
    usedMemory: () => (memory += allocated),
  };
}

describe('newInput', () => {
  it('makes the same inputs of the same seed', () => {
    const inputs = (seed: number): readonly string[] => {
      const random = randomOf(seed);
      const parser = parserOf(() => undefined);
      return Array.from({ length: 50 }, () => newInput(parser, [], random).toString('hex'));
    };
    expect(inputs(1)).toEqual(inputs(1));
    expect(inputs(1)).not.toEqual(inputs(2));
  });

  it('makes inputs up to just above the limit', () => {
    const random = randomOf(3);
    const parser = parserOf(() => undefined, 100);
    const lengths = Array.from({ length: 500 }, () => newInput(parser, [], random).length);
    expect(Math.max(...lengths)).toBe(101);
  });
});

describe('fuzz', () => {
  it('counts the inputs that the parser rejects', async () => {
    const parser = parserOf(() => {
      throw new Rejected('no');
    });
    const { inputs, rejected, findings } = await fuzz(parser, [], 300, toolsOf());
    expect(inputs).toBeGreaterThan(10);
    expect([rejected, findings]).toEqual([inputs, []]);
  });

  it('begins with the seeds and the kept inputs, and reports those with which the parser fails', async () => {
    const parser = parserOf((input) => {
      if (input.toString() === 'kept') throw new TypeError('a bug');
    });
    const result = await fuzz(parser, [Buffer.from('kept')], 1, toolsOf());
    expect(result.inputs).toBe(2);
    expect(result.findings.map(({ input }) => input.toString())).toEqual(['kept']);
    expect(fuzzReport(result, ['path'])).toMatch(
      /^sample: 1 problems; 2 inputs.*\n {2}path: TypeError: a bug/,
    );
  });

  it('reports a result that keeps too much memory', async () => {
    const { findings, mostMemory } = await fuzz(
      parserOf(() => []),
      [],
      1,
      toolsOf(2 * MAX_MEMORY),
    );
    expect(mostMemory).toBeGreaterThan(MAX_MEMORY);
    expect(findings[0]?.problem).toMatch(/^the result keeps \d+ bytes$/);
  });
});

describe('parsers of untrusted data', () => {
  it.each(PARSERS.map((parser) => [parser.name, parser] as const))(
    'accept or reject each input: %s',
    async (_, parser) => {
      const tools = { ...toolsOf(), random: randomOf(1) };
      const { findings } = await fuzz(parser, [], 200, tools);
      expect(findings.map(({ problem }) => problem)).toEqual([]);
    },
  );
});
