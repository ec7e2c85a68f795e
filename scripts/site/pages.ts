/**
 * Pages of the site from the Markdown files of the repository. Pages keep their path below docs/. Files outside of docs/ that
 * a page links are part of the site too, below `repository/`, so the site needs no address of a repository. Pure.
 */
import { dirname, extname, join, normalize } from 'node:path';
import { linksOf, withLinks } from './markdown.ts';
import {
  FRONT_PAGE,
  navigationOf,
  titleOf,
  type NavigationItem,
  type NavigationSection,
} from './navigation.ts';

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

export interface Site {
  /** Markdown by path in the source folder of VitePress. */
  readonly pages: ReadonlyMap<string, string>;
  /** Files that the site serves unchanged: path on the site to path in the repository. */
  readonly files: ReadonlyMap<string, string>;
  readonly sidebar: readonly SidebarItem[];
}

/**
 * Returns the site.
 * @throws Error that names the page and the link, if a link has no target in the repository
 */
export function siteOf(repository: Repository): Site {
  const sections = navigationOf(repository.pages);
  const sources = linkedFiles(repository);
  const rewritten = (source: string): string =>
    withLinks(repository.pages.get(source) ?? '', (link) => siteLink(repository, source, link));
  const pages = sources.pages.map((source) => {
    const text = rewritten(source);
    return [
      sitePath(source),
      source === FRONT_PAGE ? frontPage(text, sections, repository) : text,
    ] as const;
  });
  return {
    pages: new Map(pages),
    files: new Map(sources.files.map((source) => [sitePath(source), source])),
    sidebar: sections.map(({ title, items }) => ({ text: title, items: items.map(sidebarItem) })),
  };
}

/** Returns the path of a file on the site. A name without an ending would be the name of a page. */
function sitePath(source: string): string {
  const path = source.startsWith('docs/')
    ? source.slice('docs/'.length)
    : join('repository', source);
  return extname(path) === '' ? `${path}.txt` : path.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** Returns the pages of docs/, and all pages and files that they link, directly or over other pages. */
function linkedFiles(repository: Repository): { pages: string[]; files: string[] } {
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

function siteLink(repository: Repository, source: string, link: string): string {
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

/** Adds the head of the front page: the first heading of the README, the description, and the first two pages. */
function frontPage(
  text: string,
  sections: readonly NavigationSection[],
  repository: Repository,
): string {
  const actions = (sections[0]?.items ?? []).slice(0, 2).map(({ title, target }, at) => ({
    theme: at === 0 ? 'brand' : 'alt',
    text: title,
    link: pageLink(target),
  }));
  const name = titleOf(repository.pages.get('README.md') ?? '');
  const hero = { name, tagline: repository.description, actions };
  const body = text.replace(/^# .+\n/, '');
  // JSON is YAML.
  return `---\n${JSON.stringify({ layout: 'home', hero })}\n---\n${body}`;
}
