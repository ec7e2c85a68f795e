/** Finds fields that a schema does not have, and values of another type (pure functions). */
import { quoted, type FieldError } from '../../api/validation/field-error.ts';
import { isObject } from '../../kubernetes/objects/compare.ts';
import type { FieldSchema } from './field-schema.ts';
import { nearest } from './nearest.ts';

/**
 * Checks an object as the API server does with strict field validation.
 * @param value part of the object
 * @param path of that part; empty for the object as a whole
 * @returns one error for each unknown field and each value of another type
 */
export function checkFields(value: unknown, schema: FieldSchema, path = ''): readonly FieldError[] {
  if (value === undefined || value === null) return [];
  const expected = typeError(value, schema);
  if (expected !== undefined) return [{ field: path, message: expected }];
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      checkFields(item, schema.items ?? {}, `${path}[${index}]`),
    );
  return isObject(value) ? checkObject(value, schema, path) : [];
}

function checkObject(
  object: Readonly<Record<string, unknown>>,
  schema: FieldSchema,
  path: string,
): readonly FieldError[] {
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(object).flatMap(([name, value]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field !== undefined) return checkFields(value, field, inner(path, name));
    if (typeof additionalProperties === 'object')
      return checkFields(value, additionalProperties, `${path}[${quoted(name)}]`);
    return isOpen(schema) ? [] : [unknownField(inner(path, name), name, Object.keys(properties))];
  });
}

/** Whether an object of this schema may have fields that the schema does not name. */
const isOpen = (schema: FieldSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema.additionalProperties === true ||
  (schema.properties === undefined && schema.type === undefined);

/** Characters of the fields of the Kubernetes API. */
const IDENTIFIER = /^\w{1,80}$/;

function inner(path: string, name: string): string {
  if (!IDENTIFIER.test(name)) return `${path}[${quoted(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function unknownField(field: string, name: string, known: readonly string[]): FieldError {
  const meant = nearest(name, known);
  const remedy = meant === undefined ? 'remove it' : `did you mean ${meant}?`;
  return { field, message: `unknown field; ${remedy}` };
}

const ARTICLES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
};

function typeError(value: unknown, schema: FieldSchema): string | undefined {
  const found = typeOf(value);
  const isNumber = found === 'integer' && schema.type === 'number';
  const accepted = acceptedTypes(schema);
  if (accepted.length === 0 || accepted.includes(found) || isNumber) return undefined;
  return `must be ${accepted.map(typeText).join(' or ')}, not ${typeText(found)}`;
}

/** Empty if the schema accepts every type. */
function acceptedTypes({ type, ...schema }: FieldSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return type === undefined ? [] : [type];
}

const typeText = (type: string): string => ARTICLES[type] ?? type;

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
