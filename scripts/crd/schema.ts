/** Structural schemas (apiextensions/v1 `JSONSchemaProps`) and small builders for them. */

/** The part of `JSONSchemaProps` that this project uses. */
export interface Schema {
  readonly description?: string;
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

/** One of several forms of an object: limits of its fields, which stand in the schema itself too. */
export interface Alternative {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Alternative>>;
  readonly items?: Alternative;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** One CEL rule of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** Field the message is about, from where the rule stands; it must be part of the schema. */
  readonly fieldPath?: string;
  readonly reason?: 'FieldValueForbidden';
  /** The rule also runs on creation, with an empty `oldSelf`. */
  readonly optionalOldSelf?: true;
}

type Extra = Omit<Schema, 'description' | 'type' | 'properties' | 'items'>;

export function text(description: string, extra: Extra = {}): Schema {
  return { description, type: 'string', ...extra };
}

/** A number; the API server does not hold its format against it, so one of 32 bits has a limit. */
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

/** A list that one owner sets as a whole, as lists are when nothing else is said. */
export function list(description: string, items: Schema, extra: Extra = {}): Schema {
  return { description, type: 'array', items, ...extra };
}

export function intOrString(description: string): Schema {
  return { description, 'x-kubernetes-int-or-string': true };
}

/** A schema of somebody else with our own words on it. */
export function described(description: string, schema: Schema): Schema {
  return { description, ...schema };
}
