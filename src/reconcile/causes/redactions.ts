/** Removes the values of one Karmada from text. What is compared is derived once for each spec, not for each quote. */
import { base64Parts } from '../../redact/base64-parts.ts';
import { decodedViews, originalSpan } from '../../redact/decoded-text.ts';
import { joined, SHORTEST_VALUE, valueFinder, withoutSpans } from '../../redact/exact-redaction.ts';
import { redactPatterns, type RedactText } from '../../redact/redact-text.ts';
import { hiddenParts, type Setting } from './vocabulary.ts';

/** Flags and environment variables of one component: characters of all values, and number of their parts. */
const LIMIT = { characters: 32_768, parts: 1_000 };

interface Known {
  readonly settings: readonly Setting[];
  readonly redact: RedactText | undefined;
}

/**
 * Redactions of the components of one Karmada, as long as their settings are the same. They are compared by value: neither the object
 * nor its generation changes when a rollback replaces the spec that applies.
 */
export class Redactions {
  readonly #known = new Map<string, Known>();

  /**
   * Returns a function that removes the values of the settings and what looks like a secret.
   * @param component whose settings these are
   * @returns undefined if the values are too many to compare
   */
  of(component: string, settings: readonly Setting[]): RedactText | undefined {
    const known = this.#known.get(component);
    if (known !== undefined && isSame(known.settings, settings)) return known.redact;
    const redact = redactionOf(settings);
    this.#known.set(component, { settings, redact });
    return redact;
  }
}

const isSame = (ones: readonly Setting[], others: readonly Setting[]): boolean =>
  ones.length === others.length &&
  ones.every(({ name, value, isText }, index) => {
    const other = others[index];
    return name === other?.name && value === other.value && isText === other.isText;
  });

function redactionOf(settings: readonly Setting[]): RedactText | undefined {
  const size = settings.reduce((sum, { value: { length } }) => sum + length, 0);
  if (size > LIMIT.characters) return undefined;
  const parts = hiddenParts(settings);
  if (parts.size > LIMIT.parts) return undefined;
  const forms = [...parts].flatMap((part) => [
    ...decodedViews(part).map(({ text }) => text),
    ...base64Parts(part),
  ]);
  const find = valueFinder(forms, SHORTEST_VALUE);
  return (text) => {
    const spans = decodedViews(text).flatMap((view) =>
      find(view.text).map((span) => originalSpan(view, span)),
    );
    const ordered = spans.sort((one, other) => one.start - other.start);
    return redactPatterns(withoutSpans(text, joined(ordered)));
  };
}
