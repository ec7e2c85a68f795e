/**
 * Text to objects. A template holds structure only; what a user wrote gets into it through the two
 * helpers `q` and `flag`, which print a JSON string, and JSON strings are YAML scalars. So no value
 * can become structure.
 */
import Handlebars from 'handlebars';
import { loadAll } from 'js-yaml';

import type { KubernetesObject } from '../kubernetes/object.ts';
import { jsonForYaml } from '../kubernetes/yaml-json.ts';
import type { TemplateValue, TemplateValues } from './component.ts';

/** Text of every template by its path below the templates' directory, such as `etcd/etcd.yaml.hbs`. */
export type TemplateSources = ReadonlyMap<string, string>;

/** Turns the template of that path and its values into the objects it holds, in its order. */
export type Templates = (path: string, values: TemplateValues) => readonly KubernetesObject[];

/** A template and its values do not fit: a defect of the operator, never of a user's object. */
export class RenderError extends Error {
  override readonly name = 'RenderError';

  constructor(template: string, problem: string, cause?: unknown) {
    super(`Template ${template}: ${problem}`, { cause });
  }
}

/** Where partials lie: `partials/labels.yaml.hbs` is `{{> labels}}`. */
const PARTIAL = /^partials\/(?<name>[a-z0-9-]+)\.yaml\.hbs$/;

const COMPILE_OPTIONS = {
  strict: true,
  noEscape: true,
  knownHelpersOnly: true,
  knownHelpers: { q: true, flag: true },
} as const;

/** Compiles all templates once. Throws when one of them is not well formed, at its first use. */
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
    if (!template) throw new RenderError(path, 'there is no such template');
    return parse(path, fill(path, template, values));
  };
}

function fill(path: string, template: Handlebars.TemplateDelegate, values: TemplateValues): string {
  try {
    return template(values);
  } catch (error) {
    throw new RenderError(path, `cannot be filled: ${String(error)}`, error);
  }
}

function parse(path: string, text: string): readonly KubernetesObject[] {
  let documents: unknown[];
  try {
    documents = loadAll(text, { maxAliases: 0 });
  } catch (error) {
    throw new RenderError(path, `is not YAML after filling: ${String(error)}`, error);
  }
  return documents.map((document, index) => {
    const problem = defect(document, '') ?? shapeDefect(document);
    if (problem) throw new RenderError(path, `document ${index + 1}: ${problem}`);
    return document as KubernetesObject;
  });
}

/** The first null in a tree (a key without a value, which is never meant), or undefined. */
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
  const object = document as Partial<KubernetesObject>;
  if (typeof object.apiVersion !== 'string') return 'apiVersion is not a string';
  if (typeof object.kind !== 'string') return 'kind is not a string';
  if (typeof object.metadata?.name !== 'string') return 'metadata.name is not a string';
  return undefined;
}

/** `{{q value}}`: a scalar as YAML, whatever is in it. */
function quote(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'string') return jsonForYaml(value);
  throw new Error(`{{q}} takes a string, number or boolean, not ${typeof value}`);
}

/** `{{flag "name" value}}`: `--name=value` as one YAML scalar. */
function flag(name: unknown, value: unknown): string {
  if (typeof name !== 'string') throw new Error('{{flag}} takes a name');
  if (typeof value !== 'string') {
    throw new Error(`{{flag "${name}"}} takes a string, not ${typeof value}`);
  }
  return jsonForYaml(`--${name}=${value}`);
}

/** `{{#each list}}` that refuses what is not a list, where the original would print nothing. */
function each(list: unknown, options: Handlebars.HelperOptions): string {
  if (!Array.isArray(list)) throw new Error(`{{#each}} takes a list, not ${typeof list}`);
  return list.map((item: TemplateValue) => options.fn(item)).join('');
}
