/** Computes the server-side apply intent that stores defaults in a Karmada with a separate field manager. */
import { isDeepStrictEqual } from 'node:util';

import type { HostFacts } from './defaults.ts';
import { ADDONS, isDisabled, ON_BY_DEFAULT } from '../addon.ts';
import { storedDefaults } from './defaults.ts';
import { fill, missing, own } from './fill.ts';
import { isObject, type Json } from '../../kubernetes/objects/compare.ts';
import { KARMADA_COMPONENTS, KUBERNETES_COMPONENTS } from '../images.ts';
import type { ComponentKey, Karmada, KarmadaSpec } from '../karmada.ts';
import { DEFAULTS_FIELD_MANAGER, FIELD_MANAGER } from '../karmada.ts';
import { isReleaseTag } from '../versions/versions.ts';

/**
 * Returns the `spec` that the field manager of the defaults must apply, or undefined if nothing changes.
 *
 * The result is a complete server-side apply intent: defaults for unset fields, plus the current values of fields that
 * this manager owns already, even if the defaults have changed since. It contains neither fields of other managers nor
 * add-ons that are disabled or that no other manager sets any more; such an add-on gets the current release when it is
 * enabled again. If `spec.version` is set, the tags that this manager owns follow it.
 *
 * Apply the result with the resourceVersion of the input and with force. Force matters only for fields that another
 * manager owns as empty strings.
 */
export function defaultsPatch(karmada: Karmada, host: HostFacts): KarmadaSpec | undefined {
  const managed = managedDefaults(karmada);
  const abandoned = ADDONS.filter((key) => managed.components?.[key] && !isWanted(karmada, key));
  const moved = movedTags(karmada, managed);
  const spec = withoutTags(karmada.spec ?? {}, moved);
  const given = withoutAddons(
    spec,
    abandoned.filter((key) => !isDisabled(spec.components?.[key])),
  );
  const stable = withoutTags(withoutAddons(managed, abandoned), moved);
  const kept = withoutMovedRepositories(given, stable);
  const gaps = missing(given, storedDefaults(given, host));
  const intent = fill(kept, gaps ?? {});
  return isDeepStrictEqual(intent, managed) ? undefined : (intent as KarmadaSpec);
}

/** Returns the part of a spec that the field manager of the defaults owns, with the current values. */
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

/** Whether an add-on gets defaults. */
function isWanted(karmada: Karmada, addon: ComponentKey): boolean {
  if (isDisabled(karmada.spec?.components?.[addon])) return false;
  return ON_BY_DEFAULT.some((key) => key === addon) || isGiven(karmada, [addon]);
}

/**
 * Whether another field manager than that of the defaults owns a path below `spec.components`.
 * @param ignored field managers that do not count
 */
function isGiven(
  karmada: Karmada,
  names: readonly string[],
  ignored: (entry: unknown) => boolean = () => false,
): boolean {
  const path = ['spec', 'components', ...names].map((name) => `f:${name}`);
  const others = (karmada.metadata.managedFields ?? []).filter(
    (entry) => !isOurs(entry) && !ignored(entry),
  );
  return others.some((entry) => fieldsAt(entry, path) !== undefined);
}

/**
 * Components whose tag is a stored default and follows the release of the others: that of `spec.version`, or else that of the
 * tags which the user gives to all components that are always installed, as in an upgrade with the Go operator.
 */
function movedTags(karmada: Karmada, managed: KarmadaSpec): readonly ComponentKey[] {
  const follows = karmada.spec?.version
    ? [...KARMADA_COMPONENTS, ...KUBERNETES_COMPONENTS]
    : commonTagFollowers(karmada);
  return follows.filter(
    (key) =>
      (managed.components?.[key]?.imageTag !== undefined || isGoDefault(karmada, key)) &&
      !isGiven(karmada, [key, 'imageTag'], isGoOperator),
  );
}

/** Add-ons, if the user gives one release to all components that are always installed. */
function commonTagFollowers(karmada: Karmada): readonly ComponentKey[] {
  const always = KARMADA_COMPONENTS.filter((key) => !ADDONS.includes(key));
  const tags = always.map((key) => karmada.spec?.components?.[key]?.imageTag?.split('@', 1)[0]);
  const [tag] = tags;
  const isCommon = tag !== undefined && isReleaseTag(tag) && tags.every((other) => other === tag);
  const areGiven = always.every((key) => isGiven(karmada, [key, 'imageTag'], isGoOperator));
  return isCommon && areGiven ? KARMADA_COMPONENTS.filter((key) => !always.includes(key)) : [];
}

/** Whether only the Go operator, which stored its defaults by update, has set the tag of a component. */
const isGoDefault = (karmada: Karmada, key: ComponentKey): boolean =>
  karmada.spec?.components?.[key]?.imageTag !== undefined &&
  (karmada.metadata.managedFields ?? []).some(
    (entry) => isGoOperator(entry) && fieldsAt(entry, tagPath(key)) !== undefined,
  );

const tagPath = (key: ComponentKey): readonly string[] =>
  ['spec', 'components', key, 'imageTag'].map((name) => `f:${name}`);

const isGoOperator = (entry: unknown): boolean =>
  isObject(entry) && entry['manager'] === FIELD_MANAGER && entry['operation'] === 'Update';

function withoutTags(spec: KarmadaSpec, keys: readonly ComponentKey[]): KarmadaSpec {
  if (keys.length === 0) return spec;
  const components = Object.entries(spec.components ?? {}).map(([key, settings]) =>
    keys.some((moved) => moved === key)
      ? [key, { ...settings, imageTag: undefined }]
      : [key, settings],
  );
  return { ...spec, components: Object.fromEntries(components) };
}

function fieldsAt(entry: unknown, path: readonly string[]): Json | undefined {
  let fields: unknown = isObject(entry) ? entry['fieldsV1'] : undefined;
  for (const name of path) fields = isObject(fields) ? own(fields, name) : undefined;
  return isObject(fields) ? fields : undefined;
}

function withoutAddons(spec: KarmadaSpec, addons: readonly ComponentKey[]): KarmadaSpec {
  if (addons.length === 0) return spec;
  const components = Object.entries(spec.components ?? {});
  const kept = components.filter(([key]) => !addons.some((addon) => addon === key));
  return { ...spec, components: Object.fromEntries(kept) };
}

/** Fields of a PVC that the CRD declares as atomic: a manager owns the whole object or nothing. */
const ATOMIC: ReadonlySet<string> = new Set(['selector', 'dataSource']);

/**
 * Returns the part of a value that a FieldsV1 set covers. An empty set covers a whole list, scalar or atomic object.
 * For any other object an empty set covers only its existence; other managers own the fields.
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

/** With a private registry the operator computes the repositories and no longer stores them. */
function withoutMovedRepositories(spec: KarmadaSpec, managed: KarmadaSpec): unknown {
  return spec.privateRegistry?.registry ? dropKey(managed, 'imageRepository') : managed;
}

function dropKey(value: unknown, dropped: string): unknown {
  if (!isObject(value)) return value;
  const rest = Object.entries(value).filter(([key]) => key !== dropped);
  return Object.fromEntries(rest.map(([key, part]) => [key, dropKey(part, dropped)]));
}
