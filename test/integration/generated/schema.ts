/** Fields of the CRD by path: `.name` in an object, `[]` in a list, `{}` in a map. */
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import type { Schema } from '../../../scripts/crd/schema.ts';

export const ROOT = 'spec';

/** Schema of `spec` in the CRD. */
export const specSchema: Schema =
  karmadaCrd.spec.versions[0].schema.openAPIV3Schema.properties?.[ROOT] ?? {};

interface Part {
  /** Path suffix of the part: `.name`, `[]` or `{}`. */
  readonly step: string;
  readonly schema: Schema;
}

/** Parts that a value of this schema may have. */
function parts(schema: Schema): readonly Part[] {
  const { properties, items, additionalProperties } = schema;
  return [
    ...Object.entries(properties ?? {}).map(([name, part]) => ({ step: `.${name}`, schema: part })),
    ...(items ? [{ step: '[]', schema: items }] : []),
    ...(additionalProperties ? [{ step: '{}', schema: additionalProperties }] : []),
  ];
}

/** Paths and schemas of all fields without parts. */
export function leafSchemas(
  schema: Schema = specSchema,
  path = ROOT,
): readonly { readonly path: string; readonly schema: Schema }[] {
  const all = parts(schema);
  if (all.length === 0) return [{ path, schema }];
  return all.flatMap((part) => leafSchemas(part.schema, path + part.step));
}

/** Paths of all fields without parts. */
export function leafPaths(): readonly string[] {
  return leafSchemas().map(({ path }) => path);
}

/** Paths of the fields without parts that a value contains, without duplicates. */
export function leavesOf(value: unknown, schema: Schema = specSchema, path = ROOT): Set<string> {
  const all = parts(schema);
  if (all.length === 0) return new Set([path]);
  return new Set(all.flatMap((part) => [...leavesOfPart(value, part, path)]));
}

function leavesOfPart(value: unknown, part: Part, path: string): Set<string> {
  const inner = path + part.step;
  return new Set(
    values(value, part.step).flatMap((child) => [...leavesOf(child, part.schema, inner)]),
  );
}

/** Values at a path step. */
function values(value: unknown, step: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === '[]') return Array.isArray(value) ? value : [];
  if (step === '{}') return Object.values(value);
  const name = step.slice(1);
  return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
}

/** Whether `path` is `prefix` or lies below it. */
export function isBelow(path: string, prefix: string): boolean {
  return (
    path.startsWith(prefix) &&
    (path.length === prefix.length || '.[{'.includes(path[prefix.length] ?? ''))
  );
}

/** Whether the value at a path of the spec is a map and not an object. */
export function isMapAt(place: readonly (string | number)[]): boolean {
  const found = place.reduce<Schema | undefined>(
    (schema, key) =>
      schema?.properties?.[String(key)] ?? schema?.items ?? schema?.additionalProperties,
    specSchema,
  );
  return found?.additionalProperties !== undefined;
}
