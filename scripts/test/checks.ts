import { attempt } from '../../tools/embedded-cluster/command.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import type { Progress } from '../../tools/embedded-cluster/progress.ts';
import { programResult, type SuiteResult } from './results.ts';

/** Paths of programs with their arguments, by the name of the check. */
type Checks = Readonly<Record<string, readonly string[]>>;

/** Checks without test cases: programs that exit with 0 if they pass. */
export const CHECKS: Checks = {
  types: ['node_modules/typescript-native/bin/tsc', '--noEmit'],
  lint: ['scripts/lint.ts'],
  site: ['scripts/site.ts'],
};

/** Returns the name of a check in the results. */
export const suiteOfCheck = (name: string): string => `check/${name}`;

/** Names of the checks in the results. */
export const checkSuites: readonly string[] = Object.keys(CHECKS).map(suiteOfCheck);

async function runCheck(
  name: string,
  args: readonly string[],
  out: Progress,
): Promise<SuiteResult> {
  const from = Date.now();
  const command = [process.execPath, ...args];
  const { code, stdout, stderr } = await attempt(command, { cwd: checkout });
  const passed = code === 0;
  if (!passed) out.note(`${name} failed:\n${stdout}${stderr}`);
  return programResult({ suite: suiteOfCheck(name), from, to: Date.now(), passed });
}

/**
 * Runs checks concurrently, because each of them uses little more than one core. Prints the output of those that fail.
 * @returns the results in the order of the checks
 */
export const runChecks = (checks: Checks, out: Progress): Promise<SuiteResult[]> =>
  Promise.all(
    Object.entries(checks).map(([name, args]) => out.step(name, () => runCheck(name, args, out))),
  );
