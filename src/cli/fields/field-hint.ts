/** Explains fields that an API server does not know (pure functions). */
import type { FieldSchema } from './field-schema.ts';
import { nearest } from './nearest.ts';

/**
 * Returns what to do about a field that the API server rejects as unknown.
 * @param path as in the message of the API server, such as `spec.hostAliases[0].name`
 * @param schema fields of the kind in the version of this program
 * @returns undefined if no known field is similar
 */
export function fieldHint(path: string, schema: FieldSchema): string | undefined {
  const names = path.replaceAll(/\[\d+\]/g, '.[]').split('.');
  const name = names.pop() ?? '';
  const parent = names.reduce<FieldSchema | undefined>(fieldIn, schema);
  const found = nearest(name, Object.keys(parent?.properties ?? {}));
  if (found === name) return 'the CRDs of the cluster are older than this plugin: upgrade them';
  return found === undefined ? undefined : `did you mean ${found}?`;
}

function fieldIn(schema: FieldSchema | undefined, name: string): FieldSchema | undefined {
  const { items, properties = {}, additionalProperties } = schema ?? {};
  if (name === '[]') return items;
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
