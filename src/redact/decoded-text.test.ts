import { describe, expect, it } from '@jest/globals';
import { decodedViews, originalSpan } from './decoded-text.ts';

describe('decodedViews', () => {
  it.each([
    ['percent-encoding', 'a%C3%A9%2fb', ['aé/b']],
    ['bytes that are no UTF-8', '%E9x', ['éx']],
    ['escapes of JSON', String.raw`a\"\u00e9\n\/`, ['a"é\n/']],
    ['escapes of Go', String.raw`\x41\xc3\xa9\U0001f600`, ['Aé😀']],
    ['a string in a string', String.raw`\\\"x`, [String.raw`\"x`, '"x']],
    ['percent-encoding twice', '%2541', ['%41', 'A']],
    ['text without escapes', 'abc', []],
  ])('returns the text without %s', (_, text, expected) => {
    const views = decodedViews(text).map((view) => view.text);
    expect(views.slice(0, expected.length + 1)).toEqual([text, ...expected]);
  });

  it('tells where a part comes from', () => {
    const text = String.raw`say \"p%C3%A9w\"!`;
    const [, view] = decodedViews(text);
    const start = view?.text.indexOf('péw') ?? -1;
    const span = view && originalSpan(view, { start, end: start + 3 });
    expect(text.slice(span?.start, span?.end)).toBe('p%C3%A9w');
  });
});
