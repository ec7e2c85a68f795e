import { spawnSync } from 'node:child_process';
import type { Progress } from '../../test/embedded-cluster/progress.ts';
import type { Counts } from './counts.ts';

/** Runs type check and lint; each counts as one test. */
export function runChecks(out: Progress): [string, Counts][] {
  const checks: [string, string[]][] = [
    ['types', ['node_modules/typescript/bin/tsc', '--noEmit']],
    ['lint', ['scripts/lint.ts']],
  ];
  return checks.map(([name, args]) => {
    out.note(`== ${name}`);
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    const passed = status === 0 ? 1 : 0;
    return [name, { passed, failed: 1 - passed, skipped: 0 }];
  });
}
