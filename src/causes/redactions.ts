/** Removes the values of one Karmada from text. What is compared is derived once for each spec, not for each quote. */
import { base64Parts } from '../redact/base64-parts.ts';
import { decodedViews, originalSpan } from '../redact/decoded-text.ts';
import { joined, SHORTEST_VALUE, valueFinder, withoutSpans } from '../redact/exact-redaction.ts';
import { redactPatterns, type RedactText } from '../redact/redact-text.ts';
import { hiddenParts, type Setting } from './vocabulary.ts';

/**
 * Names and values that all components of a Karmada may have together, and parts of the values of one component. A redaction needs many
 * times the memory of its settings, and its time grows with them. All are derived in the same reconcile when no component is ready.
 */
const LIMIT = { characters: 32_768, parts: 1_000 };

/** Settings of each component, which are read as far as the limit. */
type AllSettings = Iterable<readonly [component: string, settings: Iterable<Setting>]>;

/**
 * Returns a function that removes the values of the settings of a component and what looks like a secret; undefined if the values are too
 * many to compare.
 */
export type RedactionOf = (component: string) => RedactText | undefined;

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
   * Returns the redactions for these settings. Which components have one does not depend on earlier calls.
   * @param all only read for a redaction, and once. A component whose settings exceed what those before it leave has none
   */
  of(all: AllSettings): RedactionOf {
    let within: ReadonlyMap<string, readonly Setting[]> | undefined;
    return (component) => {
      within ??= this.#update(all);
      const settings = within.get(component);
      return settings && this.#redaction(component, settings);
    };
  }

  /** Forgets the redactions of former settings, so that all that are kept have the limit together. */
  #update(all: AllSettings): ReadonlyMap<string, readonly Setting[]> {
    const within = withinLimit(all);
    for (const [component, { settings }] of this.#known)
      if (!isSame(settings, within.get(component) ?? [])) this.#known.delete(component);
    return within;
  }

  #redaction(component: string, settings: readonly Setting[]): RedactText | undefined {
    const known = this.#known.get(component) ?? { settings, redact: redactionOf(settings) };
    this.#known.set(component, known);
    return known.redact;
  }
}

/** Settings that can be hidden, of the components that the limit has room for. */
function withinLimit(all: AllSettings): ReadonlyMap<string, readonly Setting[]> {
  const found = new Map<string, readonly Setting[]>();
  let room = LIMIT.characters;
  for (const [component, settings] of all) {
    const read = readWithin(settings, room);
    if (read === undefined) continue;
    found.set(component, read.kept);
    room -= read.size;
  }
  return found;
}

interface Read {
  /** Without those that are too short to be hidden. */
  readonly kept: readonly Setting[];
  readonly size: number;
}

/** Reads no further than the room. Each setting takes some, because a list may have many empty ones. */
function readWithin(settings: Iterable<Setting>, room: number): Read | undefined {
  const kept: Setting[] = [];
  let size = 0;
  for (const setting of settings) {
    const { name, value } = setting;
    size += Math.max(1, name.length + value.length);
    if (size > room) return undefined;
    if (value.length >= SHORTEST_VALUE) kept.push(setting);
  }
  return { kept, size };
}

const isSame = (ones: readonly Setting[], others: readonly Setting[]): boolean =>
  ones.length === others.length &&
  ones.every(({ name, value, isText }, index) => {
    const other = others[index];
    return name === other?.name && value === other.value && isText === other.isText;
  });

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
