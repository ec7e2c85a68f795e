/** A container without a process. */
import type { ContainerRun, Exit } from './pod-runtime.ts';

export class StubContainer implements ContainerRun {
  readonly exit: Promise<Exit>;
  readonly #ended = Promise.withResolvers<Exit>();
  readonly #listeners: ((ready: boolean) => void)[] = [];
  readonly #onEnd: (() => void)[] = [];
  readonly #canBeReady: boolean;
  #isReady = false;
  #isEnded = false;

  /** @param options whether its probe can succeed */
  constructor({ canBeReady = true }: { readonly canBeReady?: boolean } = {}) {
    this.#canBeReady = canBeReady;
    this.exit = this.#ended.promise;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  setReady(ready: boolean): void {
    if (this.#isEnded || ready === this.#isReady || !this.#canBeReady) return;
    this.#isReady = ready;
    for (const listener of this.#listeners) listener(ready);
  }

  onReadiness(listener: (ready: boolean) => void): void {
    this.#listeners.push(listener);
    if (this.#isReady) listener(true);
  }

  /** Calls `action` when the container ends, at once if it has. */
  onEnd(action: () => void): void {
    if (this.#isEnded) action();
    else this.#onEnd.push(action);
  }

  end(exitCode: number, message = ''): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const action of this.#onEnd) action();
    this.#ended.resolve({ exitCode, message });
  }

  stop(): Promise<void> {
    this.end(137);
    return Promise.resolve();
  }
}
