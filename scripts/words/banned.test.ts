import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { bannedIn } from './banned.ts';
import { commentsOf, literalsOf, proseOf } from './texts.ts';

/** Files with texts for users, and what they have of them. */
const SOURCES: readonly (readonly [pattern: string, extract: (text: string) => string])[] = [
  ['{src,scripts/crd}/**/*.ts', literalsOf],
  ['scripts/{plan,render}.ts', literalsOf],
  ['*.md', proseOf],
  ['{docs,charts,samples,config}/**/*.md', proseOf],
  ['charts/**/NOTES.txt', proseOf],
  ['{charts/*,samples,config}/*.yaml', commentsOf],
];

const EXCLUDED = /\.test\.ts$|\.fixture\.ts$|__fixtures__|__golden__/;

const files = SOURCES.flatMap(([pattern, extract]) =>
  globSync(pattern, { cwd: checkout })
    .filter((file) => !EXCLUDED.test(file))
    .map((file) => [file, extract] as const),
);

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

describe('bannedIn', () => {
  it.each([
    ['a word', 'Somebody changed it', ['Somebody']],
    ['a phrase across a line break', 'is held\n  back', ['held\n  back']],
    ['a word at the end of a sentence', 'The file is made anew.', ['anew']],
    ['a phrase with another word in it', 'lets it go', ['lets it go']],
    ['no part of a word', 'renewal of planes', []],
    ['no part of a name with dashes', 'memory-at-rest, re-told', []],
    ['no word that only looks the same', 'takes up to 5 s; runs out of memory', []],
    ['no standard term', 'a certificate authority and a decompression bomb', []],
  ])('finds %s', (_title, text, expected) => {
    expect(bannedIn(text).map(({ found }) => found)).toEqual(expected);
  });

  it('returns the term to use and the offset', () => {
    expect(bannedIn('it mends')).toEqual([
      { at: 3, found: 'mends', use: expect.stringContaining('fix') },
    ]);
  });
});

describe('texts for users', () => {
  it('are found in all kinds of files', () => {
    expect(files.length).toBeGreaterThan(SOURCES.length * 10);
  });

  it('have no banned words', () => {
    const found = files.flatMap(([file, extract]) => {
      const text = extract(readFileSync(join(checkout, file), 'utf8'));
      return bannedIn(text).map(
        ({ at, found: word, use }) =>
          `${file}:${lineOf(text, at)}: "${word.replaceAll(/\s+/g, ' ')}"; use: ${use}`,
      );
    });
    expect(found).toEqual([]);
  });
});
