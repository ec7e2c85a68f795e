/**
 * Converts types of a Kubernetes OpenAPI v3 document into structural schemas without descriptions. It keeps types,
 * formats, required fields, list and map types, and the type names, which `kubernetes/` needs to add rules.
 * It drops descriptions, enums (the document has only some of the rules) and defaults (the API server of the host
 * cluster sets them). Defaults of list map keys stay: a structural schema requires them.
 */
import { isObject } from '../../src/kubernetes/objects/compare.ts';
import { fieldsOf } from '../../src/kubernetes/objects/records.ts';
import type { NamedSchema } from './kubernetes/overlay.ts';
import type { Schema } from './schema.ts';

const PREFIX = '#/components/schemas/';
const KEPT = ['type', 'format', 'required'] as const;
const LIST_TYPE = 'x-kubernetes-list-type';
const EXTENSIONS = [LIST_TYPE, 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type'] as const;

/** Types that the document does not describe as structural schemas. */
const SPECIAL: Readonly<Record<string, Schema>> = {
  Quantity: { 'x-kubernetes-int-or-string': true },
  IntOrString: { 'x-kubernetes-int-or-string': true },
  Time: { type: 'string', format: 'date-time' },
  // An embedded template can set only these metadata fields.
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

/** Node of the OpenAPI document. */
export type OpenApiNode = Readonly<Record<string, unknown>>;

/** Name of a type without the Go package: `io.k8s.api.core.v1.Volume` becomes `Volume`. */
function shortName(qualified: string): string {
  return qualified.slice(qualified.lastIndexOf('.') + 1);
}

/**
 * Returns the schema of one type with all references resolved.
 * @param types `components.schemas` of the document
 * @param name qualified name of the type
 * @throws Error if a referenced type is missing in the document
 */
export function structural(types: OpenApiNode, name: string): NamedSchema {
  const typeName = shortName(name);
  const special = SPECIAL[typeName];
  if (special) return { typeName, ...special };
  const node = types[name];
  if (!isObject(node)) throw new Error(`The OpenAPI document has no type ${name}.`);
  return { typeName, ...convert(types, node) };
}

function convert(types: OpenApiNode, node: OpenApiNode): Schema {
  const reference = referenceOf(node);
  if (reference) return structural(types, reference);
  const schema: Record<string, unknown> = {};
  for (const key of [...KEPT, ...EXTENSIONS]) if (key in node) schema[key] = node[key];
  // Atomic is the default list type. Stating it for each list would take a tenth of the CRD size.
  if (schema[LIST_TYPE] === 'atomic') delete schema[LIST_TYPE];
  const child = (value: unknown): Schema => convert(types, fieldsOf(value));
  if (node['items']) schema['items'] = child(node['items']);
  if (node['additionalProperties']) {
    schema['additionalProperties'] = child(node['additionalProperties']);
  }
  if (node['properties']) {
    const properties = Object.entries(node['properties']);
    schema['properties'] = Object.fromEntries(properties.map(([key, p]) => [key, child(p)]));
  }
  return withMapKeys(schema as Schema, node);
}

/** Restores the defaults of list map keys: the API server demands that each key is required or has a default. */
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
  const reference = fieldsOf(holder)['$ref'];
  return typeof reference === 'string' ? reference.slice(PREFIX.length) : undefined;
}
