import { describe, expect, it } from '@jest/globals';
import { code, escaped, page, table } from './markdown.ts';

describe('escaped', () => {
  it.each([
    ['escapes the angle bracket of a placeholder', '<name>-etcd-cert', '&lt;name>-etcd-cert'],
    [
      'escapes characters of tables, emphasis and links',
      'a|b *c* [d]',
      String.raw`a\|b \*c\* \[d\]`,
    ],
    ['joins lines when the text has line breaks', 'one\n  two ', 'one two'],
    ['keeps underscores, quotes and dashes', 'a_b "c" -d', 'a_b "c" -d'],
  ])('%s', (_title, text, expected) => {
    expect(escaped(text)).toBe(expected);
  });
});

describe('code', () => {
  it('escapes the pipe when the value has one', () => {
    expect(code('a|b')).toBe('`a\\|b`');
  });
});

describe('table', () => {
  it('returns a header, a separator and one line per row', () => {
    const rows = [
      ['a', 'b'],
      ['c', 'd'],
    ];
    expect(table(['One', 'Two'], rows)).toBe('| One | Two |\n| --- | --- |\n| a | b |\n| c | d |');
  });
});

describe('page', () => {
  it('starts with the notice that names the command', () => {
    const [notice, , title, , block] = page('Metrics', ['text']).split('\n');
    expect(notice).toContain('scripts/docs.ts');
    expect([title, block]).toEqual(['# Metrics', 'text']);
  });
});
