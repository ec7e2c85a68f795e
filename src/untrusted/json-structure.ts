/** Counts the values and the nesting of JSON that arrives in chunks, before it is parsed. */

const code = (character: string): number => character.charCodeAt(0);
const [QUOTE, BACKSLASH] = [code('"'), code('\\')];

/** What a byte outside of a string means: 0 nothing, 1 a value follows, 2 also a level, 3 the level ends, 4 a string begins. */
const MEANING = new Uint8Array(256);
const [FOLLOWED, OPENING, CLOSING, QUOTED] = [1, 2, 3, 4] as const;
MEANING[code(',')] = FOLLOWED;
for (const open of '[{') MEANING[code(open)] = OPENING;
for (const close of ']}') MEANING[code(close)] = CLOSING;
MEANING[QUOTE] = QUOTED;

/** Structure of a JSON text, as far as it has arrived. */
export class JsonStructure {
  /** About the number of members and items: commas, brackets and braces outside of strings. */
  values = 0;
  /** The most nesting levels so far. */
  depth = 0;
  #level = 0;
  #isString = false;
  #isEscaped = false;

  /** Counts a chunk in UTF-8. */
  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;)
      at = this.#isString ? this.#skipString(chunk, at) : this.#skipOther(chunk, at);
  }

  /** @returns the position after the string that contains `start` */
  #skipString(chunk: Uint8Array, start: number): number {
    let at = this.#isEscaped ? start + 1 : start;
    this.#isEscaped = false;
    for (; at < chunk.length; at += 1) {
      if (chunk[at] === QUOTE) {
        this.#isString = false;
        return at + 1;
      }
      if (chunk[at] !== BACKSLASH) continue;
      at += 1;
      this.#isEscaped = at === chunk.length;
    }
    return chunk.length;
  }

  /** @returns the position after the next quote */
  #skipOther(chunk: Uint8Array, start: number): number {
    let at = start;
    for (; at < chunk.length && !this.#isString; at += 1) {
      const meaning = MEANING[chunk[at] ?? 0];
      if (meaning === FOLLOWED) this.values += 1;
      else if (meaning === OPENING) this.#open();
      else if (meaning === CLOSING) this.#level -= 1;
      else if (meaning === QUOTED) this.#isString = true;
    }
    return at;
  }

  #open(): void {
    this.values += 1;
    this.#level += 1;
    if (this.#level > this.depth) this.depth = this.#level;
  }
}
