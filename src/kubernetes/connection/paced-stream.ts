/**
 * Delivers what a server sends in turns of the thread. A server that a user chooses decides how long its certificates take to verify, which
 * OpenSSL does without a break: 0.6 s for a chain of 77 whose RSA keys have 3072 bits and as long an exponent, within the 100 KiB that it
 * accepts.
 */
import { Duplex } from 'node:stream';
import type { InTurn } from '../fairness/received-data.ts';
import { asError } from '../objects/thrown.ts';

/** Returns a stream that delivers each chunk in a turn. TLS then handles the chunk within the turn. */
export const pacedStream = (source: Duplex, inTurn: InTurn): Duplex =>
  new PacedStream(source, inTurn);

class PacedStream extends Duplex {
  readonly #source: Duplex;
  readonly #inTurn: InTurn;
  readonly #ended = new AbortController();
  #isWaiting = false;
  /** The delivery of all data so far. The end, an error and the close of the source come after it. */
  #delivered: Promise<void> = Promise.resolve();

  constructor(source: Duplex, inTurn: InTurn) {
    super();
    this.#source = source;
    this.#inTurn = inTurn;
    source.pause();
    source.on('data', (chunk: Buffer) => {
      source.pause();
      this.#isWaiting = true;
      this.#next(() => this.#deliver(chunk));
    });
    source.once('end', () => this.#next(() => void this.push(null)));
    source.once('error', (error) => this.#next(() => void this.destroy(error)));
    source.once('close', () => this.#next(() => void this.destroy()));
    // TLS reports an error while it uses the stream. Afterwards nothing listens, and an error without a listener ends the process.
    this.on('error', () => undefined);
  }

  override _read(): void {
    if (!this.#isWaiting) this.#source.resume();
  }

  override _write(
    chunk: Buffer,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    this.#source.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#source.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#ended.abort();
    this.#source.destroy();
    done(error);
  }

  #next(step: () => Promise<void> | void): void {
    this.#delivered = this.#delivered.then(() => (this.destroyed ? undefined : step()));
  }

  /** Never rejects. The source sends nothing before the turn. */
  async #deliver(chunk: Buffer): Promise<void> {
    try {
      await this.#inTurn(() => {
        // A reader may take the chunk before the promise of the turn: `_read` is not called again for it.
        this.#isWaiting = false;
        if (this.push(chunk)) this.#source.resume();
      }, this.#ended.signal);
    } catch (error) {
      this.destroy(asError(error));
    }
  }
}
