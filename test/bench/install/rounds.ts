import type { Instance } from './instance.ts';
import { awaitRest, type RestOptions } from './machine.ts';
import { measureInstall, measureRemoval } from './measure.ts';
import { startOperator, stopOperator, type Operator } from './operators.ts';
import type { Run } from './report.ts';
import type { Session } from './session.ts';

/** One of the things that are compared. */
export interface Side {
  readonly label: string;
  readonly session: Session;
  readonly operator: Operator;
  /** Installed and deleted together. */
  readonly instances: readonly Instance[];
}

/** What a series of runs is made of. */
export interface Series {
  readonly sides: readonly Side[];
  /** In each of them every side has its turn. */
  readonly rounds: number;
  /** Whether a round that is not counted comes first. */
  readonly warmUp: boolean;
  /** CRDs that a control plane must have. */
  readonly crds: readonly string[];
  readonly rest: RestOptions;
}

/** One installation and one deletion of all instances by a fresh process of the operator. */
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

/** Something that is done once, when so many have arrived; all of them go on when it is done. */
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

/** All are done when the last one is. */
function lastOf<T>(values: readonly T[], time: (value: T) => number): T {
  const [last] = [...values].sort((a, b) => time(b) - time(a));
  if (last === undefined) throw new Error('nothing was measured');
  return last;
}

/** Sides in the order of a round: who is first changes from round to round. */
export function orderOf<T>(sides: readonly T[], round: number): T[] {
  const first = round % sides.length;
  return [...sides.slice(first), ...sides.slice(0, first)];
}

/** Runs all rounds, one run after the other. */
export async function* measureRounds(series: Series): AsyncGenerator<Run> {
  for (let round = series.warmUp ? 0 : 1; round <= series.rounds; round++) {
    for (const side of orderOf(series.sides, round)) yield await measureRun(side, round, series);
  }
}
