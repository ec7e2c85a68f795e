/** Cuts a stream: into the chunks of an encrypted file, and into the parts of an upload. */

export interface Chunk {
  readonly bytes: Buffer;
  readonly index: number;
  readonly isLast: boolean;
}

/**
 * Cuts a stream into chunks of one length. The last one may be shorter, and is empty only in an empty stream. All have the
 * same memory: the consumer must use a chunk before it takes the next one.
 */
export async function* chunksOf(
  stream: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Chunk, undefined> {
  const chunk = Buffer.allocUnsafe(length);
  let filled = 0;
  let index = 0;
  for await (const piece of stream) {
    let at = 0;
    while (at < piece.length) {
      if (filled === length) {
        yield { bytes: chunk, index, isLast: false };
        [filled, index] = [0, index + 1];
      }
      const part = piece.subarray(at, at + length - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
    }
  }
  yield { bytes: chunk.subarray(0, filled), index, isLast: true };
  return undefined;
}
