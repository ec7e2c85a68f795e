import { describe, expect, it } from '@jest/globals';
import { textLine } from './logging.ts';

describe('textLine', () => {
  it('writes values as JSON so that a value cannot inject another line', () => {
    const line = { time: '2026-01-02T03:04:05Z', level: 40, msg: 'held', key: 'a\nb', n: 2 };
    expect(textLine(JSON.stringify(line))).toBe(
      '2026-01-02T03:04:05Z WARN  held key="a\\nb" n=2\n',
    );
  });
});
