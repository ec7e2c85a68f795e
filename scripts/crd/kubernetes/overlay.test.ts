import { describe, expect, it } from '@jest/globals';

import { lay, typeNames, withRules, type NamedSchema } from './overlay.ts';

const number: NamedSchema = { typeName: 'Part', type: 'integer', format: 'int32' };
const text: NamedSchema = { typeName: 'Part', type: 'string' };
const schema: NamedSchema = {
  typeName: 'Whole',
  type: 'object',
  required: ['list'],
  properties: {
    list: { type: 'array', items: number },
    map: { type: 'object', additionalProperties: text },
  },
};

describe('withRules', () => {
  it('adds the rules at every occurrence of a type and removes the type names', () => {
    const rule = { rule: 'true', message: 'm' };
    const laid = withRules(schema, {
      Part: { maximum: 5 },
      Whole: { required: ['map', 'list'], fields: { map: { maxProperties: 2 } }, rules: [rule] },
    });
    expect(laid).toEqual({
      type: 'object',
      required: ['list', 'map'],
      properties: {
        list: {
          type: 'array',
          items: { type: 'integer', minimum: -(2 ** 31), maximum: 5 },
        },
        map: {
          type: 'object',
          maxProperties: 2,
          additionalProperties: { type: 'string', maximum: 5 },
        },
      },
      'x-kubernetes-validations': [rule],
    });
    expect(typeNames(schema)).toEqual(['Whole', 'Part', 'Part']);
  });

  it.each([
    [{ fields: { gone: {} } }, 'gone'],
    [{ items: {} }, 'items'],
    [{ values: {} }, 'values'],
  ])('throws when the overlay %j names a part that the schema lacks', (overlay, name) => {
    expect(() => lay({ type: 'object', properties: {} }, overlay)).toThrow(
      `The overlay names ${name}, which the schema does not have.`,
    );
  });
});
