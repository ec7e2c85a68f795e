/** Lays rules over schemas of Kubernetes types, by the names of the types. */
import type { Rule, Schema } from '../schema.ts';

/** A schema that knows from which Kubernetes type it comes, and so do its parts. */
export type NamedSchema = Schema & { readonly typeName?: string };

/** What is laid over a schema: more limits, and overlays of its parts. */
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
 * The schema with an overlay.
 * @throws when the overlay names a part that the schema has not, so that a rule is never lost
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
  if (!part) throw new Error(`An overlay names ${name}, which the schema has not.`);
  return lay(part, over);
}

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** A number of 32 bits with its limits in place of its format, which the API server does not hold against it. */
function bounded(schema: Schema): Schema {
  const { format, ...rest } = schema;
  return format === 'int32' ? { ...rest, ...INT32, ...limitsOf(schema) } : schema;
}

function limitsOf({ minimum, maximum }: Schema): Schema {
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
}

/** The schema with the rules of every type in it, without the names of the types. */
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

/** Names of all types in a schema. */
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
