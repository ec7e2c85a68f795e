/** Merges the user's command line flags into those of a template. */
import type { FeatureGates, StringMap } from '../api/settings.ts';

const FEATURE_GATES = 'feature-gates';

/**
 * Returns the command with the user's flags. A flag of the template keeps its position and takes the
 * user's value. New flags follow, sorted by name. Equal input gives an equal command, so the order
 * of keys in a map never restarts a Pod.
 * @param command binary, then flags as `--name=value`
 * @param extraArgs flag name without dashes to value
 * @param gates values for `--feature-gates`; that flag in `extraArgs` overrides all of them
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

/** Returns the name of a flag in the form `--name=value` or `--name`, or undefined for other arguments. */
export function flagName(item: string): string | undefined {
  return /^--(?<name>[^=]+)/.exec(item)?.groups?.['name'];
}

function formatGates(gates: FeatureGates): string {
  return Object.entries(gates)
    .map(([gate, on]) => `${gate}=${on}`)
    .sort()
    .join(',');
}
