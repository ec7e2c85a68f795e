/** Adds validation rules to the schemas of Kubernetes types, by type name. */
import type { Rule, Schema } from '../schema.ts';

/** Schema annotated with the name of its Kubernetes type, at every level. */
export type NamedSchema = Schema & { readonly typeName?: string };

/** Additional constraints for a schema and, recursively, for its parts. */
export interface Overlay extends Omit<
  Schema,
  'type' | 'properties' | 'items' | 'additionalProperties' | 'x-kubernetes-validations'
> {
  readonly fields?: Readonly<Record<string, Overlay>>;
  readonly items?: Overlay;
  readonly values?: Overlay;
  readonly rules?: readonly Rule[];
}

/** Overlays by the name of the Kubernetes type. */
export type TypeRules = Readonly<Record<string, Overlay>>;

/**
 * Returns the schema with the constraints of an overlay.
 * @throws Error if the overlay names a part that the schema lacks, so that no rule is silently lost
 */
export function lay(schema: Schema, overlay: Overlay): Schema {
  const { fields, items, values, rules = [], required = [], ...limits } = overlay;
  const needed = [...new Set([...(schema.required ?? []), ...required])];
  const checks = [...(schema['x-kubernetes-validations'] ?? []), ...rules];
  return {
    ...schema,
    ...limits,
    ...(needed.length > 0 && { required: needed }),
    ...(fields && { properties: { ...schema.properties, ...laidFields(schema, fields) } }),
    ...(items && { items: laidPart('items', schema.items, items) }),
    ...(values && {
      additionalProperties: laidPart('values', schema.additionalProperties, values),
    }),
    ...(checks.length > 0 && { 'x-kubernetes-validations': checks }),
  };
}

function laidFields(
  schema: Schema,
  fields: Readonly<Record<string, Overlay>>,
): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, over]) => [
      name,
      laidPart(name, schema.properties?.[name], over),
    ]),
  );
}

function laidPart(name: string, part: Schema | undefined, over: Overlay): Schema {
  if (!part) throw new Error(`The overlay names ${name}, which the schema does not have.`);
  return lay(part, over);
}

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/**
 * Replaces format int32 by numeric limits, because the API server does not enforce the format. Drops format int64: all
 * integers have 64 bits.
 */
function bounded(schema: Schema): Schema {
  const { format, ...rest } = schema;
  if (format === 'int32') return { ...rest, ...INT32, ...limitsOf(schema) };
  return format === 'int64' ? rest : schema;
}

function limitsOf({ minimum, maximum }: Schema): Schema {
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}

/** Returns the schema with the rules of each type in it, without the type names. */
export function withRules(schema: NamedSchema, rules: TypeRules): Schema {
  const { typeName, ...given } = schema;
  const own = bounded(given);
  const { properties, items, additionalProperties } = own;
  const parts: Schema = {
    ...own,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, withRules(part, rules)]),
      ),
    }),
    ...(items && { items: withRules(items, rules) }),
    ...(additionalProperties && { additionalProperties: withRules(additionalProperties, rules) }),
  };
  const overlay = typeName === undefined ? undefined : rules[typeName];
  return overlay ? lay(parts, overlay) : parts;
}

/** Returns the names of all types in a schema. */
export function typeNames(schema: NamedSchema): readonly string[] {
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.additionalProperties ? [schema.additionalProperties] : []),
  ];
  return [
    ...(schema.typeName === undefined ? [] : [schema.typeName]),
    ...parts.flatMap((part) => typeNames(part)),
  ];
}
