/** Finds flags and feature gates of a spec that the Karmada release of a component does not have. Pure functions. */
import { ifEnabled } from '../addon.ts';
import type { DefaultedSpec } from '../defaults/defaults.ts';
import { quoted } from '../validation/field-error.ts';
import { KARMADA_COMPONENTS } from '../images.ts';
import type { ComponentKey } from '../karmada.ts';
import { MAX_NAMED } from '../listed.ts';
import { COMPONENT_NAME } from '../naming.ts';
import type { KarmadaProgram, ProgramTable } from '../releases/release-table.ts';
import type { KarmadaRelease } from '../releases/releases.ts';
import type { CommonSettings, FeatureGates, StringMap } from '../settings.ts';
import { karmadaReleaseOf } from '../versions/versions.ts';

/** Flags or feature gates of one field, with which a component exits at start. */
export interface UnknownArguments {
  /** Component that does not know them. */
  readonly component: ComponentKey;
  readonly reason: 'UnknownFlag' | 'UnknownFeatureGate';
  /** Names of the flags without dashes, or of the feature gates; not empty. */
  readonly names: readonly string[];
  /** Field of the spec that contains them. Several components read `spec.featureGates`. */
  readonly field: string;
  /** Program and image tag for messages, such as `karmada-webhook v1.18.2`. */
  readonly program: string;
}

/** Settings that become arguments of a component. */
interface ArgumentSettings extends CommonSettings {
  readonly extraArgs?: StringMap;
  readonly featureGates?: FeatureGates;
}

const FEATURE_GATES = 'feature-gates';

/** Returns the arguments of all Karmada components that their release does not know. Its time grows with the length of the spec. */
export function unknownArguments(spec: DefaultedSpec): readonly UnknownArguments[] {
  return KARMADA_COMPONENTS.flatMap((component) => {
    const settings: ArgumentSettings = ifEnabled(spec.components[component]) ?? {};
    const { imageTag = '' } = settings;
    const release = karmadaReleaseOf(imageTag);
    if (release === undefined) return [];
    const program = `${programOf(component)} ${imageTag}`;
    const fields = [
      flagsOf(component, settings),
      ...(hasGates(component, release) ? gatesOf(component, settings, spec) : []),
    ];
    return fields.flatMap(({ reason, field, names: given }) => {
      const known = knownArguments({ component, reason }, release);
      const names = given.filter((name) => !known(name));
      return names.length === 0 ? [] : [{ component, reason, field, program, names }];
    });
  });
}

/**
 * Returns messages with field, cause and what to do, without a full stop: one for each of the first names, and one with the number of
 * the others.
 */
export function messagesOf({ reason, names, field, program }: UnknownArguments): readonly string[] {
  const kind = reason === 'UnknownFlag' ? 'flag' : 'feature gate';
  const others = names.length - MAX_NAMED;
  const shown = names
    .slice(0, MAX_NAMED)
    .map(
      (name) =>
        `${field}: ${program} has no ${kind} ${quoted(name)}, so it exits at start; remove the ${kind}`,
    );
  const more = `${field}: and ${others} more that ${program} does not have; remove the ${kind}s`;
  return others > 0 ? [...shown, more] : shown;
}

/** Returns whether a program of a release accepts a flag or has a feature gate, as a function of the name. */
export function knownArguments(
  { component, reason }: Pick<UnknownArguments, 'component' | 'reason'>,
  release: KarmadaRelease,
): (name: string) => boolean {
  const { flags, hiddenFlags, featureGates } = tableOf(component, release);
  const names = new Set(reason === 'UnknownFlag' ? [...flags, ...hiddenFlags] : featureGates);
  // Karmada programs read `_` in the name of a flag as `-`.
  return (name) => names.has(reason === 'UnknownFlag' ? name.replaceAll('_', '-') : name);
}

const programOf = (component: ComponentKey): KarmadaProgram =>
  COMPONENT_NAME[component] as KarmadaProgram;

const tableOf = (component: ComponentKey, { programs }: KarmadaRelease): ProgramTable =>
  programs[programOf(component)];

/** Without the flag, it is an unknown flag itself, and spec.featureGates does not apply. */
const hasGates = (component: ComponentKey, release: KarmadaRelease): boolean =>
  tableOf(component, release).featureGates.length > 0;

type Given = Pick<UnknownArguments, 'reason' | 'field' | 'names'>;

const flagsOf = (component: ComponentKey, { extraArgs = {} }: ArgumentSettings): Given => ({
  reason: 'UnknownFlag',
  field: `spec.components.${component}.extraArgs`,
  names: Object.keys(extraArgs),
});

/** Gates by the field that sets them. `extraArgs` overrides the fields for gates. */
function gatesOf(
  component: ComponentKey,
  { extraArgs = {}, featureGates = {} }: ArgumentSettings,
  spec: DefaultedSpec,
): readonly Given[] {
  const flag = extraArgs[FEATURE_GATES];
  const at = `spec.components.${component}`;
  const fields: readonly (readonly [string, readonly string[]])[] =
    flag === undefined
      ? [
          ['spec.featureGates', Object.keys(spec.featureGates ?? {})],
          [`${at}.featureGates`, Object.keys(featureGates)],
        ]
      : [[`${at}.extraArgs.${FEATURE_GATES}`, gatesIn(flag)]];
  return fields.map(([field, names]) => ({ reason: 'UnknownFeatureGate', field, names }));
}

/** Names of the gates in a value of the flag, such as `A=true,B=false`. */
export const gatesIn = (flag: string): readonly string[] =>
  flag
    .split(',')
    .flatMap((pair) => pair.split('=', 1))
    .map((name) => name.trim())
    .filter((name) => name !== '');
