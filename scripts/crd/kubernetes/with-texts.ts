/** Adds the descriptions of this project to the schemas of Kubernetes types, by type name. Pure. */
import { eachField } from './each-field.ts';
import type { NamedSchema } from './overlay.ts';

/** Descriptions of fields, by the name of the Kubernetes type. */
export type TypeTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Returns the schema with a description for each field of each type in it.
 * @throws Error if a field has no description, for example a field of a newer Kubernetes release
 */
export function withTexts(schema: NamedSchema, texts: TypeTexts): NamedSchema {
  return eachField(schema, (type, name, field) => {
    const description = texts[type]?.[name];
    if (description === undefined) throw new Error(`${type}.${name} has no description.`);
    return { description, ...field };
  });
}

/** Returns the fields with a description that no type has, as `TYPE.FIELD`. */
export function unusedTexts(schemas: readonly NamedSchema[], texts: TypeTexts): readonly string[] {
  const used = new Set(schemas.flatMap(fieldNames));
  return Object.entries(texts)
    .flatMap(([type, fields]) => Object.keys(fields).map((name) => `${type}.${name}`))
    .filter((name) => !used.has(name));
}

/** Names of all fields in a schema, as `TYPE.FIELD`. */
export function fieldNames(schema: NamedSchema): readonly string[] {
  const names: string[] = [];
  eachField(schema, (type, name, field) => {
    names.push(`${type}.${name}`);
    return field;
  });
  return names;
}
