/** Runs asynchronous work one after another, in the order of the calls. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when all earlier work has ended. @throws errors of `work`, not those of earlier work */
  run<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }
}
