/**
 * Renders templates to Kubernetes objects. A template contains structure only. User values enter it
 * through the helpers `q` and `flag`, which print a JSON string. A JSON string is a YAML scalar, so
 * no user value can inject YAML structure.
 */
import Handlebars from 'handlebars';
import { loadAll } from 'js-yaml';

import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { fieldsOf } from '../kubernetes/objects/records.ts';
import { jsonForYaml } from '../kubernetes/objects/yaml-json.ts';
import type { TemplateValue, TemplateValues } from './component.ts';

/** Text of every template by its path relative to the template directory, for example `etcd/etcd.yaml.hbs`. */
export type TemplateSources = ReadonlyMap<string, string>;

/** Renders the template at a path with values and returns its objects in template order. */
export type Templates = (path: string, values: TemplateValues) => readonly KubernetesObject[];

/** Template and values do not match. Always a bug of the operator, never an error in a user's object. */
export class RenderError extends Error {
  override readonly name = 'RenderError';

  constructor(template: string, problem: string, cause?: unknown) {
    super(`Template ${template}: ${problem}`, { cause });
  }
}

/** Path of a partial: `partials/labels.yaml.hbs` is `{{> labels}}`. */
const PARTIAL = /^partials\/(?<name>[a-z0-9-]+)\.yaml\.hbs$/;

const COMPILE_OPTIONS = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { q: true, flag: true },
} as const;

/**
 * Creates a render function for all templates. Handlebars compiles each template on first use, so a
 * malformed template throws a `RenderError` then.
 */
export function compileTemplates(sources: TemplateSources): Templates {
  const environment = Handlebars.create();
  environment.registerHelper('q', quote);
  environment.registerHelper('flag', flag);
  environment.registerHelper('each', each);
  const compiled = new Map<string, Handlebars.TemplateDelegate>();
  for (const [path, source] of sources) {
    const template = environment.compile(source, COMPILE_OPTIONS);
    const partial = PARTIAL.exec(path)?.groups?.['name'];
    if (partial === undefined) compiled.set(path, template);
    else environment.registerPartial(partial, template);
  }
  return (path, values) => {
    const template = compiled.get(path);
    if (!template) throw new RenderError(path, 'not found');
    return parse(path, fill(path, template, values));
  };
}

function fill(path: string, template: Handlebars.TemplateDelegate, values: TemplateValues): string {
  try {
    return template(values);
  } catch (error) {
    throw new RenderError(path, `rendering failed: ${String(error)}`, error);
  }
}

function parse(path: string, text: string): readonly KubernetesObject[] {
  let documents: unknown[];
  try {
    documents = loadAll(text, { maxAliases: 0 });
  } catch (error) {
    throw new RenderError(path, `rendered text is not valid YAML: ${String(error)}`, error);
  }
  return documents.map((parsed, index) => {
    const document = withOwnText(parsed);
    const problem = defect(document, '') ?? shapeDefect(document);
    if (problem) throw new RenderError(path, `document ${index + 1}: ${problem}`);
    return document as KubernetesObject;
  });
}

/**
 * A copy without references to other text. V8 keeps a part of a text as a reference to the whole, so one name of an object, such as
 * in the key of a cache, would keep the rendered YAML in memory.
 */
const withOwnText = (document: unknown): unknown => JSON.parse(JSON.stringify(document ?? null));

/** Reports the first null in a tree, or undefined. A key without a value is always a template bug. */
function defect(value: unknown, path: string): string | undefined {
  if (value === null || value === undefined) return `${path || 'the document'} has no value`;
  if (typeof value !== 'object') return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = defect(child, `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

function shapeDefect(document: unknown): string | undefined {
  const { apiVersion, kind, metadata } = fieldsOf(document);
  if (typeof apiVersion !== 'string') return 'apiVersion is not a string';
  if (typeof kind !== 'string') return 'kind is not a string';
  if (typeof fieldsOf(metadata)['name'] !== 'string') return 'metadata.name is not a string';
  return undefined;
}

/** `{{q value}}`: prints any string, number or boolean as one YAML scalar. */
function quote(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'string') return jsonForYaml(value);
  throw new Error(`{{q}} requires a string, number or boolean, got ${typeof value}`);
}

/** `{{flag "name" value}}`: prints `--name=value` as one YAML scalar. */
function flag(name: unknown, value: unknown): string {
  if (typeof name !== 'string') throw new Error('{{flag}} requires a string as name');
  if (typeof value !== 'string') {
    throw new Error(`{{flag "${name}"}} requires a string, got ${typeof value}`);
  }
  return jsonForYaml(`--${name}=${value}`);
}

/** `{{#each list}}` that throws if the value is not a list. The built-in helper prints nothing then. */
function each(list: unknown, options: Handlebars.HelperOptions): string {
  if (!Array.isArray(list)) throw new Error(`{{#each}} requires a list, got ${typeof list}`);
  return list.map((item: TemplateValue) => options.fn(item)).join('');
}
