/** Changes the fields of Kubernetes types, at every level. Pure. */
import type { NamedSchema } from './overlay.ts';

/** Name of the type, name of the field, and its schema with its parts already changed. */
type Change = (type: string, name: string, field: NamedSchema) => NamedSchema;

/** Returns the schema with all its fields changed. */
export function eachField(schema: NamedSchema, change: Change): NamedSchema {
  const { typeName = '', properties, items, additionalProperties } = schema;
  const inner = (part: NamedSchema): NamedSchema => eachField(part, change);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [
          name,
          change(typeName, name, inner(field)),
        ]),
      ),
    }),
    ...(items && { items: inner(items) }),
    ...(additionalProperties && { additionalProperties: inner(additionalProperties) }),
  };
}
