/** Questions of users, and the sections that answer them: docs/questions.md. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf } from '../../scripts/site/markdown.ts';
import { linkedFiles, sitePath } from '../../scripts/site/pages.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { searchIndex, sectionsOf } from './site-search.ts';

const PAGE = 'docs/questions.md';
const read = (file: string): string => readFileSync(join(checkout, file), 'utf8');

interface Question {
  readonly text: string;
  readonly source: string;
  /** Path of the page that answers it, in the repository. */
  readonly page: string;
  /** Anchor of the section; undefined for the whole page. */
  readonly anchor: string | undefined;
}

const ROW = /^\| (.+?) +\| \[[\w-]+#\d+\]\((\S+)\) +\| \[.+\]\((\S+?)\) +\|$/gm;

const questions = [...read(PAGE).matchAll(ROW)].map(
  ([, text = '', source = '', link = '']): Question => {
    const [path = '', anchor] = link.split('#');
    return { text, source, page: normalize(join(dirname(PAGE), path)), anchor };
  },
);

/** Pages of the site, without the list of questions, which its search leaves out. */
function pagesOfSite(): Map<string, string> {
  const command = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', command, { cwd: checkout, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(checkout, file)));
  const pages = new Map(
    files.filter((file) => file.endsWith('.md')).map((file) => [file, read(file)]),
  );
  const shown = linkedFiles({ pages, files: new Set(files), description: '' }).pages;
  return new Map([...pages].filter(([path]) => shown.includes(path) && path !== PAGE));
}

describe('questions', () => {
  it('are 25, each from an issue of another project', () => {
    expect(questions).toHaveLength(25);
    const sources = questions.map(({ source }) => source);
    expect(new Set(sources).size).toBe(25);
    expect(
      sources.filter(
        (source) => !/^https:\/\/github\.com\/(?:karmada-io|clastix)\/\S+\/\d+$/.test(source),
      ),
    ).toEqual([]);
  });

  it.each(questions)('have an answer that exists: $text', ({ page, anchor }) => {
    expect(existsSync(join(checkout, page))).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(read(page))).toContain(anchor);
  });

  const search = searchIndex(pagesOfSite());

  it.each(questions)('find the page of their answer with the search: $text', ({ text, page }) => {
    const first = search(text).slice(0, 3);
    expect(first.map((id) => id.split('#')[0])).toContain(`/${sitePath(page)}`);
  });
});

describe('sectionsOf', () => {
  it('has a section for each heading, with the headings above it and the text without marks', () => {
    const page = '# A\none [two](three.md)\n\n```text\n# no heading\n```\n\n## `B`, b\n| c | d |\n';
    expect(sectionsOf('a.md', page)).toEqual([
      { id: 'a.md#a', title: 'A', titles: [], text: expect.stringMatching(/one two\n\n\n# no/) },
      { id: 'a.md#b-b', title: 'B , b', titles: ['A'], text: expect.stringContaining('c   d') },
    ]);
  });
});
