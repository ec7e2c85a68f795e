/** Limits how many tasks of one key run at once. The others wait in the order of their calls. */

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export class Slots {
  readonly #count: number;
  /** By key; only keys with tasks. */
  readonly #lines = new Map<string, Line>();

  /** @param count tasks of one key that run at once */
  constructor(count: number) {
    this.#count = count;
  }

  /** Runs `work` when fewer than `count` tasks of the key run. @throws errors of `work` */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { running: 0, waiting: [] };
    this.#lines.set(key, line);
    if (line.running < this.#count) line.running += 1;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      // The next task takes the slot.
      if (next !== undefined) next();
      else if ((line.running -= 1) === 0) this.#lines.delete(key);
    }
  }
}
