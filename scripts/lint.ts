import { execFile } from 'node:child_process';

const IMPORT_RULES = 'dependency-cruiser.config.js';

/** The format of a file depends only on its content and the settings. */
const CACHE = ['--cache', '--cache-strategy=content'];

/** Checks code rules without and with type information, dead code, import directions, and format. All checks run concurrently. */
const tools = [
  ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.'],
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
