import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { treeDigest } from './tree.ts';

/** Files that have the version of the project, and one that does not. */
const FILES = [
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'Dockerfile',
  'README.md',
  '.gitignore',
  'charts/karmada-operator/Chart.yaml',
  'config/deploy/3-operator.yaml',
  'docs/install.md',
  'test/integration/chart/__golden__/default.yaml',
  'jest.config.js',
];

let root: string;
const git = (...args: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
const change = (path: string, edit: (text: string) => string): void => {
  const file = join(root, path);
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tree-'));
  for (const path of FILES) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(checkout, path), join(root, path));
  }
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message=a');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('treeDigest', () => {
  it('is the same in a copy, after a commit without changes, and with ignored files', async () => {
    const before = await treeDigest(root);
    git('commit', '--quiet', '--allow-empty', '--message=b');
    mkdirSync(join(root, 'artifacts'));
    writeFileSync(join(root, 'artifacts/a'), 'a');
    expect(await treeDigest(root)).toBe(before);
  });

  it('is the same when a release sets its version and its changes', async () => {
    const before = await treeDigest(root);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    for (const path of FILES)
      change(path, (text) =>
        text.replaceAll(
          new RegExp(
            `(?<=operator-ts[:",\\s]+(?:"version": ")?|version="|ersion:? '?)${version}`,
            'g',
          ),
          '7.8.9-rc.1',
        ),
      );
    change('CHANGELOG.md', (text) => `${text}\n## 7.8.9-rc.1\n`);
    for (const path of ['package.json', 'package-lock.json', 'README.md', 'docs/install.md'])
      expect(readFileSync(join(root, path), 'utf8')).toContain('7.8.9-rc.1');
    expect(await treeDigest(root)).toBe(before);
  });

  it.each<[string, () => void]>([
    ['a file changes', () => change('jest.config.js', (text) => `${text}\n`)],
    [
      'another line of a file with the version changes',
      () => change('Dockerfile', (text) => `${text}#`),
    ],
    [
      'a dependency changes',
      () => change('package-lock.json', (text) => text.replace('pino', 'p')),
    ],
    ['a file is added', () => writeFileSync(join(root, 'new'), '')],
    ['a file is deleted', () => rmSync(join(root, 'jest.config.js'))],
    ['a file becomes a program', () => chmodSync(join(root, 'jest.config.js'), 0o755)],
  ])('is another one when %s', async (_, edit) => {
    const before = await treeDigest(root);
    edit();
    expect(await treeDigest(root)).not.toBe(before);
  });
});
