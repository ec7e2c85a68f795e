import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout, digest } from '../tools/embedded-cluster/paths.ts';

const IMPORT_RULES = 'dependency-cruiser.config.js';

/** What ESLint and Prettier find depends only on the content of a file and the settings. */
const CACHE = ['--cache', '--cache-strategy=content'];

/** ESLint does not know when a rule of this repository changes. */
const RULES = digest(
  ['rescanned-text', 'pattern-modifiers', 'type-assertions']
    .map((rule) => readFileSync(join(checkout, `scripts/lint/${rule}.ts`), 'utf8'))
    .join('\n'),
);
const ESLINT_CACHE = `--cache-location=node_modules/.cache/eslint/${RULES}`;

/** Checks code rules without and with type information, dead code, import directions, and format. All checks run concurrently. */
const tools = [
  ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', ...CACHE, ESLINT_CACHE, '.'],
  [
    'node_modules/oxlint/bin/oxlint',
    '--type-aware',
    '--disable-nested-config',
    '--deny-warnings',
    '--quiet',
  ],
  ['node_modules/knip/bin/knip.js'],
  ['node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', '--config', IMPORT_RULES, 'src'],
  ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', ...CACHE, '.'],
];

const run = (args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { maxBuffer: Infinity };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      process.stdout.write(stdout);
      process.stderr.write(stderr);
      resolve(error === null);
    });
  });

const passed = await Promise.all(tools.map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
