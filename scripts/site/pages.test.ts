import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { navigationOf, pathsOf } from './navigation.ts';
import { heroOf, linkedFiles, sidebarOf, siteLink, sitePath, type Repository } from './pages.ts';

const PAGES = {
  'README.md': '# Operator\n',
  'CONTRIBUTING.md': '# Contributing\n[license](LICENSE), [chart](charts/)\n',
  'charts/README.md': '# Chart\n',
  'other/README.md': '# Not linked\n',
  'docs/README.md':
    '# Documentation\n\n## Start\n\n- [Install](install.md#helm): with `helm`\n- [Decisions](adr/README.md)\n',
  'docs/install.md':
    '# Install\n[a](../samples/a.yaml) [b](../CONTRIBUTING.md#c) [c](adr/0001.md) [d](#e) [f](https://g.example)\n',
  'docs/adr/README.md': '# Decisions\n\n| [0001](0001.md) | [install](../install.md) |\n',
  'docs/adr/0001.md': '# One\n',
};

function repository(change: Readonly<Record<string, string>> = {}): Repository {
  const pages = new Map(Object.entries({ ...PAGES, ...change }));
  const files = new Set([...pages.keys(), 'LICENSE', 'samples/a.yaml']);
  return { pages, files, description: 'It installs.' };
}

describe('linkedFiles', () => {
  it('has the pages of docs/, and the pages and files that they link, directly or over other pages', () => {
    const { pages, files } = linkedFiles(repository());
    expect([...pages].sort()).toEqual([
      ...['CONTRIBUTING.md', 'charts/README.md', 'docs/README.md', 'docs/adr/0001.md'],
      ...['docs/adr/README.md', 'docs/install.md'],
    ]);
    expect([...files].sort()).toEqual(['LICENSE', 'samples/a.yaml']);
  });
});

describe('sitePath', () => {
  it.each([
    ['docs/README.md', 'index.md'],
    ['docs/install.md', 'install.md'],
    ['docs/adr/README.md', 'adr/index.md'],
    ['CONTRIBUTING.md', 'repository/CONTRIBUTING.md'],
    ['charts/README.md', 'repository/charts/index.md'],
    ['samples/a.yaml', 'repository/samples/a.yaml'],
    ['LICENSE', 'repository/LICENSE.txt'],
  ])('of %s is %s', (source, path) => {
    expect(sitePath(source)).toBe(path);
  });
});

describe('siteLink', () => {
  it.each([
    ['../samples/a.yaml', '/repository/samples/a.yaml'],
    ['../CONTRIBUTING.md#c', '/repository/CONTRIBUTING.md#c'],
    ['../charts/', '/repository/charts/index.md'],
    ['adr/0001.md', '/adr/0001.md'],
    ['#e', '#e'],
    ['https://g.example', 'https://g.example'],
  ])('of %s is %s', (link, target) => {
    expect(siteLink(repository(), 'docs/install.md', link)).toBe(target);
  });

  it('fails and names the page when a link has no target', () => {
    expect(() => siteLink(repository(), 'docs/install.md', 'missing.md')).toThrow(
      'docs/install.md: link to missing.md: no such file; correct the link',
    );
    expect(() => linkedFiles(repository({ 'docs/install.md': '[x](missing.md)' }))).toThrow(
      'docs/install.md: link to missing.md: no such file; correct the link',
    );
  });
});

describe('sidebarOf', () => {
  it('has the sections of docs/README.md, and the pages of a folder below its README.md, and no others', () => {
    expect(sidebarOf(repository())).toEqual([
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
});

describe('heroOf', () => {
  it('has the name, the description and the first pages', () => {
    expect(heroOf(repository())).toEqual({
      name: 'Operator',
      tagline: 'It installs.',
      actions: [
        { theme: 'brand', text: 'Install', link: '/install#helm' },
        { theme: 'alt', text: 'Decisions', link: '/adr/' },
      ],
    });
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
