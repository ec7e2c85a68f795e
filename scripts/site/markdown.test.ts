import { describe, expect, it } from '@jest/globals';
import {
  anchorOf,
  linksOf,
  plainTitle,
  withBreakableNames,
  withBreakableWords,
  withLineBreaks,
} from './markdown.ts';

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
    ['<code>https://a.b/{c}/d</code>', '<code>https://a.<wbr>b/<wbr>{c}/<wbr>d</code>'],
    ['<code>Progressing</code>', '<code>Progressing</code>'],
    ['<code>&lt;name&gt;-ca</code>', '<code>&lt;name&gt;-ca</code>'],
    ['<code>&#123;&#123; .Values }}</code>', '<code>&#123;&#123; .Values }}</code>'],
  ])('adds places for a line break between the parts of names: %s', (html, expected) => {
    expect(withLineBreaks(html)).toBe(expected);
  });
});

describe('withBreakableNames', () => {
  it.each([
    [
      'a long path of a field',
      'set spec.components.etcd.local',
      'set spec.<wbr>components.<wbr>etcd.<wbr>local',
    ],
    ['no version', 'Karmada v1.18.2', 'Karmada v1.18.2'],
    ['no long word', 'KarmadaControlPlaneNotReady', 'KarmadaControlPlaneNotReady'],
  ])('adds places for a line break to %s', (_title, html, expected) => {
    expect(withBreakableNames(html)).toBe(expected);
  });
});

describe('withBreakableWords', () => {
  it.each([
    [
      'a long name',
      'KarmadaControlPlaneNotReady',
      'Karmada<wbr>Control<wbr>Plane<wbr>Not<wbr>Ready',
    ],
    ['no short name', 'KarmadaRestore', 'KarmadaRestore'],
  ])('adds places for a line break before the words of %s', (_title, html, expected) => {
    expect(withBreakableWords(html)).toBe(expected);
  });
});

describe('plainTitle', () => {
  it.each([
    ['code', 'Chart `karmada`', 'Chart karmada'],
    ['a link', '[Type](a.md)', 'Type'],
  ])('returns the text of a table header with %s', (_title, markdown, expected) => {
    expect(plainTitle(markdown)).toBe(expected);
  });
});
