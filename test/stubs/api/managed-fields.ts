/** Ownership of fields (`metadata.managedFields`) and server-side apply. Pure functions. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { StatusError } from './errors.ts';
import {
  changedFields,
  difference,
  existing,
  fieldsOf,
  intersection,
  isEmpty,
  mergeApplied,
  union,
  withoutFields,
  type Fields,
} from './fields.ts';
import { isEqual, omit, type Json } from './json.ts';

/** An entry of `metadata.managedFields`. */
interface Entry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: Fields;
  readonly subresource?: string;
}

/** Who writes. */
export interface Writer {
  readonly manager: string;
  readonly time: string;
  readonly subresource?: string;
}

const entriesOf = (object: KubernetesObject | undefined): readonly Entry[] =>
  (object?.metadata.managedFields ?? []) as readonly Entry[];

/** Metadata that nobody owns. */
const SYSTEM = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generateName',
] as const;

function ownable({ metadata, ...object }: KubernetesObject): Json {
  const rest = omit(object, 'apiVersion', 'kind');
  const kept = omit(metadata, ...SYSTEM);
  return Object.keys(kept).length === 0 ? rest : { ...rest, metadata: kept };
}

const isSame = (entry: Entry, { manager, subresource }: Writer, operation: string): boolean =>
  entry.operation === operation &&
  entry.manager === manager &&
  (entry.subresource ?? '') === (subresource ?? '');

const entryOf = (
  operation: Entry['operation'],
  { manager, time, subresource }: Writer,
  { apiVersion, fieldsV1 }: Pick<Entry, 'apiVersion' | 'fieldsV1'>,
): Entry => ({
  manager,
  operation,
  apiVersion,
  time,
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(subresource !== undefined && { subresource }),
});

/** Managed fields of an object after a create, an update or a patch. */
export function afterUpdate(
  before: KubernetesObject | undefined,
  after: KubernetesObject,
  writer: Writer,
): readonly Entry[] {
  const value = ownable(after);
  const changed = changedFields(before && ownable(before), value) ?? {};
  const { apiVersion } = after;
  const entries = entriesOf(after.metadata.managedFields === undefined ? before : after);
  const others = entries.flatMap((entry): Entry[] => {
    const own = isSame(entry, writer, 'Update');
    const left = existing(own ? entry.fieldsV1 : difference(entry.fieldsV1, changed), value);
    return isEmpty(left) ? [] : [{ ...entry, fieldsV1: left }];
  });
  if (isEmpty(changed)) return others;
  const mine = others.find((entry) => isSame(entry, writer, 'Update'));
  const fieldsV1 = union(mine?.fieldsV1 ?? {}, changed);
  return [
    ...others.filter((entry) => entry !== mine),
    entryOf('Update', writer, { apiVersion, fieldsV1 }),
  ];
}

/**
 * Applies an object.
 * @param live undefined if it does not exist
 * @returns the object with its managed fields; `live` itself if nothing changes
 * @throws StatusError 409 if another manager owns a field with another value, unless `force`
 */
export function applied(
  live: KubernetesObject | undefined,
  body: KubernetesObject,
  writer: Writer & { readonly force: boolean },
): KubernetesObject {
  const intent = ownable(body);
  const mine = fieldsOf(intent);
  const entries = entriesOf(live);
  const own = entries.find((entry) => isSame(entry, writer, 'Apply'));
  const others = entries.filter((entry) => entry !== own);
  const changed = changedIn(intent, live, mine);
  if (!writer.force) requireNoConflict(others, changed);
  const left = withoutOwned(others, changed);
  const present = pruned(live ?? body, droppedFields(own, mine, left));
  const merged = mergeApplied(present, withoutIdentity(body)) as KubernetesObject;
  const keepsOwners = isEqual(own?.fieldsV1, mine) && left.length === others.length;
  if (live !== undefined && keepsOwners && isEqual(ownable(merged), ownable(live))) return live;
  const entry = entryOf('Apply', writer, { apiVersion: body.apiVersion, fieldsV1: mine });
  const managedFields = [...left, entry];
  return { ...merged, metadata: { ...merged.metadata, managedFields } };
}

/** Fields that the writer no longer applies, and nobody else owns. */
const droppedFields = (own: Entry | undefined, mine: Fields, others: readonly Entry[]): Fields =>
  others.reduce(
    (fields, entry) => difference(fields, entry.fieldsV1),
    difference(own?.fieldsV1 ?? {}, mine),
  );

/** @throws StatusError 409 if one of the entries owns a changed field */
function requireNoConflict(others: readonly Entry[], changed: Fields): void {
  const contested = others
    .map((entry) => ({ entry, fields: intersection(entry.fieldsV1, changed) }))
    .filter(({ fields }) => !isEmpty(fields));
  if (contested.length > 0) throw fieldConflict(contested);
}

/** The entries without the fields that another manager has taken. */
const withoutOwned = (entries: readonly Entry[], taken: Fields): readonly Entry[] =>
  entries.flatMap((entry): Entry[] => {
    const rest = difference(entry.fieldsV1, taken);
    return isEmpty(rest) ? [] : [{ ...entry, fieldsV1: rest }];
  });

/** Fields of the intent whose values differ from the live object; none without one. */
function changedIn(intent: Json, live: KubernetesObject | undefined, mine: Fields): Fields {
  if (live === undefined) return {};
  const changed = changedFields(ownable(live), mergeApplied(ownable(live), intent));
  return changed === undefined ? {} : intersection(changed, mine);
}

function pruned(object: KubernetesObject, dropped: Fields): KubernetesObject {
  if (isEmpty(dropped)) return object;
  const { apiVersion, kind, metadata } = object;
  const { metadata: kept, ...rest } = (withoutFields(ownable(object), dropped) ?? {}) as Json;
  const system = Object.entries(metadata).filter(([key]) => SYSTEM.some((name) => name === key));
  return {
    apiVersion,
    kind,
    metadata: { ...(kept as object | undefined), ...Object.fromEntries(system) } as never,
    ...rest,
  };
}

const withoutIdentity = ({ metadata, ...object }: KubernetesObject): Json => ({
  ...object,
  metadata: omit(metadata, 'uid', 'resourceVersion'),
});

function fieldConflict(
  contested: readonly { readonly entry: Entry; readonly fields: Fields }[],
): StatusError {
  const causes = contested.map(({ entry, fields }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${JSON.stringify(entry.manager)}`,
    field: pathOf(fields),
  }));
  const text = `Apply failed with ${String(causes.length)} conflicts`;
  return new StatusError(409, 'Conflict', text, causes);
}

function pathOf(fields: Fields): string {
  const [[key, inner] = ['', {}]] = Object.entries(fields);
  const step = key.startsWith('f:') ? `.${key.slice(2)}` : `[${key.slice(2)}]`;
  return key === '' || key === '.' ? '' : `${step}${pathOf(inner)}`;
}
