import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { codePoint } from '../../../test/harness/code-point.ts';
import { structured } from './structured.ts';
import { printableLines } from './text.ts';

describe('structured', () => {
  it.each(['json', 'yaml'] as const)('escapes what a terminal interprets in %s', (format) => {
    const unit = fc.oneof(codePoint, fc.constantFrom('\u009b', '\u202e', '\u001b', '\u2028', '\n'));
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit }), fc.string({ unit })), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        const text = structured(value, format);
        expect(printableLines(text, false)).toBe(text);
        expect(load(text)).toEqual(plain);
      }),
    );
  });

  it('prints other values as YAML', () => {
    expect(structured({ a: ['b'] }, 'yaml')).toBe('a:\n  - b\n');
  });
});
