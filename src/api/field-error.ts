/** What is wrong with a field of a Karmada, and small tools to say so. */
import type { Syntax } from './syntax.ts';

/** One mistake: where it is, what it is and what to do about it. */
export interface FieldError {
  /** Path of the field, such as `spec.components.etcd.local.replicas`. */
  readonly field: string;
  /** Cause and remedy, in plain words. */
  readonly message: string;
}

/** Message of the condition and the event for all mistakes at once, in upstream's form. */
export function formatErrors(errors: readonly FieldError[]): string {
  return `validation errors: [${errors.map((e) => `${e.field}: ${e.message}`).join(' ')}]`;
}

const SHOWN = 80;

/** A user's text for a message: quoted, on one line, not longer than a line. */
export function quoted(value: unknown): string {
  const text = String(value);
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);
}

export function invalid(field: string, value: unknown, message: string): FieldError {
  return { field, message: `Invalid value: ${quoted(value)}: ${message}` };
}

/** The mistake in a text that must follow a syntax; an absent or empty one is no mistake. */
export function checkSyntax(field: string, value: unknown, syntax: Syntax): readonly FieldError[] {
  if (value === undefined || value === null || value === '') return [];
  const text = String(value);
  return syntax.matches(text) ? [] : [invalid(field, text, `must be ${syntax.expected}`)];
}

/** The same for every entry of a list, where an empty one is a mistake too. */
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

/** The same for every key of a map. Values are not shown: they may be secret. */
export function checkKeys(
  field: string,
  map: Readonly<Record<string, unknown>> | undefined,
  syntax: Syntax,
): readonly FieldError[] {
  return Object.keys(map ?? {}).flatMap((key) =>
    syntax.matches(key) ? [] : [invalid(field, key, `the key must be ${syntax.expected}`)],
  );
}
