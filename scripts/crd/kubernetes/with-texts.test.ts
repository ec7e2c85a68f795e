import { describe, expect, it } from '@jest/globals';
import type { NamedSchema } from './overlay.ts';
import { unusedTexts, withTexts } from './with-texts.ts';

const part: NamedSchema = {
  typeName: 'Part',
  type: 'object',
  properties: { size: { type: 'integer' } },
};
const whole: NamedSchema = {
  typeName: 'Whole',
  type: 'object',
  properties: { list: { type: 'array', items: part }, one: part },
};
const texts = { Part: { size: 'Size.' }, Whole: { list: 'Parts.', one: 'A part.' } };

describe('withTexts', () => {
  it('describes each field of each type in the schema', () => {
    const described = { ...part, properties: { size: { type: 'integer', description: 'Size.' } } };
    expect(withTexts(whole, texts)).toEqual({
      ...whole,
      properties: {
        list: { type: 'array', description: 'Parts.', items: described },
        one: { ...described, description: 'A part.' },
      },
    });
  });

  it('throws when a field has no description', () => {
    expect(() => withTexts(whole, { ...texts, Part: {} })).toThrow('Part.size has no description.');
  });
});

describe('unusedTexts', () => {
  it.each([
    ['none', texts, []],
    ['a field that no type has', { ...texts, Part: { size: '', gone: '' } }, ['Part.gone']],
    ['a type that no schema has', { ...texts, Gone: { a: '' } }, ['Gone.a']],
  ])('returns %s', (_title, given, expected) => {
    expect(unusedTexts([whole], given)).toEqual(expected);
  });
});
