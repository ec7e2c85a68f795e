/** Writes of an operator as points at which it is killed. Pure functions. */

/** Parts of a write that differ between runs: addresses, and random parts of names. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/^(\w+) https:\/\/[^/]*:5443(?=\/)/, '$1 control plane '],
  [/^(\w+) https:\/\/[^/]*/, '$1 host '],
  [/\?.*$/, ''],
  // Each restore has PVCs with a number of their own.
  [/(\/persistentvolumeclaims\/)r\d+-/, '$1'],
];

/**
 * A write without the parts that differ between runs, such as `PATCH host /api/v1/namespaces/…`.
 * @param run name of the run, if objects have it in their names
 */
export const killPoint = (write: string, namespace: string, run = namespace): string =>
  VARYING.reduce((text, [pattern, by]) => text.replace(pattern, by), write)
    .replaceAll(run, run === namespace ? 'NAMESPACE' : 'RUN')
    .replaceAll(namespace, 'NAMESPACE')
    // A Pod or an Event may have a random name.
    .replace(/(\/pods\/\S+-)[a-z0-9]{5,10}-[a-z0-9]{5}$/, '$1RANDOM');

/** Status writes vary with the timing. */
export const isOfStatus = (point: string): boolean => point.endsWith('/status');

/** Points of `enumerated` that `covered` lacks, each as often as it is missing. Those of the status do not count. */
export function missingPoints(
  enumerated: readonly string[],
  covered: readonly string[],
): readonly string[] {
  const left = [...covered];
  return enumerated
    .filter((point) => !isOfStatus(point))
    .filter((point) => {
      const at = left.indexOf(point);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
}

/**
 * Numbers of writes at which missing points probably are: where the undisturbed run had them, in later rounds at a growing
 * distance before and after.
 * @param round counted from 0
 */
export function writesNear(
  enumerated: readonly string[],
  missing: readonly string[],
  round: number,
): readonly number[] {
  const distance = Math.ceil(round / 2) * (round % 2 === 0 ? -1 : 1);
  const writes = missing.map((point) => enumerated.lastIndexOf(point) + 1 + distance);
  return [...new Set(writes.map((write) => Math.min(Math.max(write, 1), enumerated.length)))];
}
