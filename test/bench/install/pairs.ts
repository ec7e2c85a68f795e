import type { Instance } from './instance.ts';
import { awaitRest, type Rest, type RestOptions } from './machine.ts';
import { measureInstall, measureRemoval } from './measure.ts';
import { startOperator, stopOperator, type Operator } from './operators.ts';
import type { Run } from './report.ts';
import type { Session } from './session.ts';

/** What a series of runs is made of. */
export interface Series {
  readonly operators: readonly Operator[];
  readonly pairs: number;
  /** Whether a pair that is not counted comes first. */
  readonly warmUp: boolean;
  /** CRDs that a control plane must have. */
  readonly crds: readonly string[];
  readonly rest: RestOptions;
}

const instance: Instance = { namespace: 'bench', name: 'demo' };

/** One install and one deletion by a fresh process of the operator. */
async function measureRun(
  session: Session,
  operator: Operator,
  pair: number,
  { crds, rest }: Series,
): Promise<Run> {
  await startOperator(session, operator);
  let restBeforeInstall: Rest | undefined;
  const settle = async (): Promise<void> => {
    restBeforeInstall = await awaitRest(rest);
  };
  const install = await measureInstall(session, instance, crds, settle);
  const restBeforeRemoval = await awaitRest(rest);
  const removal = await measureRemoval(session, instance);
  await stopOperator(session, operator);
  if (restBeforeInstall === undefined) throw new Error('the install began without a rest');
  return { operator: operator.label, pair, restBeforeInstall, install, restBeforeRemoval, removal };
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
