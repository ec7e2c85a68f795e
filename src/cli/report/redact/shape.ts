/**
 * Shapes: which parts of an object a report shows. A shape is an allow-list. Values that a user can choose freely are
 * shown only if the operator itself writes the same value, or if they cannot be a secret. Pure functions.
 */
import { REDACTED } from '../../../redact/redacted.ts';

/** Part of an object and how it is shown. */
export type Shape =
  /** Names, numbers, enumerations and messages: shown. Text is searched for secrets later. */
  | { readonly kind: 'shown' }
  /** Values that a user chooses freely. */
  | { readonly kind: 'free' }
  /** Command-line arguments: the names of the flags, and values as `free`. */
  | { readonly kind: 'arguments' }
  /** Only these fields; the others as `free`. */
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Shape>> }
  | { readonly kind: 'list'; readonly item: Shape }
  /** A map whose keys are names. `known` are values by key that have another shape. */
  | {
      readonly kind: 'map';
      readonly value: Shape;
      readonly known: (key: string) => Shape | undefined;
    }
  /** Names and sizes of the entries. */
  | { readonly kind: 'sizes' }
  /** Neither shown nor compared with other texts: a copy of what the report shows elsewhere. */
  | { readonly kind: 'omitted' };

export const shown: Shape = { kind: 'shown' };
export const free: Shape = { kind: 'free' };
export const commandLine: Shape = { kind: 'arguments' };
export const sizes: Shape = { kind: 'sizes' };
export const omitted: Shape = { kind: 'omitted' };
export const fields = (parts: Readonly<Record<string, Shape>>): Shape => ({
  kind: 'fields',
  fields: parts,
});
export const list = (item: Shape): Shape => ({ kind: 'list', item });
export const map = (
  value: Shape,
  known: (key: string) => Shape | undefined = () => undefined,
): Shape => ({ kind: 'map', value, known });

/** Fields with the same shape. */
export const each = (shape: Shape, ...names: readonly string[]): Readonly<Record<string, Shape>> =>
  Object.fromEntries(names.map((name) => [name, shape]));

/** Shown part of a value, and the texts that it does not show. */
export interface Projection {
  readonly value: unknown;
  readonly hidden: readonly string[];
}

/** Values that the operator writes for a control plane without settings of a user. */
export type Vocabulary = ReadonlySet<string>;

/** Booleans, ports, durations, quantities and percentages. */
const HARMLESS = /^(?:true|false|\d{1,5}(?:\.\d{1,3})?(?:ns|us|ms|[smh]|[KMGT]i?|%)?)$/;

/** Name of a flag, label, annotation, ConfigMap entry or environment variable. */
const KEY = /^(?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9_.][\w.-]{0,62}$/;

const HIDDEN: Projection = { value: REDACTED, hidden: [] };

/** Projects a value to its shape. */
export function project(value: unknown, shape: Shape, vocabulary: Vocabulary): Projection {
  if (value === undefined || value === null) return { value, hidden: [] };
  switch (shape.kind) {
    case 'shown':
      return { value, hidden: [] };
    case 'omitted':
      return HIDDEN;
    case 'free':
      return projectFree(value, vocabulary);
    case 'sizes':
      return projectSizes(value);
    default:
      return projectParts(value, shape, vocabulary);
  }
}

type Composite = Extract<Shape, { kind: 'arguments' | 'list' | 'fields' | 'map' }>;

function projectParts(value: unknown, shape: Composite, vocabulary: Vocabulary): Projection {
  switch (shape.kind) {
    case 'arguments':
      return typeof value === 'string'
        ? projectArgument(value, vocabulary)
        : projectItems(value, shape, vocabulary);
    case 'list':
      return projectItems(value, shape.item, vocabulary);
    default:
      return projectEntries(value, shape, vocabulary);
  }
}

function projectFree(value: unknown, vocabulary: Vocabulary): Projection {
  if (typeof value === 'boolean') return { value, hidden: [] };
  if (typeof value === 'object') return { value: REDACTED, hidden: textsIn(value) };
  const text = String(value);
  if (HARMLESS.test(text) || vocabulary.has(text)) return { value, hidden: [] };
  return { value: REDACTED, hidden: [text] };
}

/** All texts in a value. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

const FLAG = /^(?<name>--?[A-Za-z][\w.-]{0,62})=(?<value>[\s\S]*)$/;
const SWITCH = /^--?[A-Za-z][A-Za-z-]{0,30}$/;

function projectArgument(argument: string, vocabulary: Vocabulary): Projection {
  if (vocabulary.has(argument) || SWITCH.test(argument)) return { value: argument, hidden: [] };
  const { name, value = '' } = FLAG.exec(argument)?.groups ?? {};
  if (name === undefined) return projectFree(argument, vocabulary);
  const projected = projectFree(value, vocabulary);
  return { value: `${name}=${String(projected.value)}`, hidden: projected.hidden };
}

function projectItems(value: unknown, item: Shape, vocabulary: Vocabulary): Projection {
  if (!Array.isArray(value)) return projectFree(value, vocabulary);
  return joined(value.map((entry) => project(entry, item, vocabulary)));
}

const joined = (items: readonly Projection[]): Projection => ({
  value: items.map(({ value }) => value),
  hidden: items.flatMap(({ hidden }) => hidden),
});

function projectEntries(
  value: unknown,
  shape: Extract<Shape, { kind: 'fields' | 'map' }>,
  vocabulary: Vocabulary,
): Projection {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return projectFree(value, vocabulary);
  const entries = Object.entries(value).map(([key, entry], index) => {
    const part = project(entry, shapeOf(shape, key), vocabulary);
    return KEY.test(key)
      ? { key, part }
      : // A key that is no name is a value at the wrong place.
        { key: `${REDACTED} ${index}`, part: { ...part, hidden: [...part.hidden, key] } };
  });
  return {
    value: Object.fromEntries(entries.map(({ key, part }) => [key, part.value])),
    hidden: entries.flatMap(({ part }) => part.hidden),
  };
}

function shapeOf(shape: Extract<Shape, { kind: 'fields' | 'map' }>, key: string): Shape {
  if (shape.kind === 'map') return shape.known(key) ?? shape.value;
  return Object.hasOwn(shape.fields, key) ? (shape.fields[key] ?? free) : free;
}

function projectSizes(value: unknown): Projection {
  if (typeof value !== 'object' || value === null) return HIDDEN;
  const entries = Object.entries(value).map(([key, entry], index) => {
    const text = typeof entry === 'string' ? entry : JSON.stringify(entry);
    return [KEY.test(key) ? key : `${REDACTED} ${index}`, `${text.length} characters`] as const;
  });
  return { value: Object.fromEntries(entries), hidden: textsIn(value) };
}
