/** Settings of the site generator, which reads the pages where they are in the repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import {
  anchorOf,
  plainTitle,
  withBreakableNames,
  withBreakableWords,
  withLineBreaks,
} from '../../scripts/site/markdown.ts';
import { SEARCH_OPTIONS } from '../../scripts/site/search.ts';
import { heroOf, linkedFiles, sidebarOf, siteLink, sitePath } from '../../scripts/site/pages.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const read = (file) => readFileSync(join(checkout, file), 'utf8');

/** Files of the repository, as `siteLink` and others expect them. */
function readRepository() {
  const tracked = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', tracked, { cwd: checkout, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(checkout, file)));
  const pages = files.filter((file) => file.endsWith('.md')).map((file) => [file, read(file)]);
  const { description } = JSON.parse(read('package.json'));
  return { pages: new Map(pages), files: new Set(files), description };
}

const repository = readRepository();
const { pages, files } = linkedFiles(repository);

const isFrontPage = (sitePage) => sitePage === 'index.md';

/** Links to other files of the repository lead to their places on the site. The front page has a head instead of its heading. */
function withSiteLinks(markdown) {
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    const source = relative(checkout, env.realPath ?? env.path);
    if (isFrontPage(sitePath(source))) tokens.splice(0, 3);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_open')
        token.attrSet('href', siteLink(repository, source, token.attrGet('href')));
    }
  });
}

/** Braces in a page are text, such as those of Helm templates. The generator would run them as templates of Vue. */
function withoutTemplates(markdown) {
  for (const rule of ['text', 'code_inline']) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...token) => render(...token).replaceAll('{{', '&#123;&#123;');
  }
}

/** Long names may continue on the next line after a separator, in narrow columns of a table and on a phone. */
function withNarrowNames(markdown) {
  const { rules } = markdown.renderer;
  for (const [rule, withBreaks] of [
    ['code_inline', withLineBreaks],
    ['text', withBreakableNames],
  ]) {
    const render = rules[rule];
    rules[rule] = (tokens, at, ...more) => {
      const html = withBreaks(render(tokens, at, ...more));
      return tokens[at].meta?.isHeading ? withBreakableWords(html) : html;
    };
  }
  markdown.core.ruler.push('heading-texts', ({ tokens }) => {
    tokens.forEach(({ type }, at) => {
      if (type !== 'heading_open') return;
      for (const child of tokens[at + 1].children) child.meta = { isHeading: true };
    });
  });
}

/** Each table cell gets the title of its column, which the style sheet shows on a phone. */
function withColumnTitles(markdown) {
  markdown.core.ruler.push('column-titles', ({ tokens }) => {
    let titles = [];
    let column = 0;
    tokens.forEach((token, at) => {
      if (token.type === 'thead_open') titles = [];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') titles.push(plainTitle(tokens[at + 1].content));
      if (token.type === 'td_open') token.attrSet('data-column', titles[column++] ?? '');
    });
  });
}

function extend(markdown) {
  withSiteLinks(markdown);
  withoutTemplates(markdown);
  withNarrowNames(markdown);
  withColumnTitles(markdown);
}

/** The search leaves out the list of questions: it would be found instead of the answers that it links. */
const renderForSearch = (text, env, markdown) =>
  env.relativePath === 'docs/questions.md' ? '' : markdown.render(text, env);

/** Icon of the site, in its pages: a browser would request /favicon.ico otherwise, also below another base. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3451b2"/><path d="M11 8v16M22 8l-10 8 10 8" fill="none" stroke="#fff" stroke-width="3"/></svg>';

export default defineConfig({
  title: 'Karmada operator',
  description: 'Installs, repairs, upgrades and deletes Karmada control planes on Kubernetes',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  srcDir: checkout,
  srcExclude: [...repository.pages.keys()].filter((page) => !pages.includes(page)),
  rewrites: sitePath,
  transformPageData: ({ relativePath }) =>
    isFrontPage(relativePath)
      ? { frontmatter: { layout: 'home', hero: heroOf(repository) } }
      : undefined,
  buildEnd: async ({ outDir }) => {
    for (const file of files) await cp(join(checkout, file), join(outDir, sitePath(file)));
  },
  // The index of the search is one chunk of about a megabyte. Only readers who search load it.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  cacheDir: new URL('../../dist/site-cache/', import.meta.url).pathname,
  // The anchors are those of GitHub, so that links work in both places. Braces in text are no attributes.
  markdown: { anchor: { slugify: anchorOf }, attrs: { disable: true }, config: extend },
  themeConfig: {
    sidebar: sidebarOf(repository),
    outline: [2, 3],
    // The index is part of the site: no request to another server.
    search: {
      provider: 'local',
      options: { _render: renderForSearch, miniSearch: { searchOptions: SEARCH_OPTIONS } },
    },
    externalLinkIcon: true,
  },
});
