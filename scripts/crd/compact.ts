/**
 * Removes parts of a schema that have no effect. Why: the API server and every client that reads the CRD parse it as a whole, and its size is
 * bounded (ADR 0036).
 */
import type { Rule, Schema } from './schema.ts';

/** Tokens of a CEL expression: string literals, raw ones included, and the code between them. */
const PARTS = /r?'(?:[^'\\]|\\.)*'|r?"(?:[^"\\]|\\.)*"|[^'"r]+|r/g;
const QUOTED = /^r?['"]/;
const OPERATORS = / *(&&|\|\||[=!<>]=|[-+*?:,<>]) */g;

/** Removes the spaces around the operators of a CEL expression. String literals do not change. */
export function compactRule(rule: string): string {
  const parts = rule.match(PARTS) ?? [];
  return parts.map((part) => (QUOTED.test(part) ? part : part.replace(OPERATORS, '$1'))).join('');
}

function eachOf(
  parts: Readonly<Record<string, Schema>>,
  change: (part: Schema) => Schema,
): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));
}

function omit(schema: Schema, keywords: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keywords.includes(key)));
}

const EMPTIED: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Drops what has no effect in a list that must be empty: merge keys, and the fields of its items. They stay known. */
function emptied(list: Schema): Schema {
  if (list.items === undefined || list.maxItems !== 0) return list;
  const merge = ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys'];
  return { ...omit(list, merge), items: EMPTIED };
}

/**
 * Returns an equivalent schema in fewer bytes.
 * @param owned whether the schema is inside an atomic list; objects in such a list never merge, so their map type
 *   has no effect
 */
export function compact(schema: Schema, owned = false): Schema {
  const {
    'x-kubernetes-map-type': mapType,
    'x-kubernetes-validations': rules,
    ...rest
  } = emptied(schema);
  const { properties, items, additionalProperties } = rest;
  const ownedItems = owned || rest['x-kubernetes-list-type'] === undefined;
  return {
    ...rest,
    ...(mapType && !owned && { 'x-kubernetes-map-type': mapType }),
    ...(properties && { properties: eachOf(properties, (part) => compact(part, owned)) }),
    ...(items && { items: compact(items, ownedItems) }),
    ...(additionalProperties && { additionalProperties: compact(additionalProperties, owned) }),
    ...(rules && { 'x-kubernetes-validations': rules.map(compacted) }),
  };
}

/** Returns the schema as the CRD contains it: without the disclosure and the known values of its fields. */
export function published({ disclosure: _, knownValues: __, ...schema }: Schema): Schema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && { properties: eachOf(properties, published) }),
    ...(items && { items: published(items) }),
    ...(additionalProperties && { additionalProperties: published(additionalProperties) }),
  };
}

const compacted = (one: Rule): Rule => ({ ...one, rule: compactRule(one.rule) });
