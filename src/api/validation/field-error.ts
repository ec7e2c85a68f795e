/** Field errors of a Karmada, in the format of Kubernetes validation, and helpers to create them. */
import { MAX_NAMED } from '../listed.ts';
import type { Syntax } from './syntax.ts';

/** Validation error of one field. */
export interface FieldError {
  /** Path of the field, such as `spec.components.etcd.local.replicas`. */
  readonly field: string;
  /** Cause and what to do. */
  readonly message: string;
}

/**
 * Formats the errors for the condition and the Event, in the format of the Go operator. Of a list or map, it shows the first errors and
 * the number of the others.
 */
export function formatErrors(errors: readonly FieldError[]): string {
  const counts = new Map<string, number>();
  const shown = errors.filter(({ field }) => {
    const name = outermost(field);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= MAX_NAMED;
  });
  const more = [...counts].flatMap(([name, count]) =>
    count > MAX_NAMED ? [`${name}: and ${count - MAX_NAMED} more`] : [],
  );
  const texts = [...shown.map((e) => `${e.field}: ${e.message}`), ...more];
  return `validation errors: [${texts.join(' ')}]`;
}

/** Path of the outermost list or map of a field: all its entries have the same. */
function outermost(field: string): string {
  const end = field.indexOf('[');
  return end < 0 ? field : field.slice(0, end);
}

const SHOWN = 80;

/** Quotes user input for a message: on one line, and truncated to 80 characters. */
export function quoted(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

/** Creates an error with the invalid value. */
export function invalid(field: string, value: unknown, message: string): FieldError {
  return { field, message: `Invalid value: ${quoted(value)}: ${message}` };
}

/** Validates a string against a syntax; an absent or empty string is valid. */
export function checkSyntax(field: string, value: unknown, syntax: Syntax): readonly FieldError[] {
  if (value === undefined || value === null || value === '') return [];
  const text = String(value);
  return syntax.matches(text) ? [] : [invalid(field, text, `must be ${syntax.expected}`)];
}

/** Validates each entry of a list against a syntax; an empty entry is invalid too. */
export function checkEach(
  field: string,
  values: readonly string[] | undefined,
  syntax: Syntax,
): readonly FieldError[] {
  return (values ?? []).flatMap((value, index) =>
    syntax.matches(value)
      ? []
      : [invalid(`${field}[${index}]`, value, `must be ${syntax.expected}`)],
  );
}

/** Validates each key of a map against a syntax. Messages do not contain values, because values may be secret. */
export function checkKeys(
  field: string,
  map: Readonly<Record<string, unknown>> | undefined,
  syntax: Syntax,
): readonly FieldError[] {
  return Object.keys(map ?? {}).flatMap((key) =>
    syntax.matches(key) ? [] : [invalid(field, key, `the key must be ${syntax.expected}`)],
  );
}
