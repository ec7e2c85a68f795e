/** Redacts values of Kubernetes objects and logs of one report. Pure functions. */
import { exactRedaction } from '../../../redact/exact-redaction.ts';
import { redactPatterns, type RedactText } from '../../../redact/redact-text.ts';
import { valuesOfText } from './secret-values.ts';

export interface Redactor {
  /** For text of unknown origin: known values and everything that looks like a secret. */
  readonly text: RedactText;
  /** For complete files, as the last step: known values only. */
  readonly known: RedactText;
}

/** Shortest value of a field that is also removed from other text. Shorter ones are words, such as `zone`. */
const SHORTEST_HIDDEN = 8;

export interface KnownValues {
  /** All forms of the values of Secrets. */
  readonly secrets: readonly string[];
  /** Texts in objects that the report does not show, such as environment variables. */
  readonly hidden: readonly string[];
  /** Texts that the report shows in any case, such as the name of the Karmada. */
  readonly names: ReadonlySet<string>;
}

/** Creates the redactor of a report. */
export function createRedactor({ secrets, hidden, names }: KnownValues): Redactor {
  const unshown = new Set(hidden.filter((text) => text.length >= SHORTEST_HIDDEN));
  const values = [...secrets, ...[...unshown].flatMap((text) => valuesOfText(text, 'named'))];
  const known = exactRedaction(values.filter((value) => !names.has(value)));
  return { known, text: (text) => redactPatterns(known(text)) };
}

/** Redacts all strings in a value, also the names of its fields. */
export function redactTree(value: unknown, redact: RedactText): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactTree(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [redact(key), redactTree(entry, redact)]),
  );
}
