/** Leaves out of a schema what says nothing: the CRD has to fit into an annotation of 256 KiB. */
import type { Rule, Schema } from './schema.ts';

/** Texts in quotes, raw ones among them, and what is between them. */
const PARTS = /r?'(?:[^'\\]|\\.)*'|r?"(?:[^"\\]|\\.)*"|[^'"r]+|r/g;
const QUOTED = /^r?['"]/;
const OPERATORS = / *(&&|\|\||[=!<>]=|[-+*?:,<>]) */g;

/** A CEL expression without the spaces around its operators; the texts in it stay as they are. */
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

/**
 * The same schema in fewer bytes.
 * @param owned whether a list around it has one owner as a whole, so that how objects in it merge does not matter
 */
export function compact(schema: Schema, owned = false): Schema {
  const { 'x-kubernetes-map-type': mapType, 'x-kubernetes-validations': rules, ...rest } = schema;
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

const compacted = (one: Rule): Rule => ({ ...one, rule: compactRule(one.rule) });
