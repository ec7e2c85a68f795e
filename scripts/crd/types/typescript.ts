/** Writes the TypeScript types of a schema. Pure functions. */
import { kubernetesType } from '../kubernetes-names.ts';
import type { Schema } from '../schema.ts';

/** How the types of one kind are named. Paths are such as `spec.components.etcd` and `status.conditions[]`. */
export interface TypeNames {
  /** Name of the type at a path. Other objects have no name. Several paths can have the same type. */
  readonly named: readonly (readonly [path: RegExp, name: string])[];
  /** Types of other modules, by name: the text after `from`. */
  readonly imported: Readonly<Record<string, string>>;
  /** Fields that are always set, by the path of their object. */
  readonly present: Readonly<Record<string, readonly string[]>>;
  /** Whether objects also have all fields that the schema requires. Objects that are older than their schema can lack them. */
  readonly hasRequired: boolean;
}

interface Found {
  readonly names: TypeNames;
  /** Declarations by name. */
  readonly declared: Map<string, string>;
  readonly used: Set<string>;
}

/**
 * Returns the declarations of the named types.
 * @param roots parts of a kind by path, such as `spec`
 * @throws Error if a type with one name has different fields at different paths
 */
export function typeDeclarations(
  roots: Readonly<Record<string, Schema>>,
  names: TypeNames,
): string {
  const found: Found = { names, declared: new Map(), used: new Set() };
  for (const [path, schema] of Object.entries(roots)) typeText(schema, path, found);
  return [...importLines(found), '', ...found.declared.values()].join('\n');
}

/** One import for each module. */
function importLines({ used, names: { imported } }: Found): readonly string[] {
  const from = Map.groupBy([...used].sort(), (name) => imported[name] ?? '@kubernetes/client-node');
  return [...from].map(([file, names]) => `import type { ${names.join(', ')} } from '${file}';`);
}

/** Type of a part of a schema. */
function typeText(schema: Schema, path: string, found: Found): string {
  const { imported } = found.names;
  const name = found.names.named.find(([pattern]) => pattern.test(path))?.[1];
  if (name === undefined) return plainText(schema, path, found);
  if (Object.hasOwn(imported, name)) found.used.add(name);
  else declare(name, schema, path, found);
  return name;
}

function declare(name: string, schema: Schema, path: string, found: Found): void {
  const { declared } = found;
  const before = declared.get(name);
  const docs = docText(schema);
  // Reserves the place, so that a type stands before those of its fields.
  if (before === undefined) declared.set(name, '');
  const text = plainText(schema, path, found);
  const declaration = schema.properties
    ? `${docs}export interface ${name} ${text}\n`
    : `${docs}export type ${name} = ${text};\n`;
  if (before !== undefined && withoutDocs(before) !== withoutDocs(declaration))
    throw new Error(`${path}: another type with the name ${name} has other fields`);
  declared.set(name, before ?? declaration);
}

const withoutDocs = (text: string): string => text.replaceAll(/^\s*\/\*\*.*\*\/\n/gm, '');

function plainText(schema: Schema, path: string, found: Found): string {
  const { items, properties, additionalProperties: values } = schema;
  if (items) return listText(typeText(items, `${path}[]`, found));
  if (values) return `Readonly<Record<string, ${typeText(values, `${path}{}`, found)}>>`;
  if (properties === undefined) return scalarText(schema);
  const kubernetes = kubernetesType(schema);
  if (kubernetes === undefined) return objectText(schema, path, found);
  found.used.add(`V1${kubernetes}`);
  return `V1${kubernetes}`;
}

const listText = (item: string): string =>
  item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`;

function objectText(schema: Schema, path: string, found: Found): string {
  const { names } = found;
  const present = names.present[path] ?? (names.hasRequired ? schema.required : undefined);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const mark = present?.includes(name) === true ? '' : '?';
    return `${docText(field)}readonly ${name}${mark}: ${typeText(field, `${path}.${name}`, found)};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

const docText = ({ description = '' }: Schema): string =>
  description === '' ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`;

function scalarText(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  const values = schema.knownValues ?? schema.enum;
  // An empty text counts as not set.
  if (values)
    return values
      .filter((value) => value !== '')
      .map(literal)
      .join(' | ');
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return schema.type ?? 'unknown';
}

const literal = (value: string | boolean): string =>
  typeof value === 'string' ? `'${value}'` : String(value);
