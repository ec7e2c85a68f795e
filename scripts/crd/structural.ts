/**
 * Turns types of a Kubernetes OpenAPI v3 document into structural schemas without texts. What stays
 * is shape: types, formats, required fields, list and map kinds. What goes: descriptions, enums and
 * defaults (the API server that runs the pods checks and fills these itself, and knows more values
 * than one release listed), except defaults of list map keys, which the structure needs.
 */
import type { Schema } from './schema.ts';

const PREFIX = '#/components/schemas/';
const KEPT = ['type', 'format', 'required'] as const;
const EXTENSIONS = [
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const;

/** Grammar of a resource quantity such as `500m`, `2Gi` or `1e3`. */
export const QUANTITY_PATTERN =
  '^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+))?$';

/** Types whose JSON form the document does not describe in structural terms. */
const SPECIAL: Readonly<Record<string, Schema>> = {
  Quantity: { 'x-kubernetes-int-or-string': true, pattern: QUANTITY_PATTERN },
  IntOrString: { 'x-kubernetes-int-or-string': true },
  Time: { type: 'string', format: 'date-time' },
  // Of the metadata of an embedded template only these fields are the template's to set.
  ObjectMeta: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      namespace: { type: 'string' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      annotations: { type: 'object', additionalProperties: { type: 'string' } },
      finalizers: { type: 'array', items: { type: 'string' } },
    },
  },
};

/** A node of the OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>;

/** Name of a type, its Go package cut off: `io.k8s.api.core.v1.Volume` is `Volume`. */
function shortName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf('.') + 1);
}

/**
 * The schema of one type with all references resolved.
 * @param types `components.schemas` of the document
 * @param name qualified name of the type
 * @throws when the document lacks a type that is referred to
 */
export function structural(types: Readonly<Record<string, OpenApiNode>>, name: string): Schema {
  const special = SPECIAL[shortName(name)];
  if (special) return special;
  const node = types[name];
  if (!node) throw new Error(`The OpenAPI document has no type ${name}.`);
  return convert(types, node);
}

function convert(types: Readonly<Record<string, OpenApiNode>>, node: OpenApiNode): Schema {
  const reference = referenceOf(node);
  if (reference) return structural(types, reference);
  const schema: Record<string, unknown> = {};
  for (const key of [...KEPT, ...EXTENSIONS]) if (key in node) schema[key] = node[key];
  const child = (value: unknown): Schema => convert(types, value as OpenApiNode);
  if (node['items']) schema['items'] = child(node['items']);
  if (node['additionalProperties']) {
    schema['additionalProperties'] = child(node['additionalProperties']);
  }
  if (node['properties']) {
    const properties = Object.entries(node['properties'] as OpenApiNode);
    schema['properties'] = Object.fromEntries(properties.map(([key, p]) => [key, child(p)]));
  }
  return withMapKeys(schema as Schema, node);
}

/** List map keys must be required or have a default: keeps the document's default where they do. */
function withMapKeys(schema: Schema, node: OpenApiNode): Schema {
  const keys = schema['x-kubernetes-list-map-keys'];
  const items = schema.items;
  if (!keys || !items) return schema;
  const optional = keys.filter((key) => !items.required?.includes(key));
  const defaults: Readonly<Record<string, string>> = { protocol: 'TCP' };
  const properties = { ...items.properties };
  for (const key of optional) {
    const preset = defaults[key];
    if (preset === undefined)
      throw new Error(`No default for list map key ${key}: ${String(node)}`);
    properties[key] = { ...properties[key], default: preset };
  }
  return { ...schema, items: { ...items, properties } };
}

function referenceOf(node: OpenApiNode): string | undefined {
  const all = node['allOf'];
  const holder: unknown = Array.isArray(all) && all.length === 1 ? all[0] : node;
  const reference = (holder as OpenApiNode)['$ref'];
  return typeof reference === 'string' ? reference.slice(PREFIX.length) : undefined;
}
