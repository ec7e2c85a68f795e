/** Selects the drawn suites of `npm test` by the time that they take. */

/**
 * Seconds of the suites that need servers. `npm test` must end within 25 minutes on two cores with warm caches. Type
 * check, linter, documentation site, unit tests, the operator image and the removal of the clusters take about 5
 * minutes, and 2 minutes are in reserve.
 */
export const SERVER_SECONDS = 1_080;

/** Seconds of the suites that always run in a cluster and of integration tests. The rest is for drawn suites. */
export const INTEGRATION_SECONDS = 870;

/** Number of suites that run at the same time. */
const WORKERS = 2;

/** What determines the share of a suite in a run. */
interface Timed {
  readonly seconds: number;
  /** True if no other suite runs meanwhile. */
  readonly alone: boolean;
}

/** Returns the planned seconds of a run: two workers take the longest suites first, then suites run alone. */
export function runSeconds(suites: readonly Timed[]): number {
  const busy = Array.from({ length: WORKERS }, () => 0);
  const lengths = suites.filter(({ alone }) => !alone).map(({ seconds }) => seconds);
  for (const seconds of lengths.toSorted((a, b) => b - a))
    busy[busy.indexOf(Math.min(...busy))] = Math.min(...busy) + seconds;
  const alone = suites.filter((suite) => suite.alone);
  return Math.max(...busy) + alone.reduce((sum, { seconds }) => sum + seconds, 0);
}

/**
 * Selects suites until their planned time fills the budget. A suite that does not fit is omitted, and the next one
 * that fits is selected.
 * @param always suites that run in any case
 * @param candidates suites to select from, in the order of the draw
 * @param budget seconds of the whole run
 */
export function fillBudget<T extends Timed>(
  always: readonly T[],
  candidates: readonly T[],
  budget: number,
): T[] {
  return candidates.reduce<T[]>((chosen, suite) => {
    const more = [...chosen, suite];
    return runSeconds([...always, ...more]) > budget ? chosen : more;
  }, []);
}
