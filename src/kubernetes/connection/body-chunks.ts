import type { Readable } from 'node:stream';

interface End {
  /** Absent at the end of the body. */
  readonly error?: unknown;
}

/**
 * Chunks of a response body that may last for minutes, such as a watch. The iterator of Node.js keeps a generator and about ten listeners
 * for each body while it waits.
 */
export class BodyChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #body: Readable;
  #waiting: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  #end: End | undefined;

  constructor(body: Readable) {
    this.#body = body;
    body
      .on('readable', () => this.#deliver())
      .on('end', () => this.#finish({}))
      .on('error', (error) => this.#finish({ error }))
      .on('close', () => this.#finish({ error: new Error('the body was closed before its end') }));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits for the next chunk. Call it again only after that. @throws the error of the body */
  next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.#read();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#end !== undefined) this.#settle(this.#end);
    return promise;
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#body.destroy();
    return Promise.resolve({ done: true, value: undefined });
  }

  #read(): Uint8Array | undefined {
    if (this.#body.destroyed) return undefined;
    const chunk: unknown = this.#body.read();
    return chunk instanceof Uint8Array ? chunk : undefined;
  }

  #deliver(): void {
    if (this.#waiting === undefined) return;
    const value = this.#read();
    if (value === undefined) return;
    this.#waiting.resolve({ done: false, value });
    this.#waiting = undefined;
  }

  #finish(end: End): void {
    this.#end ??= end;
    this.#settle(this.#end);
  }

  #settle({ error }: End): void {
    if (error === undefined) this.#waiting?.resolve({ done: true, value: undefined });
    else this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}
