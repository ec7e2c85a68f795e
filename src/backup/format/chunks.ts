/**
 * Encrypts a stream in chunks (STREAM construction, https://eprint.iacr.org/2015/189): AES-256-GCM with a nonce of chunk
 * number and last flag, so that a missing, repeated, moved or truncated chunk is found. docs/reference/backup-format.md
 * describes the bytes.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { chunksOf } from '../chunks-of.ts';
import { deriveKey, KEY_BYTES, type BackupKey } from './key.ts';

const MAGIC = Buffer.from('KARMBAK1', 'latin1');
/** Bytes of the header: magic, chunk length, salt. */
const HEADER_BYTES = MAGIC.length + 4 + KEY_BYTES;
const CHUNK_BYTES = 2 ** 20;
/** Bytes of a chunk that are encrypted at once. */
const SLICE_BYTES = 2 ** 16;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';

/** A file of a backup that cannot be decrypted: changed, cut, or of another key. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
}

export interface FileKey {
  readonly key: BackupKey;
  /** Name of the file in the manifest. A file decrypts only under its own name. */
  readonly file: string;
}

/**
 * Encrypts a stream.
 * @param salt 32 random bytes that no other file has, because the nonces start at 0 in each file
 */
export async function* encrypted(
  plain: AsyncIterable<Uint8Array>,
  { key, file }: FileKey,
  salt: Buffer,
): AsyncGenerator<Buffer> {
  const header = headerOf(salt);
  const seal = sealer(deriveKey(key, salt, file), header);
  yield header;
  for await (const { bytes, index, isLast } of chunksOf(plain, CHUNK_BYTES))
    yield* seal(bytes, index, isLast);
}

/** Decrypts a stream. @throws DamagedFileError when a chunk is not authentic or the stream is incomplete */
export async function* decrypted(
  stored: AsyncIterable<Uint8Array>,
  { key, file }: FileKey,
): AsyncGenerator<Buffer> {
  const [header, rest] = await splitHeader(stored);
  const { length, salt } = readHeader(header, file);
  const open = opener(deriveKey(key, salt, file), header);
  for await (const { bytes, index, isLast } of chunksOf(rest, length + TAG_BYTES)) {
    const plain = open(bytes, index, isLast);
    if (plain === undefined)
      throw new DamagedFileError(
        `${file}: chunk ${String(index)} is damaged, or the key is not that of the backup`,
      );
    yield plain;
  }
}

function headerOf(salt: Buffer): Buffer {
  if (salt.length !== KEY_BYTES) throw new Error('a salt has 32 bytes');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(CHUNK_BYTES);
  return Buffer.concat([MAGIC, length, salt]);
}

function readHeader(header: Buffer, file: string): { length: number; salt: Buffer } {
  const isKnown = header.length === HEADER_BYTES && header.subarray(0, MAGIC.length).equals(MAGIC);
  const length = isKnown ? header.readUInt32BE(MAGIC.length) : 0;
  // The length is authenticated only by the first chunk, and bounds the memory until then.
  if (length !== CHUNK_BYTES) throw new DamagedFileError(`${file}: not an encrypted backup file`);
  return { length, salt: header.subarray(MAGIC.length + 4) };
}

/** 12 bytes: 7 zero bytes, number of the chunk, last flag. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(index, 7);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** Yields the pieces of a sealed chunk, because joining them would need the memory again. */
type Seal = (plain: Buffer, index: number, isLast: boolean) => Iterable<Buffer>;

const sealer = (key: Buffer, header: Buffer): Seal =>
  function* (plain, index, isLast) {
    const cipher = createCipheriv(ALGORITHM, key, nonceOf(index, isLast)).setAAD(header);
    for (let at = 0; at < plain.length; at += SLICE_BYTES)
      yield cipher.update(plain.subarray(at, at + SLICE_BYTES));
    yield cipher.final();
    yield cipher.getAuthTag();
  };

type Open = (sealed: Buffer, index: number, isLast: boolean) => Buffer | undefined;

const opener =
  (key: Buffer, header: Buffer): Open =>
  (sealed, index, isLast) => {
    if (sealed.length < TAG_BYTES) return undefined;
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(index, isLast)).setAAD(header);
    decipher.setAuthTag(sealed.subarray(end));
    try {
      const plain = decipher.update(sealed.subarray(0, end));
      // This mode has no more bytes at the end, but verifies the tag there.
      decipher.final();
      return plain;
    } catch {
      return undefined;
    }
  };

async function splitHeader(
  stream: AsyncIterable<Uint8Array>,
): Promise<[Buffer, AsyncIterable<Uint8Array>]> {
  const iterator = stream[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < HEADER_BYTES) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const rest = start.subarray(HEADER_BYTES);
  return [start.subarray(0, HEADER_BYTES), resumed(rest, iterator)];
}

async function* resumed(
  first: Buffer,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      yield next.value;
  } finally {
    await iterator.return?.();
  }
}
