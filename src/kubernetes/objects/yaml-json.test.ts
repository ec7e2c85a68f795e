import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import { load } from 'js-yaml';

import { jsonForYaml } from './yaml-json.ts';

describe('jsonForYaml', () => {
  it.each([
    ['a: {b', '"a: {b"'],
    ['a\u2028b\u2029c\u0085d', '"a\\u2028b\\u2029c\\u0085d"'],
    ['\ufeff\u007f\u009f\u00a0\uffff', '"\\ufeff\\u007f\\u009f\\u00a0\\uffff"'],
    ['é日', '"\\u00e9\\u65e5"'],
    ['💥', '"💥"'],
    ['\u0000\t\n', '"\\u0000\\t\\n"'],
  ])('serializes %j', (text, expected) => {
    expect(jsonForYaml(text)).toBe(expected);
    expect(jsonForYaml({ [text]: [text] })).toBe(`{${expected}:[${expected}]}`);
  });

  it('returns text with the same value in JSON and YAML', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: codePoint })), (value) => {
        const text = jsonForYaml(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect({ ...(load(text) as object) }).toEqual({ ...value });
      }),
    );
  });
});
