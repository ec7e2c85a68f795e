import { spawnSync } from 'node:child_process';

/** Checks with the linter, then with the formatter; both run even when the first finds something. */
const tools = [
  ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.'],
  ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'],
];
const codes = tools.map((args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
