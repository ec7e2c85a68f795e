/** Finds flags and feature gates of a spec that the Karmada release of a component does not have. Pure functions. */
import { ifEnabled } from './addon.ts';
import type { DefaultedSpec } from './defaults.ts';
import { quoted } from './field-error.ts';
import { KARMADA_COMPONENTS } from './images.ts';
import type { ComponentKey } from './karmada.ts';
import { COMPONENT_NAME } from './naming.ts';
import type { KarmadaProgram, ProgramTable } from './releases/release-table.ts';
import type { KarmadaRelease } from './releases/releases.ts';
import type { CommonSettings, FeatureGates, StringMap } from './settings.ts';
import { karmadaReleaseOf } from './versions.ts';

/** Flag or feature gate with which a component exits at start. */
export interface UnknownArgument {
  /** Component that does not know it. */
  readonly component: ComponentKey;
  readonly reason: 'UnknownFlag' | 'UnknownFeatureGate';
  /** Name of the flag without dashes, or of the feature gate. */
  readonly name: string;
  /** Field of the spec that contains it. Several components read `spec.featureGates`. */
  readonly field: string;
  /** Field, cause and what to do. */
  readonly message: string;
}

/** Settings that become arguments of a component. */
interface ArgumentSettings extends CommonSettings {
  readonly extraArgs?: StringMap;
  readonly featureGates?: FeatureGates;
}

const FEATURE_GATES = 'feature-gates';

/** Returns the arguments of all Karmada components that their release does not know. */
export function unknownArguments(spec: DefaultedSpec): readonly UnknownArgument[] {
  return KARMADA_COMPONENTS.flatMap((component) => {
    const settings: ArgumentSettings = ifEnabled(spec.components[component]) ?? {};
    const release = karmadaReleaseOf(settings.imageTag ?? '');
    if (release === undefined) return [];
    const found = [
      ...unknownFlags(component, settings, release),
      ...unknownGates(component, { spec, settings }, release),
    ];
    return found.map((one) => ({ ...one, component }));
  });
}

/** Whether a program of a release accepts a flag or has a feature gate. */
export function isKnown(
  { component, reason, name }: Pick<UnknownArgument, 'component' | 'reason' | 'name'>,
  release: KarmadaRelease,
): boolean {
  const table = tableOf(component, release);
  return reason === 'UnknownFlag' ? acceptsFlag(table, name) : table.featureGates.includes(name);
}

const programOf = (component: ComponentKey): KarmadaProgram =>
  COMPONENT_NAME[component] as KarmadaProgram;

const tableOf = (component: ComponentKey, { programs }: KarmadaRelease): ProgramTable =>
  programs[programOf(component)];

/** Karmada programs read `_` in the name of a flag as `-`. */
function acceptsFlag({ flags, hiddenFlags }: ProgramTable, name: string): boolean {
  const normal = name.replaceAll('_', '-');
  return flags.includes(normal) || hiddenFlags.includes(normal);
}

type Found = Omit<UnknownArgument, 'component'>;

function unknownFlags(
  component: ComponentKey,
  { extraArgs = {}, imageTag = '' }: ArgumentSettings,
  release: KarmadaRelease,
): readonly Found[] {
  const table = tableOf(component, release);
  const program = programOf(component);
  const field = `spec.components.${component}.extraArgs`;
  return Object.keys(extraArgs)
    .filter((name) => !acceptsFlag(table, name))
    .map((name) => ({
      reason: 'UnknownFlag',
      name,
      field,
      message: `${field}: ${program} ${imageTag} has no flag ${quoted(name)}, so it exits at start; remove the flag`,
    }));
}

/** Gates by the field that sets them. `extraArgs` overrides the fields for gates. */
function unknownGates(
  component: ComponentKey,
  { spec, settings }: { readonly spec: DefaultedSpec; readonly settings: ArgumentSettings },
  release: KarmadaRelease,
): readonly Found[] {
  const { featureGates: known } = tableOf(component, release);
  // Without the flag, unknownFlags reports it, and spec.featureGates does not apply.
  if (known.length === 0) return [];
  const { extraArgs = {}, featureGates = {}, imageTag = '' } = settings;
  const flag = extraArgs[FEATURE_GATES];
  const fields: readonly (readonly [string, readonly string[]])[] =
    flag === undefined
      ? [
          ['spec.featureGates', Object.keys(spec.featureGates ?? {})],
          [`spec.components.${component}.featureGates`, Object.keys(featureGates)],
        ]
      : [[`spec.components.${component}.extraArgs.${FEATURE_GATES}`, gatesIn(flag)]];
  return fields.flatMap(([field, names]) =>
    names
      .filter((name) => !known.includes(name))
      .map((name) => ({
        reason: 'UnknownFeatureGate',
        name,
        field,
        message: `${field}: ${programOf(component)} ${imageTag} has no feature gate ${quoted(name)}, so it exits at start; remove the feature gate`,
      })),
  );
}

const gatesIn = (flag: string): readonly string[] =>
  flag
    .split(',')
    .flatMap((pair) => pair.split('=', 1))
    .map((name) => name.trim())
    .filter((name) => name !== '');
