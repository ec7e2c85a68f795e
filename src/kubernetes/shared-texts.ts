/** Keeps equal long texts of cached objects once, such as the CA bundle that each webhook and APIService repeats. */
import { isObject } from './compare.ts';
import type { KubernetesObject } from './object.ts';

/** Characters from which a text is worth an entry. */
const LONG = 512;
/** Texts that are known at once. A forgotten one costs a copy. */
const MAX_TEXTS = 16;

/** Texts of caches that end together. */
export class SharedTexts {
  readonly #known = new Map<string, string>();

  /** Cache transform: an equal object whose long texts are those of earlier objects. */
  share<T extends KubernetesObject>(object: T): T {
    for (const value of Object.values(object)) this.#visit(value);
    return object;
  }

  /** Replaces texts in place: the object was just parsed, and nothing else refers to it. */
  #visit(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#visit(item);
    if (!isObject(value)) return;
    for (const [key, member] of Object.entries(value))
      if (typeof member === 'string') this.#replace(value, key, member);
      else this.#visit(member);
  }

  #replace(owner: object, key: string, text: string): void {
    if (text.length < LONG) return;
    const known = this.#known.get(text);
    if (known !== undefined) Reflect.set(owner, key, known);
    else if (this.#known.size < MAX_TEXTS) this.#known.set(text, text);
    else this.#known.clear();
  }
}
