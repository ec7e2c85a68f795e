/** Structural schemas (apiextensions/v1 `JSONSchemaProps`) and builder functions for them. */

/** How reports show a text: `shown`, or as a command line with the names of the flags. */
type Disclosure = 'shown' | 'arguments';

/** A text that contains no secret: a name, a version, an address without credentials. */
export const SHOWN = { disclosure: 'shown' } as const;

/** The part of `JSONSchemaProps` that this project uses, with two keywords that the CRD does not contain. */
export interface Schema {
  readonly description?: string;
  /** Of texts and of lists of texts. Without it a text is free: reports hide it. */
  readonly disclosure?: Disclosure;
  /** Texts that the operator writes to a field of the status. The CRD accepts others, because a newer operator may write them. */
  readonly knownValues?: readonly string[];
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly oneOf?: readonly Alternative[];
  readonly anyOf?: readonly Alternative[];
  readonly default?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

/** Branch of `oneOf` or `anyOf`: constraints on fields that the schema itself declares. */
export interface Alternative {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Alternative>>;
  readonly items?: Alternative;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** CEL rule of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** Field that the message is about, relative to the node of the rule; it must be part of the schema. */
  readonly fieldPath?: string;
  readonly reason?: 'FieldValueForbidden';
  /** The API server also evaluates the rule on creation, with an empty `oldSelf`. */
  readonly optionalOldSelf?: true;
}

type Extra = Omit<Schema, 'description' | 'type' | 'properties' | 'items'>;

export function text(description: string, extra: Extra = {}): Schema {
  return { description, type: 'string', ...extra };
}

/** Integer schema. An int32 gets a maximum, because the API server does not enforce the format. */
export function integer(description: string, format: 'int32' | 'int64', extra: Extra = {}): Schema {
  const most = format === 'int32' && { maximum: 2 ** 31 - 1 };
  return { description, type: 'integer', format, ...most, ...extra };
}

export function flag(description: string): Schema {
  return { description, type: 'boolean' };
}

export function object(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  extra: Extra = {},
): Schema {
  return { description, type: 'object', properties, ...extra };
}

export function stringMap(description: string): Schema {
  return { description, type: 'object', additionalProperties: { type: 'string' } };
}

export function booleanMap(description: string): Schema {
  return { description, type: 'object', additionalProperties: { type: 'boolean' } };
}

/** List schema; atomic, because that is the default list type. */
export function list(description: string, items: Schema, extra: Extra = {}): Schema {
  return { description, type: 'array', items, ...extra };
}

export function intOrString(description: string): Schema {
  return { description, 'x-kubernetes-int-or-string': true };
}

/**
 * Metadata of an object: restates the Kubernetes limit of names, so that the API server can bound the cost of CEL rules. The
 * API server allows no description of `metadata` itself.
 */
export const OBJECT_METADATA: Schema = {
  type: 'object',
  properties: {
    name: text('Name of the object, unique in its namespace.', { maxLength: 253, ...SHOWN }),
  },
};

/** Adds a description to the schema of a Kubernetes type. */
export function described(description: string, schema: Schema): Schema {
  return { description, ...schema };
}
