import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { parseJsonWithin, parseYamlWithin, yamlValuesIn } from './documents.ts';
import { JsonStructure } from './json-structure.ts';
import { UntrustedLimitError } from './limits.ts';

const size = 1_000_000;

/** Members and items of a tree, and their levels. */
function countOf(value: unknown): { readonly values: number; readonly depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 0, depth: 0 };
  const inner = Object.values(value).map(countOf);
  return {
    values: inner.length + inner.reduce((sum, { values }) => sum + values, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

const structureOf = (text: string, length = 7): JsonStructure => {
  const structure = new JsonStructure();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) structure.add(bytes.subarray(at, at + length));
  return structure;
};

describe('parseJsonWithin', () => {
  it('returns the value of a text within the limits', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseJsonWithin(JSON.stringify(value), { size })).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it.each([
    ['size', '"aaaa"', { size: 5 }, 'has more than 1 KiB'],
    ['number of values', '[{},{},{}]', { size, values: 5 }, 'has more than 5 values'],
    ['nesting', '['.repeat(1_001), { size }, 'is nested more than 1000 levels deep'],
  ])('rejects a text above the limit of its %s', (_, text, limits, message) => {
    expect(() => parseJsonWithin(text, limits)).toThrow(UntrustedLimitError);
    expect(() => parseJsonWithin(text, limits)).toThrow(message);
  });
});

describe('JsonStructure', () => {
  it('counts at least all members and items, and the exact depth, however the text is cut', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), (value, length) => {
        const { values, depth } = countOf(JSON.parse(JSON.stringify(value)));
        const found = structureOf(JSON.stringify(value), length);
        expect(found.depth).toBe(depth);
        expect(found.values).toBeGreaterThanOrEqual(values);
        expect(found.values).toBeLessThanOrEqual(2 * values + 1);
      }),
    );
  });

  it('counts nothing in strings', () => {
    expect(structureOf(JSON.stringify('[{,"\\]'))).toMatchObject({ values: 0, depth: 0 });
  });
});

describe('parseYamlWithin', () => {
  it('returns the value of a text within the limits', () => {
    expect(parseYamlWithin('a: [1, {b: c}]\n', { size })).toEqual({ a: [1, { b: 'c' }] });
  });

  it.each([
    ['aliases', 'a: &a [1]\nb: *a\n', /maxAliases/],
    ['more values than the limit', `[${'{},'.repeat(30_000)}]`, /has more than 50000 values/],
    ['more than 100 levels', '['.repeat(101), /maxDepth/],
  ])('rejects a text with %s', (_, text, message) => {
    expect(() => parseYamlWithin(text, { size })).toThrow(message);
  });

  it('counts at least all members and items', () => {
    const style = fc.constantFrom({ flowLevel: 0 }, { flowLevel: 2 }, {});
    fc.assert(
      fc.property(fc.jsonValue(), style, (value, options) => {
        const tree: unknown = JSON.parse(JSON.stringify(value));
        expect(yamlValuesIn(dump(tree, options))).toBeGreaterThanOrEqual(countOf(tree).values);
      }),
    );
  });
});
