import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf, linksOf } from '../../scripts/site/markdown.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

/** All Markdown files of the checkout that are tracked or not ignored by git. */
const files = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: checkout, encoding: 'utf8' },
)
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(checkout, file)));

const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');

/** Relative links whose file or anchor does not exist. */
function broken(file: string): string[] {
  return linksOf(read(file)).filter((to) => {
    if (/^[a-z]+:/.test(to)) return false;
    const [path = '', anchor] = to.split('#');
    const target = path === '' ? file : normalize(join(dirname(file), path));
    if (target.startsWith('..') || !existsSync(join(checkout, target))) return true;
    return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
  });
}

/** Texts that depend on one machine or package registry; documents must not contain them. */
const forbidden: readonly (readonly [string, RegExp])[] = [
  ['home directory of a user', /\/(?:root|home\/[a-z]+)\//],
  ['temporary file', /\/tmp\//],
  ['workspace folder', /\/work(?:space)?\//],
  ['package registry', /\b(?:registry\.npmjs\.org|proxy\.golang\.org|deb\.debian\.org)\b/],
  ['machine address', /https?:\/\/(?:127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/],
];

describe('documentation', () => {
  it.each(files)('contains only relative links with an existing target in %s', (file) => {
    expect(broken(file)).toEqual([]);
  });

  it.each(['README.md', 'docs/README.md'])(
    'begins with a picture and measured figures in %s',
    (page) => {
      const [front = ''] = read(page).split(/^## /m);
      expect(front).toMatch(/^!\[[^\]]+\]\(\S+\.svg\)$/m);
      const cells = [...front.matchAll(/^\| (?!What|-)(.*)\|$/gm)].flatMap(([, row = '']) =>
        row.split('|').slice(1),
      );
      const figures = cells.flatMap((cell) => cell.match(/\d[\d.,]*\d|\d/g) ?? []);
      expect(figures.length).toBeGreaterThan(5);
      const measured = new Set(read('docs/contribute/benchmarks.md').match(/\d[\d.,]*\d|\d/g));
      expect(figures.filter((figure) => !measured.has(figure))).toEqual([]);
    },
  );

  it('names an existing test for each threat of the threat model', () => {
    const text = read('docs/security.md');
    const [, ...tables] = text.split('the test that shows it:\n');
    const lines = tables.flatMap((table) =>
      table.split('\n').filter((line) => /^\| (?!Who |Section |-)/.test(line)),
    );
    expect(tables.map((table) => table.split('\n').length > 10)).toEqual([true, true]);
    expect(lines.filter((line) => !/`[^`]+\.test\.ts` +\|$/.test(line))).toEqual([]);
    const tests = [...text.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(tests.filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
  });

  it('names a test for a statement of each section of the page about security', () => {
    const [sections = '', table = ''] = read('docs/security.md').split('## Threat model\n');
    const titles = [...sections.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
    expect(titles.length).toBeGreaterThan(5);
    expect(titles.filter((title) => !table.includes(`\n| ${title} `))).toEqual([]);
  });

  it.each(files)('contains no text that depends on one machine in %s', (file) => {
    const text = read(file);
    const found = forbidden.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
    expect(found).toEqual([]);
  });

  const ofUsers = files.filter(
    (file) => !/^docs\/(?:adr|contribute)\/|^CONTRIBUTING\.md|\/__fixtures__\//.test(file),
  );

  it.each(ofUsers)('names no command of the development of the operator in %s', (file) => {
    expect(read(file)).not.toMatch(/\bnp[mx]\b/);
  });
});
