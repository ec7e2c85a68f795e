import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Schema } from '../../scripts/crd/schema.ts';
import { NEVER_ACCEPTED } from '../integration/generated/exceptions.ts';
import { leafSchemas } from '../integration/generated/schema.ts';
import { valueOf } from '../integration/generated/values.ts';

/** Texts with a pattern, unless no value of them is accepted. Quantities are made elsewhere. */
const withPattern = leafSchemas().filter(
  ({ path, schema: { type, pattern } }) =>
    type === 'string' &&
    pattern !== undefined &&
    !NEVER_ACCEPTED.some(({ paths }) => paths.test(path)),
);

/** A pattern of the CRD, which the API server reads as Go does: `(?i)` after `^` is a flag here. */
function patternOf({ pattern = '' }: Schema): RegExp {
  return new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? 'i' : '');
}

function refused(path: string, schema: Schema): readonly unknown[] {
  const values = fc.sample(valueOf(path, schema), { numRuns: 50, seed: 1 });
  return [...new Set(values)].filter((value) => !patternOf(schema).test(String(value)));
}

// Only some draws of `npm test` send generated Karmadas to an API server.
describe('sensible values of generated Karmadas', () => {
  it('match the patterns of the CRD', () => {
    expect(withPattern.length).toBeGreaterThan(10);
    const wrong = withPattern.map(({ path, schema }) => [path, refused(path, schema)] as const);
    expect(wrong.filter(([, values]) => values.length > 0)).toEqual([]);
  });
});
