/** The search of the documentation site: sections of its pages in MiniSearch, with the settings of VitePress. */
import MiniSearch from 'minisearch';
import { anchorOf } from '../../scripts/site/markdown.ts';
import { sitePath } from '../../scripts/site/pages.ts';
import { SEARCH_OPTIONS } from '../../scripts/site/search.ts';

/** A section of a page: its heading and the text up to the next one. */
interface Section {
  /** Path of the page, with the anchor of the heading. */
  readonly id: string;
  readonly title: string;
  /** Headings above it. */
  readonly titles: readonly string[];
  readonly text: string;
}

const HEADING = /^(#{1,6}) (.+)$/;

/** Returns Markdown without its marks, as a reader sees it. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/^ *```.*$/gm, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replaceAll(/^\|[ |-]+\|$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/[|`*]/g, ' ');
}

/** Splits a page into its sections. */
export function sectionsOf(path: string, markdown: string): Section[] {
  const sections: { section: Section; lines: string[] }[] = [];
  const parents: string[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (/^ *```/.test(line)) isCode = !isCode;
    const [, marks = '', heading = ''] = isCode ? [] : (HEADING.exec(line) ?? []);
    if (marks === '') {
      sections.at(-1)?.lines.push(line);
      continue;
    }
    const level = marks.length - 1;
    const title = plainText(heading).trim();
    parents.length = level;
    const titles = parents.filter(Boolean);
    parents[level] = title;
    const section = { id: `${path}#${anchorOf(heading)}`, title, titles, text: '' };
    sections.push({ section, lines: [] });
  }
  return sections.map(({ section, lines }) => ({ ...section, text: plainText(lines.join('\n')) }));
}

/**
 * Creates the index of pages by their path in the repository.
 * @returns a function that returns the places of sections on the site for a text, the best first
 */
export function searchIndex(
  pages: ReadonlyMap<string, string>,
): (text: string) => readonly string[] {
  const index = new MiniSearch<Section>({
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: {
      ...{ fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
      ...SEARCH_OPTIONS,
    },
  });
  const sections = [...pages].flatMap(([path, text]) => sectionsOf(`/${sitePath(path)}`, text));
  // A heading may occur twice in a page; the site numbers the second one.
  const unique = new Map(sections.toReversed().map((section) => [section.id, section]));
  index.addAll([...unique.values()]);
  return (text) => index.search(text).map((result) => String(result.id));
}
