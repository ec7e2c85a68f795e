/** Writes of an operator as points at which it is killed. Pure functions. */

/** Parts of a write that differ between runs: addresses, and random parts of names. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/^(\w+) https:\/\/[^/]*:5443(?=\/)/, '$1 control plane '],
  [/^(\w+) https:\/\/[^/]*/, '$1 host '],
  [/\?.*$/, ''],
];

/** A write without the parts that differ between runs, such as `PATCH host /api/v1/namespaces/…`. */
export const killPoint = (write: string, namespace: string): string =>
  VARYING.reduce((text, [pattern, by]) => text.replace(pattern, by), write)
    .replaceAll(namespace, 'NAMESPACE')
    // A Pod or an Event may have a random name.
    .replace(/(\/pods\/\S+-)[a-z0-9]{5,10}-[a-z0-9]{5}$/, '$1RANDOM');

/** Points of `enumerated` that `covered` lacks, each as often as it is missing. Status writes vary with the timing. */
export function missingPoints(
  enumerated: readonly string[],
  covered: readonly string[],
): readonly string[] {
  const left = [...covered];
  return enumerated
    .filter((point) => !point.includes('/status'))
    .filter((point) => {
      const at = left.indexOf(point);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
}
