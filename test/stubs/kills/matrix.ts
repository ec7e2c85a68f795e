/** Runs a change once for each of its writes, after which the operator is killed. */
import { spread } from '../../harness/sample.ts';
import { isOfStatus, numbered, type KillPoint } from './kill-points.ts';
import { inPool } from './pool.ts';

/** A run whose operator was to be killed. */
export interface KilledRun {
  /** Number of processes that were killed. */
  readonly killed: number;
}

/** A run and the write after which its operator was to be killed. */
export type Case<T> = T & { readonly at: KillPoint };

export interface Matrix<T> {
  readonly cases: readonly Case<T>[];
  /** Writes of the undisturbed run after whose first occurrence no operator was killed. */
  readonly missing: readonly string[];
}

/** Writes of a sampled run. */
const SAMPLE = 1;
/** Runs for a write that does not occur in each run, because it depends on the timing. */
const MAX_RUNS = 3;

function note({ point, occurrence }: KillPoint, killed: number, fromMs: number): void {
  const what = killed > 0 ? 'killed' : 'not killed';
  const seconds = ((Date.now() - fromMs) / 1_000).toFixed(1);
  process.stderr.write(`${what} after ${point} (${String(occurrence)}) in ${seconds} s\n`);
}

/**
 * Kills the operator after each write of an undisturbed run. A sample has one write, which the seed draws.
 * @param enumerated points of an undisturbed run, see `killPoint`
 * @param run makes the change with an operator that is killed after this write
 * @param width number of cases at a time
 */
export async function killAtEachPoint<T extends KilledRun>(
  enumerated: readonly string[],
  run: (at: KillPoint) => Promise<T>,
  width: number,
): Promise<Matrix<T>> {
  const untilKilled = async (at: KillPoint): Promise<readonly Case<T>[]> => {
    const cases: Case<T>[] = [];
    while (cases.length < MAX_RUNS && !cases.some(({ killed }) => killed > 0)) {
      const fromMs = Date.now();
      const one = await run(at);
      note(at, one.killed, fromMs);
      cases.push({ ...one, at });
      if (isOfStatus(at.point)) break;
    }
    return cases;
  };
  const runs = await inPool(spread(numbered(enumerated), SAMPLE), width, untilKilled);
  const cases = runs.flat();
  return { cases, missing: runs.filter(isMissing).flatMap(([one]) => one?.at.point ?? []) };
}

/** How often an operator repeats a write depends on the timing, and whether it writes the status. */
const isMissing = (cases: readonly Case<KilledRun>[]): boolean =>
  cases.every(({ at, killed }) => killed === 0 && at.occurrence === 1 && !isOfStatus(at.point));
