import type { Progress } from '../../test/embedded-cluster/progress.ts';
import { runProgram } from './program.ts';
import { programResult, type SuiteResult } from './results.ts';

/** Checks without test cases, by name: programs that exit with 0 if they pass. */
export const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: ['node_modules/typescript/bin/tsc', '--noEmit'],
  lint: ['scripts/lint.ts'],
  site: ['scripts/site.ts'],
};

/** Returns the name of a check in the results. */
export const suiteOfCheck = (name: string): string => `check/${name}`;

/** Names of the checks in the results. */
export const checkSuites: readonly string[] = Object.keys(CHECKS).map(suiteOfCheck);

/** Runs a check. */
export async function runCheck(name: string, out: Progress): Promise<SuiteResult> {
  out.note(`== ${name}`);
  const from = Date.now();
  const passed = await runProgram(CHECKS[name] ?? []);
  return programResult({ suite: suiteOfCheck(name), from, to: Date.now(), passed });
}
