import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { navigationOf, pathsOf } from './navigation.ts';
import { siteOf, type Site } from './pages.ts';

const PAGES = {
  'README.md': '# Operator\n',
  'CONTRIBUTING.md': '# Contributing\n[license](LICENSE), [chart](charts/)\n',
  'charts/README.md': '# Chart\n',
  'other/README.md': '# Not linked\n',
  'docs/README.md':
    '# Documentation\n\n## Start\n\n- [Install](install.md#helm): with `helm`\n- [Decisions](adr/README.md)\n',
  'docs/install.md':
    '# Install\n[a](../samples/a.yaml) [b](../CONTRIBUTING.md#c) [c](adr/0001.md) [d](#e) [f](https://g.example)\n',
  'docs/adr/README.md': '# Decisions\n\n| [0001](0001.md) |\n',
  'docs/adr/0001.md': '# One\n',
};

function build(change: Readonly<Record<string, string>> = {}): Site {
  const pages = new Map(Object.entries({ ...PAGES, ...change }));
  const files = new Set([...pages.keys(), 'LICENSE', 'samples/a.yaml']);
  return siteOf({ pages, files, description: 'It installs.' });
}

describe('siteOf', () => {
  it('has the pages of docs/ and the pages that they link, directly or over other pages', () => {
    expect([...build().pages.keys()].sort()).toEqual([
      'adr/0001.md',
      'adr/index.md',
      'index.md',
      'install.md',
      'repository/CONTRIBUTING.md',
      'repository/charts/index.md',
    ]);
  });

  it('serves linked files unchanged', () => {
    expect(Object.fromEntries(build().files)).toEqual({
      'repository/samples/a.yaml': 'samples/a.yaml',
      'repository/LICENSE.txt': 'LICENSE',
    });
  });

  it('keeps links to other servers and within the page, and directs all others to the site', () => {
    expect(build().pages.get('install.md')).toContain(
      '[a](/repository/samples/a.yaml) [b](/repository/CONTRIBUTING.md#c) [c](/adr/0001.md) [d](#e) [f](https://g.example)',
    );
  });

  it('has the sections of docs/README.md in the sidebar, and the pages of a folder below its README.md', () => {
    expect(build().sidebar).toEqual([
      {
        text: 'Start',
        items: [
          { text: 'Install', link: '/install#helm' },
          {
            text: 'Decisions',
            link: '/adr/',
            collapsed: true,
            items: [{ text: 'One', link: '/adr/0001' }],
          },
        ],
      },
    ]);
  });

  it('has the name, the description and the first pages on the front page', () => {
    const page = build().pages.get('index.md') ?? '';
    expect(page).toContain('"name":"Operator","tagline":"It installs."');
    expect(page).toContain('"link":"/install#helm"');
    expect(page).not.toContain('# Documentation');
  });

  it('fails and names the page when a link has no target', () => {
    expect(() => build({ 'docs/install.md': '[x](missing.md)' })).toThrow(
      'docs/install.md: link to missing.md: no such file; correct the link',
    );
  });
});

describe('documentation', () => {
  const tracked = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'docs/*.md'];
  const files = execFileSync('git', tracked, { cwd: checkout, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '');
  const pages = new Map(files.map((file) => [file, readFileSync(join(checkout, file), 'utf8')]));

  it('has every page of docs/ in the navigation', () => {
    const linked = new Set(['docs/README.md', ...pathsOf(navigationOf(pages))]);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !linked.has(file))).toEqual([]);
  });
});

describe('package-lock.json', () => {
  it.each(['package-lock.json', 'site/package-lock.json'])(
    'names no package registry in %s',
    (file) => {
      expect(readFileSync(join(checkout, file), 'utf8')).not.toContain('"resolved"');
    },
  );
});
