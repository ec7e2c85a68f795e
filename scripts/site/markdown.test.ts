import { describe, expect, it } from '@jest/globals';
import { anchorOf, linksOf, withLineBreaks } from './markdown.ts';

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

describe('linksOf', () => {
  it.each([
    ['links', 'see [a](b.md#c), [d](e)', ['b.md#c', 'e']],
    ['a link with code as its text', '[`a`](b.md)', ['b.md']],
    ['no inline code', '`[a](b)` [a](c)', ['c']],
    ['no fenced code', '[a](b)\n\n```text\n[a](c)\n```\n[a](d)', ['b', 'd']],
    ['no indented code of a list', '- x\n\n  ```text\n  [a](b)\n  ```\n', []],
  ])('finds %s', (_title, text, expected) => {
    expect(linksOf(text)).toEqual(expected);
  });
});

describe('withLineBreaks', () => {
  it.each([
    ['<code>spec.components.etcd</code>', '<code>spec.<wbr>components.<wbr>etcd</code>'],
    ['<code>operator.karmada.io/a</code>', '<code>operator.<wbr>karmada.<wbr>io/<wbr>a</code>'],
    ['<code>Progressing</code>', '<code>Progressing</code>'],
    ['<code>&lt;name&gt;-ca</code>', '<code>&lt;name&gt;-ca</code>'],
    ['<code>&#123;&#123; .Values }}</code>', '<code>&#123;&#123; .Values }}</code>'],
  ])('adds places for a line break between the parts of names: %s', (html, expected) => {
    expect(withLineBreaks(html)).toBe(expected);
  });
});
