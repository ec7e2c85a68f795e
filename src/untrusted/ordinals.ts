/** Most numbers of a list. A StatefulSet of etcd has at most 99 members, but a spec or a server may state any number. */
const MOST = 1_000;

/**
 * Returns the numbers from 0 below a count, at most 1,000. A list as long as a number in the input fills the memory.
 * @param count any number of a spec or of a server
 */
export const ordinalsBelow = (count: number): readonly number[] =>
  Array.from({ length: Math.min(count, MOST) }, (_, ordinal) => ordinal);
