/** Content of a snapshot of etcd, from the messages of `Maintenance.Snapshot`. */
import { createHash, type Hash } from 'node:crypto';
import { CODE, EtcdConnectionError } from './errors.ts';
import { readSnapshotPiece } from './messages.ts';

/** Bytes of the SHA-256 sum of the database at the end of a snapshot. It is part of the file. */
const DIGEST_BYTES = 32;

/**
 * Yields the bytes of the snapshot file. It ends without an error only if it is complete: nothing remains, and the
 * checksum of etcd matches.
 * @throws EtcdConnectionError with the code `INCOMPLETE`; errors of the stream
 */
export async function* snapshotContent(messages: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let tail: Buffer = Buffer.alloc(0);
  let remaining = 1n;
  for await (const message of messages) {
    const piece = readSnapshotPiece(message);
    remaining = piece.remaining;
    const blob = Buffer.from(piece.blob);
    tail = hashAllButTail(hash, tail, blob);
    if (blob.length > 0) yield blob;
  }
  const isWhole = remaining === 0n && tail.length === DIGEST_BYTES && hash.digest().equals(tail);
  if (!isWhole) throw new EtcdConnectionError({ stage: 'answer', code: CODE.incomplete });
}

/** Adds to the hash what cannot be the checksum. @returns the last bytes */
function hashAllButTail(hash: Hash, tail: Buffer, blob: Buffer): Buffer {
  const all = Buffer.concat([tail, blob]);
  const end = Math.max(0, all.length - DIGEST_BYTES);
  hash.update(all.subarray(0, end));
  return Buffer.from(all.subarray(end));
}
