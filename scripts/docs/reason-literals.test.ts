import { describe, expect, it } from '@jest/globals';
import { reasonsIn } from './reason-literals.ts';

const found = (...texts: string[]): readonly string[] =>
  [...reasonsIn(texts.map((text, at) => ({ file: `${at}.ts`, text }))).literals.keys()].sort();

describe('reasonsIn', () => {
  it.each([
    ['of a property', `const a = { reason: 'One', message: '' };`, ['One']],
    ['of both branches', `const a = { reason: bad ? 'One' : 'Two' };`, ['One', 'Two']],
    ['of a constant', `const X = 'One'; const a = { reason: X };`, ['One']],
    ['of a shorthand property', `const reason = 'One'; const a = { reason };`, ['One']],
    [
      'of an object constant',
      `const R = { a: 'One', b: 'Two' } as const; f({ reason: R[x] });`,
      ['One', 'Two'],
    ],
    [
      'of one property of a constant',
      `const R = { a: 'One', b: 'Two' }; f({ reason: R.b });`,
      ['Two'],
    ],
    ['of an argument', `function f(a: A, reason: string) {} f(x, 'One');`, ['One']],
    [
      'of an argument of a local function',
      `const f = (reason: string): P => p; f('One');`,
      ['One'],
    ],
    [
      'of an argument of a class',
      `class E { constructor(reason: string) {} } new E('One');`,
      ['One'],
    ],
    ['of no sentence', `const a = { reason: 'fills caches' };`, []],
    ['of no type', `interface A { reason: 'One' | 'Two' }`, []],
  ])('finds the reason %s', (_title, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('follows imported constants and functions', () => {
    const source = `export const R = { a: 'One' }; export function when(h: boolean, reason: string) {}`;
    const user = `import { R, when } from './0.ts'; f({ reason: R.a }); when(true, 'Two');`;
    expect(found(source, user)).toEqual(['One', 'Two']);
  });

  it('takes no function of another file that is not imported', () => {
    const other = 'const f = (reason: string): P => p;';
    expect(found(other, `f('One');`)).toEqual([]);
  });

  it('finds the suffix of a template', () => {
    const text = 'const a = { reason: `${problem.reason}Blocked` };';
    expect([...reasonsIn([{ file: 'a.ts', text }]).suffixes]).toEqual(['Blocked']);
  });

  it('gives the place of a reason', () => {
    const text = `const a = 1;\nconst b = { reason: 'One' };`;
    expect(reasonsIn([{ file: 'a.ts', text }]).literals.get('One')).toBe('a.ts:2');
  });
});
