/** No command of the project runs install scripts of packages. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkout } from '../../tools/embedded-cluster/paths.ts';

/** A command that runs install scripts, up to the end of the command. */
const COMMAND =
  /(?<!\w)npm(?: -[\w=-]+)* (?:ci|i|install|add|update|rebuild|exec)\b[^\n`&|;]*|\bnpx [^\n`]*/g;

/** The same in the form of arguments of a process. */
const ARGUMENTS = /\[\s*(?:'npm',\s*)?'(?:ci|i|install|add|update|rebuild|exec)'[^\]]*\]/g;

/** Returns the commands of a file that would run install scripts. */
function running(path: string, text: string): string[] {
  const isCode = /\.[cm]?[jt]s$/.test(path);
  const isNpm = !isCode || /['"]npm['"]/.test(text);
  // Prose names a command without arguments.
  const commands = path.endsWith('.md') ? text.replaceAll(/`npm \w+`/g, '') : text;
  const found = isNpm ? (commands.match(isCode ? ARGUMENTS : COMMAND) ?? []) : [];
  return found.filter((command) => !command.includes('--ignore-scripts'));
}

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: checkout, encoding: 'utf8' })
  .split('\0')
  .filter((path) =>
    /^(?:\.github|\.ci|scripts|test|tools|docs|site)\/|^[\w-]+\.md$|^Dockerfile$|^package\.json$/.test(
      path,
    ),
  )
  .filter((path) => /(?:\.(?:ya?ml|md|json|sh|[cm]?[jt]s)|\/run|Dockerfile)$/.test(path))
  .filter((path) => !path.endsWith('install-scripts.test.ts'));

it('no workflow, script or document installs packages with their install scripts', () => {
  expect(tracked.length).toBeGreaterThan(300);
  const found = tracked.flatMap((path) =>
    running(path, readFileSync(join(checkout, path), 'utf8')).map((line) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});

it('npm runs none if somebody calls it in the checkout', () => {
  expect(readFileSync(join(checkout, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
});

describe('the check', () => {
  it.each([
    ['ci.yaml', '      - run: npm ci\n'],
    [
      'ci.yaml',
      '      - run: npm --prefix=site install --loglevel=error && true --ignore-scripts\n',
    ],
    ['Dockerfile', 'RUN npm install --global npm\n'],
    ['README.md', 'npx cowsay\n'],
    ['README.md', 'run `npm install --package-lock-only`\n'],
    ['README.md', '```text\nnpm ci\n```\n'],
    ['a.ts', "spawnSync('npm', ['ci', '--loglevel=error'])"],
    ['a.mjs', "run(['npm', 'install', spec]); const npm = 'npm'"],
  ])('rejects in %s: %s', (path, text) => {
    expect(running(path, text)).toHaveLength(1);
  });

  it.each([
    ['ci.yaml', '      - run: npm ci --ignore-scripts\n      - run: npm run check\n'],
    ['README.md', 'every command runs `npm ci` when the lock file has changed\n'],
    ['a.ts', "spawnSync('npm', ['ci', '--ignore-scripts'])"],
    ['a.ts', "kubectl(['exec', 'pod'])"],
  ])('accepts in %s: %s', (path, text) => {
    expect(running(path, text)).toEqual([]);
  });
});
