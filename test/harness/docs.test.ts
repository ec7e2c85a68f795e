import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../cluster/paths.ts';

/** Every Markdown file of the checkout that is, or is about to be, committed. */
const files = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: checkout, encoding: 'utf8' },
)
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(checkout, file)));

const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');

/** Text without fenced blocks, in which brackets are code. */
const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** Anchor that a heading gets: lower case, dashes for spaces, no punctuation. */
function anchors(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Relative link targets that lead nowhere. */
function broken(file: string): string[] {
  const targets = [...prose(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to);
  return targets.filter((to) => {
    if (/^[a-z]+:/.test(to)) return false;
    const [path = '', anchor] = to.split('#');
    const target = path === '' ? file : normalize(join(dirname(file), path));
    if (target.startsWith('..') || !existsSync(join(checkout, target))) return true;
    return anchor !== undefined && !anchors(read(target)).includes(anchor);
  });
}

/** Names of npm scripts in a text: `npm test`, `npm run NAME`, `npm run -s NAME`. */
function npmScripts(text: string): string[] {
  const run = [...text.matchAll(/npm run (?:-s )?([a-z][a-z0-9:]*)/g)].map(([, name = '']) => name);
  return /\bnpm test\b/.test(text) ? ['test', ...run] : run;
}

/** What belongs to one machine or one registry, and not into a document. */
const forbidden: readonly (readonly [string, RegExp])[] = [
  ['home of a user', /\/(?:root|home\/[a-z]+)\//],
  ['temporary file', /\/tmp\//],
  ['folder of a workspace', /\/work(?:space)?\//],
  ['registry of packages', /\b(?:registry\.npmjs\.org|proxy\.golang\.org|deb\.debian\.org)\b/],
  ['address of a machine', /https?:\/\/(?:127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/],
];

describe('documents', () => {
  it.each(files)('every relative link leads somewhere: %s', (file) => {
    expect(broken(file)).toEqual([]);
  });

  it.each(['README.md', 'CONTRIBUTING.md'])('every npm script exists: %s', (file) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = npmScripts(read(file));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('every test that the threat model names exists, and every line of it names one', () => {
    const text = read('docs/security.md');
    const [, table = ''] = text.split('the test that shows it:\n');
    const lines = table.split('\n').filter((line) => /^\| (?!Who |-)/.test(line));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !/`[^`]+\.test\.ts` +\|$/.test(line))).toEqual([]);
    const tests = [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(tests.filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
  });

  it.each(files)('nothing belongs to one machine: %s', (file) => {
    const text = read(file);
    const found = forbidden.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
    expect(found).toEqual([]);
  });
});
