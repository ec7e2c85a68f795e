/**
 * Turns types of a Kubernetes OpenAPI v3 document into structural schemas without texts. What stays
 * is shape: types, formats, required fields, list and map kinds, and the names of the types, by which
 * `kubernetes/` lays rules over them. What goes: descriptions, enums (the document has few of the
 * rules) and defaults (the API server that runs the pods fills these itself), except defaults of list
 * map keys, which the structure needs.
 */
import type { NamedSchema } from './kubernetes/overlay.ts';
import type { Schema } from './schema.ts';

const PREFIX = '#/components/schemas/';
const KEPT = ['type', 'format', 'required'] as const;
const LIST_TYPE = 'x-kubernetes-list-type';
const EXTENSIONS = [LIST_TYPE, 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'] as const;

/** Types whose JSON form the document does not describe in structural terms. */
const SPECIAL: Readonly<Record<string, Schema>> = {
  Quantity: { 'x-kubernetes-int-or-string': true },
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
export function structural(
  types: Readonly<Record<string, OpenApiNode>>,
  name: string,
): NamedSchema {
  const typeName = shortName(name);
  const special = SPECIAL[typeName];
  if (special) return { typeName, ...special };
  const node = types[name];
  if (!node) throw new Error(`The OpenAPI document has no type ${name}.`);
  return { typeName, ...convert(types, node) };
}

function convert(types: Readonly<Record<string, OpenApiNode>>, node: OpenApiNode): Schema {
  const reference = referenceOf(node);
  if (reference) return structural(types, reference);
  const schema: Record<string, unknown> = {};
  for (const key of [...KEPT, ...EXTENSIONS]) if (key in node) schema[key] = node[key];
  // What a list is anyway; said a thousand times it would be a tenth of the CRD.
  if (schema[LIST_TYPE] === 'atomic') delete schema[LIST_TYPE];
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
