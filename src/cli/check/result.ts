/** Results of the command `check`. */
import { CommandError } from '../program/environment.ts';
import { errorText } from '../../kubernetes/client/errors.ts';

/** What is checked, in the order of the output. */
export const CHECK_NAMES = [
  'spec',
  'versions',
  'stored values',
  'permissions',
  'Secrets',
  'certificates',
  'CRDs',
  'DNS domain',
  'images',
  'storage',
  'objects',
  'Pods',
  'quota',
] as const;

export type CheckName = (typeof CHECK_NAMES)[number];

export interface CheckResult {
  readonly check: CheckName;
  /** `skipped`: the check cannot be made, for the reason in the message. */
  readonly outcome: 'ok' | 'warning' | 'failed' | 'skipped';
  /** Reason of the condition that would report it, if there is one. */
  readonly reason?: string;
  /** What was found, and what to do. */
  readonly message: string;
}

/** What a check finds: without problems, what it found to be right. */
export interface Found {
  readonly problems: readonly Omit<CheckResult, 'check'>[];
  readonly ok: string;
}

/** Runs a check. A read that fails skips it. */
export async function checked(
  check: CheckName,
  run: () => Promise<Found> | Found,
): Promise<readonly CheckResult[]> {
  try {
    const { problems, ok } = await run();
    if (problems.length === 0) return [{ check, outcome: 'ok', message: ok }];
    return problems.map((problem) => ({ check, ...problem }));
  } catch (error) {
    return [{ check, outcome: 'skipped', message: errorText(error) }];
  }
}

/** Exit code if a check failed; 1 is an error that prevents the checks. */
const FAILED = 2;

/** @throws CommandError with exit code 2 if a check failed */
export function failIfAny(results: readonly CheckResult[]): void {
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  if (failed > 0)
    throw new CommandError(
      `${failed} ${failed === 1 ? 'check has' : 'checks have'} failed`,
      FAILED,
    );
}
