import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergePatch } from './merge-patch.ts';

type Json = Record<string, unknown>;

/** MergePatch of RFC 7396, section 2. */
function patched(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const result: Json = isObject ? { ...(target as Json) } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, field);
    else result[field] = patched(result[field], value);
  }
  return result;
}

const field = fc.constantFrom('a', 'b', 'c');
const { json } = fc.letrec<{ json: Json; value: unknown }>((tie) => ({
  json: fc.dictionary(field, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: 0, max: 2 }),
    fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
    tie('json'),
  ),
}));

describe('mergePatch', () => {
  it.each([
    [{}, { a: 1 }, { a: 1 }],
    [{ a: 1, b: 2 }, { a: 1 }, { a: 1, b: null }],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: null, c: 3 } }],
    [{ a: [1] }, { a: [2] }, { a: [2] }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ constructor: 'a' }, {}, { constructor: null }],
  ])('from %j to %j returns %j', (before, after, patch) => {
    expect(mergePatch(before, after)).toEqual(patch);
  });

  it('removes a nested field that is gone', () => {
    const upgrade = { from: 'v1.17.1', to: 'v1.18.2' };
    expect(mergePatch({ upgrade: { ...upgrade, next: ['v1.18.2'] } }, { upgrade })).toEqual({
      upgrade: { ...upgrade, next: null },
    });
  });

  it('removes a field that is undefined, and omits one that never existed', () => {
    const after = { gone: undefined, never: undefined, kept: 1 };
    expect(mergePatch({ gone: 1, kept: 0 }, after)).toEqual({ gone: null, kept: 1 });
  });

  it('changes every object into every other one', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(patched(before, mergePatch(before, after))).toEqual(after);
      }),
    );
  });
});
