/** Removes the values of one Karmada from text. What is compared is derived once for each spec, not for each quote. */
import { base64Parts } from '../../redact/base64-parts.ts';
import { decodedViews, originalSpan } from '../../redact/decoded-text.ts';
import { joined, SHORTEST_VALUE, valueFinder, withoutSpans } from '../../redact/exact-redaction.ts';
import { redactPatterns, type RedactText } from '../../redact/redact-text.ts';
import { hiddenParts, type Setting } from './vocabulary.ts';

/** Flags and environment variables of one component: characters of all values, and number of their parts. */
const LIMIT = { characters: 32_768, parts: 1_000 };

interface Known {
  /** Characters of all values. */
  readonly size: number;
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
    const size = sizeOf(settings);
    const redact = size > LIMIT.characters ? undefined : redactionOf(settings);
    this.#known.delete(component);
    this.#known.set(component, { size: redact ? size : 0, settings, redact });
    this.#forgetFirst();
    return redact;
  }

  /** A redaction needs many times the memory of its settings. All that are kept have the limit of one. */
  #forgetFirst(): void {
    let kept = [...this.#known.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [component, { size }] of this.#known) {
      if (kept <= LIMIT.characters) return;
      this.#known.delete(component);
      kept -= size;
    }
  }
}

const isSame = (ones: readonly Setting[], others: readonly Setting[]): boolean =>
  ones.length === others.length &&
  ones.every(({ name, value, isText }, index) => {
    const other = others[index];
    return name === other?.name && value === other.value && isText === other.isText;
  });

const sizeOf = (settings: readonly Setting[]): number =>
  settings.reduce((sum, { value: { length } }) => sum + length, 0);

function redactionOf(settings: readonly Setting[]): RedactText | undefined {
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
