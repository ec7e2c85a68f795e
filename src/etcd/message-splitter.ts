/** Splits a stream of gRPC messages, which may arrive in pieces of any length. Each byte is copied once. */
import { CODE, EtcdConnectionError } from './errors.ts';
import { HEAD_LENGTH } from './grpc.ts';

/** Maximum length of one message in bytes. etcd sends snapshots in messages of 32 KiB. */
const MAX_STREAMED_LENGTH = 4 * 2 ** 20;

export class MessageSplitter {
  readonly #head = Buffer.alloc(HEAD_LENGTH);
  #headFilled = 0;
  /** The current message, once its head is complete. */
  #message: Buffer | undefined;
  #filled = 0;

  /** Whether the last message is complete. */
  get isEmpty(): boolean {
    return this.#headFilled === 0;
  }

  /** Yields the messages that a piece completes, without their heads. @throws EtcdConnectionError for an invalid head */
  *add(piece: Uint8Array): Generator<Buffer> {
    for (let rest = piece; rest.length > 0 || this.#isComplete;) {
      if (this.#message === undefined) rest = this.#fillHead(rest);
      else rest = this.#fillMessage(this.#message, rest);
      if (this.#message === undefined || !this.#isComplete) continue;
      yield this.#message;
      this.#message = undefined;
      this.#headFilled = 0;
    }
  }

  get #isComplete(): boolean {
    return this.#message !== undefined && this.#filled === this.#message.length;
  }

  #fillHead(piece: Uint8Array): Uint8Array {
    const part = piece.subarray(0, HEAD_LENGTH - this.#headFilled);
    this.#head.set(part, this.#headFilled);
    this.#headFilled += part.length;
    if (this.#headFilled === HEAD_LENGTH) {
      this.#message = Buffer.alloc(lengthIn(this.#head));
      this.#filled = 0;
    }
    return piece.subarray(part.length);
  }

  #fillMessage(message: Buffer, piece: Uint8Array): Uint8Array {
    const part = piece.subarray(0, message.length - this.#filled);
    message.set(part, this.#filled);
    this.#filled += part.length;
    return piece.subarray(part.length);
  }
}

/** @throws EtcdConnectionError for a compressed or too long message */
function lengthIn(head: Buffer): number {
  const length = head.readUInt32BE(1);
  if (head.readUInt8(0) !== 0 || length > MAX_STREAMED_LENGTH)
    throw new EtcdConnectionError({ stage: 'answer', code: CODE.malformed });
  return length;
}
