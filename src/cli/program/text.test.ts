import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-point.ts';
import {
  ageText,
  columns,
  daysUntil,
  escapedJson,
  palette,
  printable,
  printableLines,
  treeLines,
  usesColors,
} from './text.ts';

/** Everything that a terminal interprets, apart from line breaks and tabs. */
const INTERPRETED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

describe('printable', () => {
  it.each([
    ['a\u001b[31mred\u001b[0m\nb\u0007', 'ared b '],
    ['a\u001b]8;;https://evil.example\u0007b\u001b]8;;\u001b\\c', 'abc'],
    ['a\u009b2Jb\u009dtitle\u009cc\u001bPq\u001b\\d', 'abcd'],
    ['\u001b]0;open\nnext', ' ]0;open next'],
    ['\u001bc\u001b(0x', 'x'],
    ['user\u202egnp.exe\u2066', 'usergnp.exe'],
    ['\u001b\u202e[31mx', ' [31mx'],
  ])('turns %j into %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('removes every character that a terminal interprets', () => {
    const hostile = fc.constantFrom(
      '\u001b',
      '\u009d',
      '\u009b',
      '[',
      ']',
      ';',
      '3',
      'm',
      '\u202e',
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(codePoint, hostile) }), (text) => {
        expect(printable(text)).not.toMatch(INTERPRETED);
        expect(printable(text)).not.toMatch(/[\n\t]/);
        expect(printableLines(text, false)).not.toMatch(INTERPRETED);
        const styled = printableLines(text, true).replaceAll(/\u001b\[(?:[012]|3[123])m/g, '');
        expect(styled).not.toMatch(INTERPRETED);
      }),
    );
  });
});

describe('printableLines', () => {
  it('keeps lines, tabs and the styles of the palette', () => {
    const text = `${palette(true).bad('a')}\tb\n\u001b[8mc\u001b[Hd\r\n`;
    expect(printableLines(text, true)).toBe('\u001b[31ma\u001b[0m\tb\ncd \n');
    expect(printableLines(text, false)).toBe('a\tb\ncd \n');
  });
});

it('escapedJson changes no value', () => {
  expect(escapedJson('"\u009b2J\u202e"')).toBe(String.raw`"\u009b2J\u202e"`);
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), (value) => {
      const json = escapedJson(JSON.stringify(value));
      expect(JSON.parse(json)).toBe(value);
      expect(json).not.toMatch(INTERPRETED);
    }),
  );
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

  it.each(['\n', '\r\n', '\r', '\t', '\u000b', '\u0085', '\u2028', '\u001b[2K\u001b[1A\n'])(
    'writes one line for each row when a value contains %j',
    (breaking) => {
      const { bad } = palette(true);
      const value = `a${breaking}other   Verified`;
      expect(
        columns([
          ['NAME', 'PHASE'],
          [value, bad(value)],
        ]),
      ).toEqual([
        'NAME                 PHASE',
        `a other   Verified   ${bad('a other   Verified')}`,
      ]);
    },
  );
});

describe('columns with many or long values', () => {
  it('formats 130,000 rows', () => {
    const lines = columns(Array.from({ length: 130_000 }, (_, n) => [`row${n}`, 'x']));
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      130_000,
      'row0        x',
      'row129999   x',
    ]);
  });

  it.each([
    ['256 characters', 'x'.repeat(256), 'x'.repeat(256)],
    ['257 characters', 'x'.repeat(257), `${'x'.repeat(255)}…`],
    ['characters of two code units', '😀'.repeat(257), `${'😀'.repeat(255)}…`],
    ['colors', palette(true).bad('x'.repeat(1_000)), palette(true).bad(`${'x'.repeat(255)}…`)],
    [
      'a change of the color at the cut',
      `${'x'.repeat(255)}${palette(true).bad('yy')}z`,
      `${'x'.repeat(255)}${palette(true).bad('…')}`,
    ],
  ])('shows at most 256 characters of a cell with %s, and the last one whole', (_, cell, cut) => {
    expect(columns([[cell, cell]])).toEqual([`${cut}   ${cell}`]);
  });

  it.each([0, 1])('pads no other row with the length of one long cell in column %d', (column) => {
    const rows = Array.from({ length: 2_000 }, () => ['a', 'b']);
    const long = ['a', 'b'].with(column, 'x'.repeat(400_000));
    let padding = 0;
    const repeat = jest.spyOn(String.prototype, 'repeat').mockImplementation(function (
      this: string,
      count,
    ) {
      padding += count;
      return ''.padEnd(this.length * count, this);
    });
    columns([long, ...rows]);
    repeat.mockRestore();
    expect(padding).toBeLessThanOrEqual(2_001 * 256);
  });
});

it('treeLines writes one line for each node when a value contains line breaks', () => {
  const nodes = [{ text: 'a\nb', children: [{ text: 'c\r\td' }] }];
  expect(treeLines(nodes)).toEqual(['└─ a b', '   └─ c d']);
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
  expect(usesColors({ output: { isTerminal }, variables })).toBe(expected);
});
