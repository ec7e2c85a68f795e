/** Cuts a stream into the parts of a multipart upload. */

/** Length of a part: at most 10,000 parts, so objects may have 80 GiB. Two parts are in memory. */
const PART_BYTES = 8 * 2 ** 20;

/** Cuts a stream into parts; the last one may be shorter. The consumer must use a part before it takes the next two. */
export async function* partsOf(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, undefined> {
  let part = Buffer.allocUnsafe(PART_BYTES);
  let filled = 0;
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      const slice = piece.subarray(at, at + PART_BYTES - filled);
      part.set(slice, filled);
      filled += slice.length;
      at += slice.length;
      if (filled < PART_BYTES) continue;
      yield part;
      [part, filled] = [Buffer.allocUnsafe(PART_BYTES), 0];
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
  return undefined;
}

/** A stream of which some parts were taken already. */
export async function* resumed(
  first: readonly Buffer[],
  rest: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer> {
  yield* first;
  yield* rest;
}
