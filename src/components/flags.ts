/** Command lines: the template's flags, and the user's over them. */
import type { FeatureGates, StringMap } from '../api/settings.ts';

const FEATURE_GATES = 'feature-gates';

/**
 * The command with the user's flags in it. A flag the template has keeps its place and takes the
 * user's value; new ones follow, sorted by name. Equal input gives an equal command, so nothing
 * restarts for the order of keys in a map.
 * @param command binary, then flags as `--name=value`
 * @param extraArgs flag name without dashes to value
 * @param gates switches for `--feature-gates`; that flag in `extraArgs` outweighs all of them
 */
export function mergeFlags(
  command: readonly string[],
  extraArgs: StringMap = {},
  gates: FeatureGates = {},
): readonly string[] {
  const wanted = new Map(Object.entries(extraArgs));
  const gateList = formatGates(gates);
  if (gateList !== '' && !wanted.has(FEATURE_GATES)) wanted.set(FEATURE_GATES, gateList);
  const kept = command.map((item) => {
    const name = flagName(item);
    const value = name === undefined ? undefined : wanted.get(name);
    return value === undefined ? item : `--${name}=${value}`;
  });
  const present = new Set(command.map(flagName));
  const added = [...wanted.keys()].filter((name) => !present.has(name)).sort();
  return [...kept, ...added.map((name) => `--${name}=${wanted.get(name) ?? ''}`)];
}

/** Name of a flag in the form `--name=value` or `--name`; undefined for anything else. */
export function flagName(item: string): string | undefined {
  return /^--(?<name>[^=]+)/s.exec(item)?.groups?.['name'];
}

function formatGates(gates: FeatureGates): string {
  return Object.entries(gates)
    .map(([gate, on]) => `${gate}=${on}`)
    .sort()
    .join(',');
}
