/** Navigation of the site: the sections and links of docs/README.md. Pure. */
import { dirname, join, normalize } from 'node:path';
import { withoutCode } from './markdown.ts';

/** Page that defines the navigation. */
const FRONT_PAGE = 'docs/README.md';

export interface NavigationItem {
  readonly title: string;
  /** Path of the page in the repository, with the anchor if the link has one. */
  readonly target: string;
  /** Pages below this one: those that the README.md of a folder links. */
  readonly items: readonly NavigationItem[];
}

export interface NavigationSection {
  readonly title: string;
  readonly items: readonly NavigationItem[];
}

/** Returns the first heading of a page. */
export function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

/**
 * Returns the sections of the navigation. A link to the README.md of a folder of docs/ has below it the pages of this folder that
 * the file links.
 * @param pages Markdown files by path in the repository
 */
export function navigationOf(pages: ReadonlyMap<string, string>): NavigationSection[] {
  const [, ...sections] = (pages.get(FRONT_PAGE) ?? '').split(/^## /m);
  return sections.map((section) => ({
    title: section.split('\n')[0] ?? '',
    items: linkedFrom(FRONT_PAGE, section).map(([title, target]) => ({
      title,
      target,
      items: isFolderPage(target) ? childrenOf(target, pages) : [],
    })),
  }));
}

/** Returns the paths of all pages of the navigation. */
export function pathsOf(sections: readonly NavigationSection[]): string[] {
  const all = sections.flatMap(({ items }) => items.flatMap((item) => [item, ...item.items]));
  return all.map(({ target }) => target.split('#')[0] ?? '');
}

function childrenOf(folderPage: string, pages: ReadonlyMap<string, string>): NavigationItem[] {
  const links = linkedFrom(folderPage, pages.get(folderPage) ?? '').map(([, target]) => target);
  const inFolder = links.filter((target) => dirname(target) === dirname(folderPage));
  return inFolder.map((target) => ({ title: titleOf(pages.get(target) ?? ''), target, items: [] }));
}

function linkedFrom(source: string, text: string): (readonly [title: string, target: string])[] {
  return [...withoutCode(text).matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(
    ([, title = '', link = '']) => [title, normalize(join(dirname(source), link))],
  );
}

function isFolderPage(target: string): boolean {
  return /^docs\/.+\/README\.md$/.test(target);
}
