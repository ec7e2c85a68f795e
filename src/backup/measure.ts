/** Measures a stream while it passes. */
import { createHash } from 'node:crypto';

/** Length and SHA-256 sum in hexadecimal. */
interface Measured {
  readonly bytes: number;
  readonly sha256: string;
}

/** A stream that is measured. */
export interface Meter {
  readonly content: AsyncGenerator<Buffer>;
  /** Result after the stream has ended. */
  readonly result: () => Measured;
}

/** Creates a meter. */
export function measured(stream: AsyncIterable<Uint8Array>): Meter {
  const hash = createHash('sha256');
  let bytes = 0;
  let sha256 = '';
  async function* pass(): AsyncGenerator<Buffer> {
    for await (const piece of stream) {
      hash.update(piece);
      bytes += piece.length;
      yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    }
    sha256 = hash.digest('hex');
  }
  return { content: pass(), result: () => ({ bytes, sha256 }) };
}
