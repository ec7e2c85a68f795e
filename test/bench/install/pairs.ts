import type { Instance } from './instance.ts';
import { awaitRest, type RestOptions } from './machine.ts';
import { measureInstall, measureRemoval } from './measure.ts';
import { startOperator, stopOperator, type Operator } from './operators.ts';
import type { Run } from './report.ts';
import type { Session } from './session.ts';

/** What a series of runs is made of. */
export interface Series {
  readonly operators: readonly Operator[];
  /** Installed and deleted together. */
  readonly instances: readonly Instance[];
  readonly pairs: number;
  /** Whether a pair that is not counted comes first. */
  readonly warmUp: boolean;
  /** CRDs that a control plane must have. */
  readonly crds: readonly string[];
  readonly rest: RestOptions;
}

/** One installation and one deletion of all instances by a fresh process of the operator. */
async function measureRun(
  session: Session,
  operator: Operator,
  pair: number,
  { instances, crds, rest }: Series,
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
    operator: operator.label,
    pair,
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
): { readonly result: Promise<T>; arrive(): Promise<T> } {
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

/** Operators in the order of a pair: who is first changes from pair to pair. */
export function orderOf<T>(operators: readonly T[], pair: number): T[] {
  return pair % 2 === 0 ? [...operators] : [...operators].reverse();
}

/** Runs all pairs, one run after the other. */
export async function* measurePairs(session: Session, series: Series): AsyncGenerator<Run> {
  for (let pair = series.warmUp ? 0 : 1; pair <= series.pairs; pair++) {
    for (const operator of orderOf(series.operators, pair)) {
      yield await measureRun(session, operator, pair, series);
    }
  }
}
