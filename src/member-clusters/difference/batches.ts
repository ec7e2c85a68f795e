import { setImmediate as nextTurn } from 'node:timers/promises';

/** Values between two turns of other work: their comparison needs about a millisecond. */
const AT_ONCE = 250;

/** Returns values in batches. Other work goes on between two of them, also if no batch needs a call. */
export async function* inBatches<T>(values: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < values.length; start += AT_ONCE) {
    if (start > 0) await nextTurn();
    yield values.slice(start, start + AT_ONCE);
  }
}
