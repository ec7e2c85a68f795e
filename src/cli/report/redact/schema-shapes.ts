/**
 * What a report shows of the kinds of this operator, from their schemas. A text is free unless the schema says that it is shown, so a new
 * field shows nothing by mistake. Pure functions.
 */
import { keysOf, recordOf } from '../../../kubernetes/objects/records.ts';
import type { FieldKind, FieldSchema, FieldSchemas } from '../../fields/field-schema.ts';
import { labels, metadata } from './kubernetes-shapes.ts';
import { commandLine, each, fields, free, list, map, shown, type Shape } from './shape.ts';

/** Shapes of objects by kind. */
export type SchemaShapes = Readonly<Record<FieldKind, Shape>>;

/** Returns the shapes of all kinds. The operator writes the status, so a report shows it. */
export function schemaShapes(schemas: FieldSchemas): SchemaShapes {
  return recordOf(keysOf(schemas).map((kind) => [kind, kindShape(schemas[kind])] as const));
}

const kindShape = ({ properties }: FieldSchema): Shape =>
  fields({
    ...each(shown, 'apiVersion', 'kind', 'status'),
    metadata,
    spec: specShape(properties?.['spec'] ?? {}),
  });

/** Returns the shape of a part of a spec. */
export function specShape(schema: FieldSchema): Shape {
  const { disclosure, properties, items, additionalProperties: values } = schema;
  if (disclosure === 'arguments') return commandLine;
  if (properties) return fields(shapesOf(properties));
  if (items) return list(specShape(items));
  if (typeof values === 'object') return mapShape(values);
  return disclosure === 'shown' ? shown : scalarShape(schema);
}

const shapesOf = (
  properties: Readonly<Record<string, FieldSchema>>,
): Readonly<Record<string, Shape>> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, specShape(field)] as const),
  );

/** Values of labels that Kubernetes or the operator defines are shown. */
function mapShape(values: FieldSchema): Shape {
  const shape = specShape(values);
  return shape.kind === 'free' ? labels : map(shape);
}

const SAFE: ReadonlySet<string | undefined> = new Set(['boolean', 'integer', 'number']);

const scalarShape = ({ type }: FieldSchema): Shape => (SAFE.has(type) ? shown : free);
