/** Received bytes of all port-forwards of one API server that nobody has read. */
import type { Readable } from 'node:stream';
import { sizeText } from '../../untrusted/limits.ts';

const MIB = 1_048_576;

/** Maximum number of received bytes that were not read, because the server decides how much it sends. */
export const MAX_UNREAD = { stream: 16 * MIB, all: 32 * MIB } as const;

export class UnreadBytes {
  readonly #streams = new Set<Readable>();

  /** Counts the bytes of a stream until it is closed. */
  add(stream: Readable): void {
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
  }

  /** Present number of bytes. */
  get size(): number {
    let sum = 0;
    for (const { readableLength } of this.#streams) sum += readableLength;
    return sum;
  }

  /** The limit above which a stream must not receive more bytes, for messages; undefined below. */
  exceeded(stream: Readable): string | undefined {
    if (stream.readableLength > MAX_UNREAD.stream)
      return `the limit is ${sizeText(MAX_UNREAD.stream)}`;
    if (this.size > MAX_UNREAD.all)
      return `the limit of all port-forwards is ${sizeText(MAX_UNREAD.all)}`;
    return undefined;
  }
}
