/** Writes of an operator as points at which it is killed. Pure functions. */
import type { Kills } from '../operator/operator-process.ts';

/** A write of a run. */
export interface KillPoint {
  /** The write without the parts that differ between runs, see `killPoint`. */
  readonly point: string;
  /** Number of the write among equal ones of the run, counted from 1. */
  readonly occurrence: number;
}

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

/** What stands in a write in place of the words of `killPoint`. */
const PATTERNS: Readonly<Record<string, string>> = {
  'control plane ': 'https://[^/]*:5443',
  'host ': 'https://[^/]*(?<!:5443)',
  '/persistentvolumeclaims/': String.raw`/persistentvolumeclaims/(?:r\d+-)?`,
  RANDOM: '[a-z0-9]{5,10}-[a-z0-9]{5}',
};
const WORDS = /(control plane |host |\/persistentvolumeclaims\/|RANDOM|NAMESPACE|RUN)/;

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Kills the operator after a write of a run. @param run see `killPoint` */
export function killsAt(
  { point, occurrence }: KillPoint,
  namespace: string,
  run = namespace,
): Kills {
  const names: Readonly<Record<string, string>> = { NAMESPACE: namespace, RUN: run };
  const parts = point.split(WORDS).map((part) => PATTERNS[part] ?? escaped(names[part] ?? part));
  return { afterWrite: occurrence, of: new RegExp(String.raw`^${parts.join('')}(?:\?.*)?$`) };
}

/** Numbers equal writes of a run. @param points in order, see `killPoint` */
export const numbered = (points: readonly string[]): readonly KillPoint[] =>
  points.map((point, index) => ({
    point,
    occurrence: points.slice(0, index + 1).filter((other) => other === point).length,
  }));

/** Status writes vary with the timing. */
export const isOfStatus = (point: string): boolean => point.endsWith('/status');
