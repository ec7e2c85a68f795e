import { isObject } from '../objects/compare.ts';
import type { KubernetesObject, ManagedFieldsEntry } from '../objects/object.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Migrates managed fields from client-side updates to server-side apply: all fields that a manager owns by
 * Update become owned by it with Apply. Without this a later apply would not remove fields that the intent no
 * longer contains. Ownership of status and other subresources does not change.
 * @returns the new managed fields; undefined when there is nothing to migrate
 */
export function migrateManagedFields(
  object: KubernetesObject,
  manager: string,
): readonly ManagedFieldsEntry[] | undefined {
  const entries = object.metadata.managedFields ?? [];
  const isOurs = (entry: ManagedFieldsEntry): boolean =>
    (entry.subresource ?? '') === '' &&
    entry.manager === manager &&
    ['Apply', 'Update'].includes(entry.operation ?? '');
  const old = entries.filter((entry) => isOurs(entry) && entry.operation === 'Update');
  if (old.length === 0) return undefined;
  const ours = entries.find((entry) => isOurs(entry) && entry.operation === 'Apply');
  const sets = [...old, ...(ours === undefined ? [] : [ours])].map((entry) => entry.fieldsV1 ?? {});
  const joined: ManagedFieldsEntry = {
    manager,
    operation: 'Apply',
    apiVersion: ours?.apiVersion ?? old[0]?.apiVersion ?? object.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: union(sets),
    ...(old[0]?.time === undefined ? {} : { time: old[0].time }),
  };
  return [...entries.filter((entry) => !isOurs(entry)), joined];
}

/** Merges FieldsV1 sets, which are trees of field names. Its time is proportional to their size: an object may have any number of entries. */
function union(sets: readonly Fields[]): Fields {
  const entries = sets.flatMap((set) => Object.entries(set));
  const byName = Map.groupBy(entries, ([name]) => name);
  const merged = [...byName].map(([name, found]) => [
    name,
    latest(found.map(([, value]) => value)),
  ]);
  return Object.fromEntries(merged);
}

/** The last value, which is merged with those before it if all of them are sets. */
function latest(values: readonly unknown[]): unknown {
  const sets = values.slice(values.findLastIndex((value) => !isObject(value)) + 1).filter(isObject);
  return sets.length > 1 ? union(sets) : values.at(-1);
}

/** JSON patch that writes the managed fields. It fails with 409 if the object changed since. */
export function migrationPatch(
  object: KubernetesObject,
  fields: readonly ManagedFieldsEntry[],
): object[] {
  return [
    { op: 'replace', path: '/metadata/managedFields', value: fields },
    {
      op: 'replace',
      path: '/metadata/resourceVersion',
      value: object.metadata.resourceVersion ?? '',
    },
  ];
}
