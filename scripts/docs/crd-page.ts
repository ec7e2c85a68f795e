/** Page docs/reference/crd.md: all fields of the Karmada CRD from its schema. */
import { karmadaCrd } from '../crd/karmada.ts';
import { kubernetes } from '../crd/kubernetes/types.ts';
import { partialTypes } from '../crd/pod-settings.ts';
import type { Schema } from '../crd/schema.ts';
import { code, escaped, page, table } from './markdown.ts';

const INTRODUCTION = [
  'Fields of the custom resource `Karmada` (`operator.karmada.io/v1alpha1`, plural `karmadas`, namespaced).',
  'A field with a type such as `Affinity` has the fields of that type in the',
  '[Kubernetes API](https://kubernetes.io/docs/reference/kubernetes-api/).',
].join(' ');

/** An object of the CRD whose fields have descriptions of this project. */
interface Section {
  /** Such as `spec.hostCluster`; `[]` at its end for the items of a list. */
  readonly path: string;
  readonly schema: Schema;
}

const propertiesOf = ({ properties = {} }: Schema): readonly (readonly [string, Schema])[] =>
  Object.entries(properties);

/** Whether this project describes the fields: Kubernetes types have no descriptions in the CRD. */
const isDescribed = (schema: Schema): boolean =>
  propertiesOf(schema).some(([, { description }]) => description !== undefined);

const fieldNames = (schema: Schema): string =>
  propertiesOf(schema)
    .map(([name]) => name)
    .sort()
    .join();

/** Names of Kubernetes types by the names of their fields. */
const KUBERNETES_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...kubernetes, ...partialTypes }).map(([name, schema]) => [
    fieldNames(schema),
    name,
  ]),
);

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
  if (isDescribed(schema)) return `[object](#${anchorOf(path)})`;
  if (properties) return code(KUBERNETES_TYPES.get(fieldNames(schema)) ?? 'object');
  return simpleType(schema);
}

function simpleType(schema: Schema): string {
  const { type = '', format = '' } = schema;
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  const name = ['date-time', 'byte'].includes(format) ? `${type} (${format})` : type;
  return schema.enum ? `${name}: ${schema.enum.map((v) => code(String(v))).join(', ')}` : name;
}

/** Default in the schema, else the one that the description names: the operator stores it in the field. */
export function defaultText({ default: value, description = '' }: Schema): string {
  const named = /\bDefaults? ?(?:to|:) (.+?)(?=;|\.(?: |$))/.exec(description)?.[1];
  return value === undefined ? escaped(named ?? '') : code(value);
}

/** Sections of an object and of all objects below it, in the order of the schema. */
export function sectionsOf(path: string, schema: Schema): readonly Section[] {
  const below = propertiesOf(schema).flatMap(([name, field]) => {
    const at = `${path}.${name}`;
    return field.items ? sectionsOf(`${at}[]`, field.items) : sectionsOf(at, field);
  });
  return isDescribed(schema) ? [{ path, schema }, ...below] : [];
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
  ];
}

/** Returns the page, not formatted. */
export function crdPage(): string {
  const root: Schema = karmadaCrd.spec.versions[0].schema.openAPIV3Schema;
  const sections = ['spec', 'status'].flatMap((name) => {
    const schema = root.properties?.[name];
    if (schema === undefined) throw new Error(`the CRD has no ${name}`);
    return sectionsOf(name, schema);
  });
  return page('Karmada CRD', [INTRODUCTION, ...sections.flatMap(sectionText)]);
}
