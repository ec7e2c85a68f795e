/** Writing defaults into a Karmada with a field manager of their own, by server-side apply. */
import { isDeepStrictEqual } from 'node:util';

import type { HostFacts } from './defaults.ts';
import { ADDONS, isOff, ON_BY_DEFAULT } from './addon.ts';
import { storedDefaults } from './defaults.ts';
import type { Json } from './fill.ts';
import { fill, isObject, missing, own } from './fill.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from './images.ts';
import type { ComponentKey, Karmada, KarmadaSpec } from './karmada.ts';
import { DEFAULTS_FIELD_MANAGER } from './karmada.ts';

/**
 * What the manager of the defaults has to apply as `spec`, or undefined when nothing changes.
 *
 * The whole intent, as server-side apply wants it: defaults for what is unset now, plus what this
 * manager owns already with the value it has, whatever today's defaults are. What anybody else owns
 * stays out, and so does an add-on that nobody but this manager asks for any more, or that is
 * switched off: when it comes back it gets the release of that time. With `spec.version` the tags
 * that it owns follow that. Apply it with the resourceVersion it was computed from and with force
 * (which only matters for fields somebody owns as empty strings).
 */
export function defaultsPatch(karmada: Karmada, host: HostFacts): KarmadaSpec | undefined {
  const managed = managedDefaults(karmada);
  const abandoned = ADDONS.filter((key) => managed.components?.[key] && !isWanted(karmada, key));
  const moved = movedTags(karmada, managed);
  const spec = withoutTags(karmada.spec ?? {}, moved);
  const given = withoutAddons(
    spec,
    abandoned.filter((key) => !isOff(spec.components?.[key])),
  );
  const stable = withoutTags(withoutAddons(managed, abandoned), moved);
  const kept = withoutMovedRepositories(given, stable);
  const gaps = missing(given, storedDefaults(given, host));
  const intent = fill(kept, gaps ?? {});
  return isDeepStrictEqual(intent, managed) ? undefined : (intent as KarmadaSpec);
}

/** The part of a Karmada's spec that the manager of the defaults owns, with its present values. */
export function managedDefaults(karmada: Karmada): KarmadaSpec {
  const fields = fieldsAt((karmada.metadata.managedFields ?? []).find(isOurs), ['f:spec']);
  const owned = fields ? ownedPart(fields, karmada.spec ?? {}) : {};
  return (owned ?? {}) as KarmadaSpec;
}

function isOurs(entry: unknown): boolean {
  return (
    isObject(entry) &&
    entry['manager'] === DEFAULTS_FIELD_MANAGER &&
    entry['operation'] === 'Apply' &&
    isUnsetSubresource(entry['subresource'])
  );
}

function isUnsetSubresource(subresource: unknown): boolean {
  return subresource === undefined || subresource === '';
}

/** Whether an add-on is to have defaults. */
function isWanted(karmada: Karmada, addon: ComponentKey): boolean {
  if (isOff(karmada.spec?.components?.[addon])) return false;
  return (ON_BY_DEFAULT as readonly ComponentKey[]).includes(addon) || isGiven(karmada, [addon]);
}

/** Whether somebody else than the manager of the defaults put this below `spec.components`. */
function isGiven(karmada: Karmada, names: readonly string[]): boolean {
  const path = ['spec', 'components', ...names].map((name) => `f:${name}`);
  const others = (karmada.metadata.managedFields ?? []).filter((entry) => !isOurs(entry));
  return others.some((entry) => fieldsAt(entry, path) !== undefined);
}

/** Components whose tag is a default and follows `spec.version`. */
function movedTags(karmada: Karmada, managed: KarmadaSpec): readonly ComponentKey[] {
  if (!karmada.spec?.version) return [];
  return [...KARMADA_COMPONENTS, ...KUBERNETES_COMPONENTS].filter(
    (key) =>
      managed.components?.[key]?.imageTag !== undefined && !isGiven(karmada, [key, 'imageTag']),
  );
}

function withoutTags(spec: KarmadaSpec, keys: readonly ComponentKey[]): KarmadaSpec {
  if (keys.length === 0) return spec;
  const entries = Object.entries(spec.components ?? {}).map(([key, settings]) =>
    (keys as readonly string[]).includes(key)
      ? [key, { ...settings, imageTag: undefined }]
      : [key, settings],
  );
  return { ...spec, components: Object.fromEntries(entries) as KarmadaSpec['components'] };
}

function fieldsAt(entry: unknown, path: readonly string[]): Json | undefined {
  let fields: unknown = isObject(entry) ? entry['fieldsV1'] : undefined;
  for (const name of path) fields = isObject(fields) ? own(fields, name) : undefined;
  return isObject(fields) ? fields : undefined;
}

function withoutAddons(spec: KarmadaSpec, addons: readonly ComponentKey[]): KarmadaSpec {
  if (addons.length === 0) return spec;
  const components = Object.entries(spec.components ?? {});
  const kept = components.filter(([key]) => !(addons as readonly string[]).includes(key));
  return { ...spec, components: Object.fromEntries(kept) };
}

/** Objects in a claim that the CRD declares as atomic: owned as a whole or not at all. */
const ATOMIC: ReadonlySet<string> = new Set(['selector', 'dataSource']);

/**
 * Picks from a value what a FieldsV1 set names. An empty set is a whole list, scalar or atomic
 * object; of any other object it is just that it exists, its fields are somebody else's.
 */
function ownedPart(fields: Json, value: unknown, name = ''): unknown {
  if (!isObject(value) || ATOMIC.has(name)) return value;
  const parts = Object.entries(fields)
    .filter(([field]) => field.startsWith('f:'))
    .map(([field, set]) => [field.slice(2), set] as const)
    .map(([key, set]) => [key, ownedPart(isObject(set) ? set : {}, own(value, key), key)] as const)
    .filter(([, part]) => part !== undefined);
  return Object.fromEntries(parts);
}

/** With a private registry the repositories are computed from it and no longer stored. */
function withoutMovedRepositories(spec: KarmadaSpec, managed: KarmadaSpec): unknown {
  return spec.privateRegistry?.registry ? dropKey(managed, 'imageRepository') : managed;
}

function dropKey(value: unknown, dropped: string): unknown {
  if (!isObject(value)) return value;
  const rest = Object.entries(value).filter(([key]) => key !== dropped);
  return Object.fromEntries(rest.map(([key, part]) => [key, dropKey(part, dropped)]));
}
