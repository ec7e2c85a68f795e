/** Selects the faults of a run. */
import { drawn } from '../sample.ts';
import type { Fault } from './fault.ts';

export const titleOf = ({ title }: Fault): string => `names ${title}`;

/**
 * Returns the faults whose ids begin with one of the given texts.
 * @param given texts with commas between them, such as `image,flag-etcd`; undefined for all faults in a complete run, otherwise two
 * @throws Error if a text selects no fault
 */
export function selectFaults(
  faults: readonly Fault[],
  given: string | undefined,
): readonly Fault[] {
  if (given === undefined) return drawn(faults, 2, titleOf);
  const starts = given.split(',').map((start) => start.trim());
  const unknown = starts.filter((start) => !faults.some(({ id }) => id.startsWith(start)));
  if (unknown.length > 0)
    throw new Error(`KARMADA_TEST_FAULTS: no fault has an id that begins with ${unknown.join()}`);
  return faults.filter(({ id }) => starts.some((start) => id.startsWith(start)));
}
