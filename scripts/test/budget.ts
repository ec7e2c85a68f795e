/** Selects the sampled suites of a run by the time that they take. */

/**
 * Seconds for the suites that need servers. `npm test` must end within 30 minutes on two cores with warm caches. Type
 * check, linter, unit tests, the operator image and the removal of the clusters take up to 4 minutes of them, and 3
 * minutes are in reserve.
 */
export const SERVER_SECONDS = 1_380;

/** Number of suites that run at the same time. */
const WORKERS = 2;

/** A suite and what determines its share of a run. */
export interface Suite {
  readonly file: string;
  /** Expected seconds. */
  readonly seconds: number;
  /** True if no other suite runs meanwhile. */
  readonly alone: boolean;
}

/** Returns the expected seconds of a run: two workers take the longest suites first, then suites run alone. */
export function runSeconds(suites: readonly Suite[]): number {
  const busy = Array.from({ length: WORKERS }, () => 0);
  for (const { seconds } of suites.filter(({ alone }) => !alone).toSorted(byLength))
    busy[busy.indexOf(Math.min(...busy))] = Math.min(...busy) + seconds;
  const alone = suites.filter((suite) => suite.alone);
  return Math.max(...busy) + alone.reduce((sum, { seconds }) => sum + seconds, 0);
}

const byLength = (a: Suite, b: Suite): number => b.seconds - a.seconds;

/**
 * Selects suites until their expected time fills the budget. A suite that does not fit is omitted, and the next one
 * that fits is selected.
 * @param always suites that run in any case
 * @param candidates suites to select from, the most important first
 * @param budget seconds of the whole run
 */
export function fillBudget(
  always: readonly Suite[],
  candidates: readonly Suite[],
  budget: number,
): Suite[] {
  return candidates.reduce<Suite[]>((chosen, suite) => {
    const more = [...chosen, suite];
    return runSeconds([...always, ...more]) > budget ? chosen : more;
  }, []);
}

/** Returns true if a suite took so much longer than expected that later runs may exceed their time. */
export const isLate = (seconds: number, expected: number): boolean => seconds > expected * 1.3 + 20;
