import { describe, expect, it } from '@jest/globals';

import { compact, compactRule, published } from './compact.ts';
import { SHOWN, type Schema } from './schema.ts';

describe('compactRule', () => {
  it.each([
    ['!has(self.a) || self.a != b && c <= 1', '!has(self.a)||self.a!=b&&c<=1'],
    ["self.all(k, k in ['a b', 'c'] ? r : -1 + 2)", "self.all(k,k in ['a b','c']?r:-1+2)"],
    ["k.matches(r'a , b') && x == 'it\\'s a && b'", "k.matches(r'a , b')&&x=='it\\'s a && b'"],
    ['r == "a \\" , b" && or', 'r=="a \\" , b"&&or'],
  ])('removes only the spaces around operators from %s', (rule, compacted) => {
    expect(compactRule(rule)).toBe(compacted);
  });
});

describe('compact', () => {
  const atomic: Schema = { type: 'object', 'x-kubernetes-map-type': 'atomic' };

  it('drops the map type of objects inside an atomic list', () => {
    expect(
      compact({
        type: 'object',
        properties: {
          alone: atomic,
          listed: { type: 'array', items: { type: 'object', properties: { deep: atomic } } },
          merged: { type: 'array', 'x-kubernetes-list-type': 'map', items: atomic },
        },
      }),
    ).toEqual({
      type: 'object',
      properties: {
        alone: atomic,
        listed: {
          type: 'array',
          items: { type: 'object', properties: { deep: { type: 'object' } } },
        },
        merged: { type: 'array', 'x-kubernetes-list-type': 'map', items: atomic },
      },
    });
  });

  it('drops merge keys and the fields of items of a list that must be empty', () => {
    const optional: Schema = { type: 'object', properties: { a: { type: 'string' } } };
    const list: Schema = {
      ...{ type: 'array', items: { ...optional, required: ['a'] }, maxItems: 0 },
      ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] },
    };
    const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    expect(compact(list)).toEqual({ type: 'array', items: any, maxItems: 0 });
    expect(compact({ ...list, maxItems: 1 })).toEqual({ ...list, maxItems: 1 });
  });

  it('keeps every rule with its message', () => {
    const rule = { rule: 'a && b', message: 'a && b', fieldPath: '.a' };
    expect(
      compact({ type: 'object', additionalProperties: { 'x-kubernetes-validations': [rule] } }),
    ).toEqual({
      type: 'object',
      additionalProperties: { 'x-kubernetes-validations': [{ ...rule, rule: 'a&&b' }] },
    });
  });
});

describe('published', () => {
  it('removes the disclosure from every part of a schema', () => {
    const text: Schema = { type: 'string', ...SHOWN };
    const plain = { type: 'string' };
    expect(
      published({
        type: 'object',
        properties: { one: text, many: { type: 'array', items: text } },
        additionalProperties: text,
      }),
    ).toEqual({
      type: 'object',
      properties: { one: plain, many: { type: 'array', items: plain } },
      additionalProperties: plain,
    });
  });
});
