/**
 * Places of Markdown files of the repository on the site. Pages keep their path below docs/. Files outside of docs/ that
 * a page links are part of the site too, below `repository/`, so the site needs no address of a repository. Pure.
 */
import { dirname, extname, join, normalize } from 'node:path';
import { linksOf } from './markdown.ts';
import { navigationOf, titleOf, type NavigationItem } from './navigation.ts';

export interface Repository {
  /** Markdown files by path. */
  readonly pages: ReadonlyMap<string, string>;
  /** Paths of all files. */
  readonly files: ReadonlySet<string>;
  /** One sentence about the project, for the front page. */
  readonly description: string;
}

/** Entry of the sidebar, as VitePress expects it. */
interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly SidebarItem[];
}

/** Returns the path of a file on the site. A name without an ending would be the name of a page. */
export function sitePath(source: string): string {
  const path = source.startsWith('docs/')
    ? source.slice('docs/'.length)
    : join('repository', source);
  return extname(path) === '' ? `${path}.txt` : path.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** Returns the pages of docs/, and all pages and files that they link, directly or over other pages. */
export function linkedFiles(repository: Repository): { pages: string[]; files: string[] } {
  const found = new Set([...repository.pages.keys()].filter((path) => path.startsWith('docs/')));
  // A set iterates over the elements that are added meanwhile.
  for (const source of found) {
    for (const link of linksOf(repository.pages.get(source) ?? '').filter(isRelative)) {
      found.add(targetOf(repository, source, link).path);
    }
  }
  const isPage = (path: string): boolean => repository.pages.has(path);
  return {
    pages: [...found].filter(isPage),
    files: [...found].filter((path) => !isPage(path)),
  };
}

function isRelative(link: string): boolean {
  return !/^(?:[a-z]+:|#)/.test(link);
}

function targetOf(
  repository: Repository,
  source: string,
  link: string,
): { path: string; anchor: string } {
  const [relative = '', ...anchor] = link.split('#');
  const path = normalize(join(dirname(source), relative)).replace(/\/$/, '');
  const target = [path, join(path, 'README.md')].find((file) => repository.files.has(file));
  if (target === undefined) {
    throw new Error(`${source}: link to ${link}: no such file; correct the link`);
  }
  return { path: target, anchor: anchor.map((name) => `#${name}`).join('') };
}

/**
 * Returns the link on the site for a link of a page.
 * @throws Error that names the page and the link, if a link has no target in the repository
 */
export function siteLink(repository: Repository, source: string, link: string): string {
  if (!isRelative(link)) return link;
  const { path, anchor } = targetOf(repository, source, link);
  return `/${sitePath(path)}${anchor}`;
}

function sidebarItem({ title, target, items }: NavigationItem): SidebarItem {
  const entry = { text: title, link: pageLink(target) };
  return items.length === 0 ? entry : { ...entry, collapsed: true, items: items.map(sidebarItem) };
}

/** Returns the link to a page, without the ending that VitePress adds. */
function pageLink(target: string): string {
  const [path = '', anchor] = target.split('#');
  const page = `/${sitePath(path)}`.replace(/(?:index)?\.md$/, '');
  return anchor === undefined ? page : `${page}#${anchor}`;
}

/** Entries of the sidebar: the sections of docs/README.md. */
export const sidebarOf = ({ pages }: Repository): SidebarItem[] =>
  navigationOf(pages).map(({ title, items }) => ({ text: title, items: items.map(sidebarItem) }));

/** Head of the front page, as VitePress expects it. */
interface Hero {
  readonly name: string;
  readonly tagline: string;
  readonly actions: readonly Readonly<Record<'theme' | 'text' | 'link', string>>[];
}

/** Head of the front page: the first heading of the README, the description, and the first two pages. */
export function heroOf({ pages, description }: Repository): Hero {
  const actions = (navigationOf(pages)[0]?.items ?? [])
    .slice(0, 2)
    .map(({ title, target }, at) => ({
      theme: at === 0 ? 'brand' : 'alt',
      text: title,
      link: pageLink(target),
    }));
  return { name: titleOf(pages.get('README.md') ?? ''), tagline: description, actions };
}
