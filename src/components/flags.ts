/** Merges the user's command line flags into those of a template. */
import { compatibleFlags, type TemplateFlag } from '../api/flags/exclusive-flags.ts';
import { flagValues } from '../api/flags/flag-values.ts';
import type { Components } from '../api/karmada.ts';
import type { FeatureGates, StringMap } from '../api/settings.ts';

const FEATURE_GATES = 'feature-gates';

/** Flags of the user for one component. */
export interface GivenFlags {
  readonly component: keyof Components;
  /** Flag name without dashes to value. Each line of a value sets the flag once. */
  readonly extraArgs?: StringMap | undefined;
  /** Values for `--feature-gates`; that flag in `extraArgs` overrides all of them. */
  readonly featureGates?: FeatureGates | undefined;
}

/**
 * Returns the command with the user's flags. A flag of the template keeps its position and takes the user's value, and is left
 * out if the program does not accept it together with a flag of the user. New flags follow, sorted by name. Equal input gives
 * an equal command, so the order of keys in a map never restarts a Pod.
 * @param command binary, then flags as `--name=value`
 */
export function mergeFlags(
  command: readonly string[],
  { component, extraArgs = {}, featureGates = {} }: GivenFlags,
): readonly string[] {
  const wanted = new Map(Object.entries(extraArgs));
  const gateList = formatGates(featureGates);
  if (gateList !== '' && !wanted.has(FEATURE_GATES)) wanted.set(FEATURE_GATES, gateList);
  const present = new Set(command.map(flagName));
  const kept = command.flatMap((item) => {
    const flag = parsed(item);
    if (flag === undefined) return [item];
    return compatibleFlags(component, [flag], extraArgs).flatMap(([name, value]) => {
      const given = wanted.get(name);
      return given === undefined ? [`--${name}=${value}`] : formatFlag(name, given);
    });
  });
  const added = [...wanted.keys()].filter((name) => !present.has(name)).sort();
  return [...kept, ...added.flatMap((name) => formatFlag(name, wanted.get(name) ?? ''))];
}

const formatFlag = (name: string, value: string): readonly string[] =>
  flagValues(value).map((one) => `--${name}=${one}`);

/** Returns name and value of a flag in the form `--name=value`, or undefined for other arguments. */
function parsed(item: string): TemplateFlag | undefined {
  const groups = /^--(?<name>[^=]+)=(?<value>.*)$/s.exec(item)?.groups;
  return groups && [groups['name'] ?? '', groups['value'] ?? ''];
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
