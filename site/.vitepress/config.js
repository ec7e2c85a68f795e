/** Settings of the site generator. `npm run site` writes the pages and the sidebar to dist/site-source. */
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../scripts/site/markdown.ts';

const source = new URL('../../dist/site-source/', import.meta.url);

/** Braces in a page are text, such as those of Helm templates. The generator would run them as templates of Vue. */
function withoutTemplates(markdown) {
  for (const rule of ['text', 'code_inline']) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...token) => render(...token).replaceAll('{{', '&#123;&#123;');
  }
}

/** Each table cell gets the title of its column, which the style sheet shows on a phone. */
function withColumnTitles(markdown) {
  markdown.core.ruler.push('column-titles', ({ tokens }) => {
    let titles = [];
    let column = 0;
    tokens.forEach((token, at) => {
      if (token.type === 'thead_open') titles = [];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') titles.push(tokens[at + 1].content);
      if (token.type === 'td_open') token.attrSet('data-column', titles[column++] ?? '');
    });
  });
}

function extend(markdown) {
  withoutTemplates(markdown);
  withColumnTitles(markdown);
}

export default defineConfig({
  title: 'Karmada operator',
  description: 'Installs, repairs, upgrades and deletes Karmada control planes on Kubernetes',
  srcDir: source.pathname,
  // The index of the search is one chunk of about a megabyte. Only readers who search load it.
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  cacheDir: new URL('../../dist/site-cache/', import.meta.url).pathname,
  // The anchors are those of GitHub, so that links work in both places. Braces in text are no attributes.
  markdown: { anchor: { slugify: anchorOf }, attrs: { disable: true }, config: extend },
  themeConfig: {
    sidebar: JSON.parse(readFileSync(new URL('sidebar.json', source), 'utf8')),
    outline: [2, 3],
    // The index is part of the site: no request to another server.
    search: { provider: 'local' },
    externalLinkIcon: true,
  },
});
