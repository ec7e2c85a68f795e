import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import { ageText, columns, daysUntil, palette, printable, treeLines, usesColors } from './text.ts';

describe('printable', () => {
  it('removes every control character and terminal sequence', () => {
    expect(printable('a\u001b[31mred\u001b[0m\nb\u0007')).toBe('ared b ');
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe('columns', () => {
  it('aligns cells, also with colors, without trailing spaces', () => {
    const { good } = palette(true);
    expect(
      columns([
        ['A', 'B'],
        [good('ok'), 'x'],
        ['long', ''],
      ]),
    ).toEqual(['A      B', `${good('ok')}     x`, 'long']);
    expect(columns([])).toEqual([]);
  });
});

it('treeLines draws nested nodes', () => {
  const nodes = [{ text: 'a', children: [{ text: 'b' }, { text: 'c' }] }, { text: 'd' }];
  expect(treeLines(nodes)).toEqual(['├─ a', '│  ├─ b', '│  └─ c', '└─ d']);
});

it.each([
  [-5, '0s'],
  [119_000, '119s'],
  [120_000, '2m'],
  [7_200_000, '2h'],
  [172_800_000, '2d'],
  [NaN, '<unknown>'],
])('ageText shows %d ms as %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});

it('daysUntil counts whole days, negative after the time', () => {
  expect([daysUntil(86_400_000, 0), daysUntil(86_399_999, 0), daysUntil(0, 1)]).toEqual([1, 0, -1]);
});

it.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
])('usesColors on a terminal %s with %j is %s', (isTerminal, variables, expected) => {
  expect(usesColors({ output: { write: () => undefined, isTerminal }, variables })).toBe(expected);
});
