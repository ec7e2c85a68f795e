import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { hasModifiers, patternModifiers } from './pattern-modifiers.ts';

describe('hasModifiers', () => {
  it.each(['(?i:a)', 'a|(?-i:b)', '(?im-s:a)', '(?s:.)', '(?:(?m:^a))'])(
    'is true for %s',
    (text) => {
      expect(hasModifiers(text)).toBe(true);
    },
  );

  it.each(['(?:a)', '(?=a)', '(?!a)', '(?<=i:)', '(?<i>a)', 'x?i:', '(?i)a', '(?-:a)'])(
    'is false for %s',
    (text) => {
      expect(hasModifiers(text)).toBe(false);
    },
  );
});

describe('patternModifiers', () => {
  const linter = new Linter();
  const found = (code: string): number =>
    linter.verify(code, {
      plugins: { operator: { rules: { 'pattern-modifiers': patternModifiers } } },
      rules: { 'operator/pattern-modifiers': 'error' },
    }).length;

  it.each([
    ['a regular expression', 'export const a = /(?i:b)/;'],
    ['a string', "export const a = new RegExp('(?-i:b)', 'i');"],
    ['a template', 'export const a = (b) => new RegExp(`(?-i:${b})`, "i");'],
    ['a raw template', 'export const a = String.raw`\\d(?s:.)`;'],
  ])('reports modifiers in %s', (_, code) => {
    expect(found(code)).toBe(1);
  });

  it('reports no other group and no other literal', () => {
    expect(found('export const a = [/(?:b)/i, 1, null, true, 2n, `(?:${"c"})`];')).toBe(0);
  });
});
