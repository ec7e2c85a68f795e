import type { Instance } from './instance.ts';
import { awaitRest, type RestOptions } from './machine.ts';
import { measureInstall, measureRemoval } from './measure.ts';
import { startOperator, stopOperator, type Operator } from './operators.ts';
import type { Run } from './report.ts';
import type { Session } from './session.ts';

/** One compared side. */
export interface Side {
  readonly label: string;
  readonly session: Session;
  readonly operator: Operator;
  /** Control planes that are installed and deleted together. */
  readonly instances: readonly Instance[];
}

/** Parameters of a series of runs. */
export interface Series {
  readonly sides: readonly Side[];
  /** Number of rounds. Each round measures every side once. */
  readonly rounds: number;
  /** True to run a warm-up round first, which is not counted. */
  readonly warmUp: boolean;
  /** Names of the required CRDs of a control plane. */
  readonly crds: readonly string[];
  readonly rest: RestOptions;
}

/** Installs and deletes all control planes of a side once, with a new operator process. */
async function measureRun(
  { label, session, operator, instances }: Side,
  round: number,
  { crds, rest }: Series,
): Promise<Run> {
  await startOperator(session, operator);
  const settled = gathering(instances.length, () => awaitRest(rest));
  const installs = await Promise.all(
    instances.map((instance) => measureInstall(session, instance, crds, settled.arrive)),
  );
  const restBeforeRemoval = await awaitRest(rest);
  const removals = await Promise.all(
    instances.map((instance) => measureRemoval(session, instance)),
  );
  await stopOperator(session, operator);
  return {
    side: label,
    round,
    restBeforeInstall: await settled.result,
    install: {
      ...lastOf(installs, ({ readyMs }) => readyMs),
      saidReadyMs: Math.max(...installs.map(({ saidReadyMs }) => saidReadyMs)),
    },
    restBeforeRemoval,
    removal: {
      ...lastOf(removals, ({ goneMs }) => goneMs),
      returnedMs: Math.max(...removals.map(({ returnedMs }) => returnedMs)),
    },
  };
}

/** A barrier: runs an action once after `count` calls of `arrive`, which all resolve with its result. */
function gathering<T>(
  count: number,
  action: () => Promise<T>,
): { readonly result: Promise<T>; readonly arrive: () => Promise<T> } {
  const { promise: result, resolve } = Promise.withResolvers<T>();
  let arrived = 0;
  const arrive = (): Promise<T> => {
    arrived += 1;
    if (arrived === count) resolve(action());
    return result;
  };
  return { result, arrive };
}

/** Returns the value with the longest time. @throws Error if there are no values */
function lastOf<T>(values: readonly T[], time: (value: T) => number): T {
  const [last] = [...values].sort((a, b) => time(b) - time(a));
  if (last === undefined) throw new Error('no control plane was measured');
  return last;
}

/** Returns the sides in the order of a round. The first side rotates with each round. */
export function orderOf<T>(sides: readonly T[], round: number): T[] {
  const first = round % sides.length;
  return [...sides.slice(first), ...sides.slice(0, first)];
}

/** Runs all rounds sequentially. */
export async function* measureRounds(series: Series): AsyncGenerator<Run> {
  for (let round = series.warmUp ? 0 : 1; round <= series.rounds; round++) {
    for (const side of orderOf(series.sides, round)) yield await measureRun(side, round, series);
  }
}
