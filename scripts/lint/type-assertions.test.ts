import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { ASSERTIONS } from './assertions.ts';
import { typeAssertions } from './type-assertions.ts';

const linter = new Linter();

const found = (code: string, count?: number): readonly (string | undefined)[] =>
  linter
    .verify(code, {
      languageOptions: { parser: tseslint.parser },
      plugins: { operator: { rules: { 'type-assertions': typeAssertions } } },
      rules: {
        'operator/type-assertions': count === undefined ? 'error' : ['error', count],
      },
    })
    .map(({ messageId }) => messageId);

describe('typeAssertions', () => {
  it.each([
    [
      'an assertion in a file without a number',
      'export const a = b as string;',
      undefined,
      ['other'],
    ],
    [
      'more assertions than the number',
      'export const a = [b as string, c as number];',
      1,
      ['other'],
    ],
    ['fewer assertions than the number', 'export const a = b as string;', 2, ['other']],
    ['an assertion of an assertion', 'export const a = b as unknown as string;', 2, ['double']],
  ])('reports %s', (_, code, count, messages) => {
    expect(found(code, count)).toEqual(messages);
  });

  it.each([
    ['no assertion', 'export const a: string = b;', undefined],
    ['constants', "export const a = ['b'] as const;", undefined],
    ['types that are satisfied', 'export const a = b satisfies string;', undefined],
    ['as many assertions as the number', 'export const a = b as string;', 1],
  ])('accepts %s', (_, code, count) => {
    expect(found(code, count)).toEqual([]);
  });
});

describe('ASSERTIONS', () => {
  it('has at most 60 assertions', () => {
    const sum = Object.values(ASSERTIONS).reduce((one, other) => one + other, 0);
    expect(sum).toBeLessThanOrEqual(60);
  });
});
