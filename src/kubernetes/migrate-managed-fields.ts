import { isObject } from './compare.ts';
import type { KubernetesObject } from './object.ts';

/** An entry of `metadata.managedFields`. */
interface FieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
  readonly time?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Migrates managed fields from client-side updates to server-side apply: all fields that the managers `from` own by
 * Update become owned by `manager` with Apply. Without this a later apply would not remove fields that the intent no
 * longer contains. Ownership of status and other subresources does not change.
 * @returns the new managed fields; undefined when there is nothing to migrate
 */
export function migrateManagedFields(
  object: KubernetesObject,
  manager: string,
  from: readonly string[],
): readonly FieldsEntry[] | undefined {
  const entries = (object.metadata.managedFields ?? []) as readonly FieldsEntry[];
  const isOld = (entry: FieldsEntry): boolean =>
    entry.operation === 'Update' &&
    (entry.subresource ?? '') === '' &&
    from.includes(entry.manager ?? '');
  const isOurs = (entry: FieldsEntry): boolean =>
    entry.operation === 'Apply' && (entry.subresource ?? '') === '' && entry.manager === manager;
  const old = entries.filter(isOld);
  if (old.length === 0) return undefined;
  const ours = entries.find(isOurs);
  const merged = [...old, ...(ours === undefined ? [] : [ours])]
    .map((entry) => entry.fieldsV1 ?? {})
    .reduce(unite, {});
  const joined: FieldsEntry = {
    manager,
    operation: 'Apply',
    apiVersion: ours?.apiVersion ?? old[0]?.apiVersion ?? object.apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: merged,
    ...(old[0]?.time === undefined ? {} : { time: old[0].time }),
  };
  return [...entries.filter((entry) => !isOld(entry) && !isOurs(entry)), joined];
}

/** Merges two FieldsV1 sets, which are trees of field names. */
function unite(a: Fields, b: Fields): Fields {
  const merged: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const known = merged[name];
    merged[name] = isObject(known) && isObject(value) ? unite(known, value) : value;
  }
  return merged;
}

/** JSON patch that writes the managed fields. It fails with 409 if the object changed since. */
export function migrationPatch(object: KubernetesObject, fields: readonly FieldsEntry[]): object[] {
  return [
    { op: 'replace', path: '/metadata/managedFields', value: fields },
    {
      op: 'replace',
      path: '/metadata/resourceVersion',
      value: object.metadata.resourceVersion ?? '',
    },
  ];
}
