/** Runs a change once for each of its writes, after which the operator is killed. */
import { runsAll, spread } from '../../harness/sample.ts';
import { missingPoints, writesNear } from './kill-points.ts';
import { inPool } from './pool.ts';

/** A run whose operator was to be killed. */
export interface KilledRun {
  /** Writes in order, see `killPoint`. */
  readonly points: readonly string[];
  /** Number of processes that were killed. */
  readonly killed: number;
}

/** A run and the number of the write after which its operator was to be killed. */
export type Case<T> = T & { readonly write: number };

export interface Matrix<T> {
  readonly cases: readonly Case<T>[];
  /** Points of the undisturbed run at which no operator was killed; empty for a sample. */
  readonly missing: readonly string[];
}

/** Writes of a sampled run. */
const SAMPLE = 1;
/** Writes that run at the same time have another order in each run, so a point can need more cases. */
const MOST_ROUNDS = 12;

/** The point at which a run was killed; nothing if it had fewer writes than the undisturbed one. */
const pointOf = <T extends KilledRun>({ points, write, killed }: Case<T>): readonly string[] =>
  killed === 0 ? [] : points.slice(write - 1, write);

/**
 * Kills the operator after each write of an undisturbed run, then again until each point of that run was one. A sample has one
 * write, which the seed draws.
 * @param enumerated points of an undisturbed run
 * @param run makes the change with an operator that is killed after this write
 * @param width number of cases at a time
 */
export async function killAtEachPoint<T extends KilledRun>(
  enumerated: readonly string[],
  run: (write: number) => Promise<T>,
  width: number,
): Promise<Matrix<T>> {
  const runAll = (writes: readonly number[]): Promise<Case<T>[]> =>
    inPool(writes, width, async (write) => ({ ...(await run(write)), write }));
  const writes = enumerated.map((_, index) => index + 1);
  const cases = await runAll(spread(writes, SAMPLE));
  if (!runsAll) return { cases, missing: [] };
  for (let round = 0; ; round += 1) {
    const missing = missingPoints(enumerated, cases.flatMap(pointOf));
    if (missing.length === 0 || round === MOST_ROUNDS) return { cases, missing };
    cases.push(...(await runAll(writesNear(enumerated, missing, round))));
  }
}
