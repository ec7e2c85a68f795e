import { describe, expect, it } from '@jest/globals';
import { anchorOf, linksOf, withLinks } from './markdown.ts';

describe('anchorOf', () => {
  it.each([
    ['Use the kubectl plugin', 'use-the-kubectl-plugin'],
    ['Logs, images, orphans', 'logs-images-orphans'],
    ['The field `spec.upgrade`', 'the-field-specupgrade'],
    ['A - B', 'a---b'],
  ])('returns the anchor of GitHub for %s', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor);
  });
});

describe('withLinks', () => {
  const upper = (text: string): string => withLinks(text, (link) => link.toUpperCase());

  it.each([
    ['a link', 'see [a](b.md#c), [d](e)', 'see [a](B.MD#C), [d](E)'],
    ['a link with code as its text', '[`a`](b.md)', '[`a`](B.MD)'],
    ['no inline code', '`[a](b)` [a](b)', '`[a](b)` [a](B)'],
    [
      'no fenced code',
      '[a](b)\n\n```text\n[a](b)\n```\n[a](b)',
      '[a](B)\n\n```text\n[a](b)\n```\n[a](B)',
    ],
    [
      'no indented code of a list',
      '- x\n\n  ```text\n  [a](b)\n  ```\n',
      '- x\n\n  ```text\n  [a](b)\n  ```\n',
    ],
  ])('rewrites %s', (_title, text, expected) => {
    expect(upper(text)).toBe(expected);
  });

  it('changes nothing when the targets stay the same', () => {
    const text = 'a [b](c) `d`\n```sh\ne\n```\n';
    expect(withLinks(text, (link) => link)).toBe(text);
    expect(linksOf(text)).toEqual(['c']);
  });
});
