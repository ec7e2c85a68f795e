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
  const { fields = {}, items, values, rules = [], required = [], ...limits } = overlay;
  const part = (name: string, of: Schema | undefined, over: Overlay): Schema => {
    if (!of) throw new Error(`An overlay names ${name}, which the schema has not.`);
    return lay(of, over);
  };
  const laid = Object.entries(fields).map(
    ([name, over]) => [name, part(name, schema.properties?.[name], over)] as const,
  );
  const needed = [...new Set([...(schema.required ?? []), ...required])];
  const checks = [...(schema['x-kubernetes-validations'] ?? []), ...rules];
  return {
    ...schema,
    ...limits,
    ...(needed.length > 0 && { required: needed }),
    ...(laid.length > 0 && { properties: { ...schema.properties, ...Object.fromEntries(laid) } }),
    ...(items && { items: part('items', schema.items, items) }),
    ...(values && { additionalProperties: part('values', schema.additionalProperties, values) }),
    ...(checks.length > 0 && { 'x-kubernetes-validations': checks }),
  };
}

/** The schema with the rules of every type in it, without the names of the types. */
export function withRules(schema: NamedSchema, rules: TypeRules): Schema {
  const { typeName, ...own } = schema;
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
