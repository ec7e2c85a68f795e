/** Pages of the kinds in docs/reference: all fields and rules of a CRD, from its schema. */
import { kubernetesType } from '../crd/kubernetes-names.ts';
import type { Schema } from '../crd/schema.ts';
import { code, escaped, page, table } from './markdown.ts';

const KUBERNETES =
  'A field with a type such as `Affinity` has the fields of that type in the [Kubernetes API](https://kubernetes.io/docs/reference/kubernetes-api/); `kubectl explain` describes them.';

/** The part of a CRD that its page shows. */
interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly shortNames?: readonly string[];
    };
    readonly versions: readonly [
      { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } },
    ];
  };
}

/** An object of the CRD that is not a Kubernetes type. */
interface Section {
  /** Such as `spec.hostCluster`; `[]` at its end for the items of a list. */
  readonly path: string;
  readonly schema: Schema;
}

const propertiesOf = ({ properties = {} }: Schema): readonly (readonly [string, Schema])[] =>
  Object.entries(properties);

/** Heading without its dots and brackets, as Markdown renderers make anchors. */
const anchorOf = (path: string): string => path.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '');

/**
 * Type of a field as Markdown: an object of this CRD links to its section, a Kubernetes type has its name.
 * @param path of the field
 */
export function typeText(schema: Schema, path: string): string {
  const { items, additionalProperties, properties } = schema;
  if (items) return `list of ${typeText(items, `${path}[]`)}`;
  if (additionalProperties) return `map of ${typeText(additionalProperties, `${path}{}`)}`;
  if (properties === undefined) return simpleType(schema);
  const name = kubernetesType(schema);
  return name === undefined ? `[object](#${anchorOf(path)})` : code(name);
}

function simpleType(schema: Schema): string {
  const { type = '', format = '' } = schema;
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  const name = ['date-time', 'byte'].includes(format) ? `${type} (${format})` : type;
  return schema.enum ? `${name}: ${schema.enum.map(valueText).join(', ')}` : name;
}

/** A value as code; Markdown has no code without characters. */
const valueText = (value: unknown): string => code(value === '' ? '""' : String(value));

/** Default in the schema, else the one that the description names in one word. Longer ones stay there: the column is narrow. */
export function defaultText({ default: value, description = '' }: Schema): string {
  const named = /\bDefaults? ?(?:to|:) ([^\s,;]+?)(?=[,;]|\.?$|\. )/.exec(description)?.[1];
  return value === undefined ? escaped(named ?? '') : code(value);
}

/** Sections of an object and of all objects below it, in the order of the schema, but not of Kubernetes types. */
export function sectionsOf(path: string, schema: Schema): readonly Section[] {
  if (schema.properties === undefined || kubernetesType(schema) !== undefined) return [];
  const below = propertiesOf(schema).flatMap(([name, field]) => {
    const at = `${path}.${name}`;
    return field.items ? sectionsOf(`${at}[]`, field.items) : sectionsOf(at, field);
  });
  return [{ path, schema }, ...below];
}

function fieldRows({ path, schema }: Section): readonly (readonly string[])[] {
  return propertiesOf(schema).map(([name, field]) => {
    const required = schema.required?.includes(name) ? ', required' : '';
    return [
      code(name),
      `${typeText(field, `${path}.${name}`)}${required}`,
      defaultText(field),
      escaped(field.description ?? ''),
    ];
  });
}

function sectionText(section: Section): readonly string[] {
  const { path, schema } = section;
  return [
    `## ${code(path)}`,
    ...(schema.description ? [escaped(schema.description)] : []),
    table(['Field', 'Type', 'Default', 'Description'], fieldRows(section)),
    ...rulesText(schema),
  ];
}

/** Rules between the fields of an object, and rules of its fields. */
function rulesText(schema: Schema): readonly string[] {
  const own = rulesOf(schema, '');
  const ofFields = propertiesOf(schema).flatMap(([name, field]) =>
    field.properties === undefined ? rulesOf(field, name) : [],
  );
  const rules = [...new Set([...own, ...ofFields])];
  return rules.length === 0 ? [] : ['Rules:', rules.join('\n')];
}

/** Rules of a schema as list items, with the field that each one is about. */
const rulesOf = (schema: Schema, name: string): readonly string[] =>
  (schema['x-kubernetes-validations'] ?? []).map(({ message, fieldPath = '' }) => {
    const field = `${name}${fieldPath}`.replace(/^\./, '');
    return field === '' ? `- ${escaped(message)}` : `- ${code(field)}: ${escaped(message)}`;
  });

/** Returns the page of a kind, not formatted. */
export function kindPage({ spec: { group, names, versions } }: Definition): string {
  const [{ name, schema }] = versions;
  const root = schema.openAPIV3Schema;
  const { properties = {}, description = '' } = root;
  const sections = ['spec', 'status'].flatMap((part) => sectionsOf(part, properties[part] ?? {}));
  const hasTypes = sections.some(({ schema: part }) =>
    propertiesOf(part).some(([, field]) => kubernetesType(field.items ?? field) !== undefined),
  );
  const short = (names.shortNames ?? []).map((one) => `, short name ${code(one)}`).join('');
  return page(names.kind, [
    `${escaped(description)} API version ${code(`${group}/${name}`)}, plural ${code(names.plural)}${short}, namespaced.`,
    ...(hasTypes ? [KUBERNETES] : []),
    ...rulesText({ ...root, properties: {} }),
    ...sections.flatMap(sectionText),
  ]);
}
