/**
 * Unary calls of gRPC over one HTTP/2 connection
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). ADR 0017 says why no library does this.
 */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import { CODE, EtcdConnectionError, EtcdStatusError, failureOf, GRPC } from './errors.ts';

/** A method with the message it is called with. */
export interface Call {
  /** Such as `/etcdserverpb.Maintenance/Status`. */
  readonly path: string;
  readonly message: Uint8Array;
}

/** A longer answer is cut off, in bytes: lists of members and the like have a few hundred. */
export const LONGEST_MESSAGE = 65_536;

/** Flag for compression and length. */
const HEAD_LENGTH = 5;

/** Speaks HTTP/2 on a stream; what fails shows in the calls. */
export function openSession(stream: Duplex): ClientHttp2Session {
  const session = connect('https://etcd', {
    createConnection: () => stream,
    settings: { enablePush: false },
  });
  session.on('error', () => undefined);
  return session;
}

/**
 * Calls one method.
 * @returns the message of the answer, without its head
 * @throws EtcdStatusError when etcd answers with an error, EtcdConnectionError when it does not answer
 */
export function callUnary(session: ClientHttp2Session, call: Call): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': call.path,
      te: 'trailers',
      'content-type': 'application/grpc',
    });
    const answer = new Answer(stream);
    stream.once('error', (error) => (answer.error ??= error));
    stream.once('close', () => {
      try {
        resolve(answer.message());
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.end(framed(call.message));
  });
}

/** What came of one call until its stream was closed. */
class Answer {
  error: unknown;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(stream: ClientHttp2Stream) {
    // An answer without a message has the status in its headers.
    stream.once('response', (found) => (this.#headers = found));
    stream.once('trailers', (found) => (this.#headers = { ...this.#headers, ...found }));
    stream.on('data', (chunk: Buffer) => {
      this.#length += chunk.length;
      if (this.#length <= LONGEST_MESSAGE) return void this.#chunks.push(chunk);
      this.error ??= connectionError(CODE.tooLong);
      stream.close(constants.NGHTTP2_CANCEL);
    });
  }

  /** @throws EtcdStatusError, EtcdConnectionError */
  message(): Buffer {
    const { 'grpc-status': status, 'grpc-message': text } = this.#headers;
    if (this.error === undefined && typeof status === 'string') {
      if (Number(status) !== GRPC.ok)
        throw new EtcdStatusError(Number(status), decoded(String(text ?? '')));
      return unframed(Buffer.concat(this.#chunks));
    }
    if (this.error !== undefined) throw new EtcdConnectionError(failureIn(this.error));
    const answered = this.#headers[':status'] !== undefined;
    throw connectionError(answered ? CODE.noGrpc : CODE.closed);
  }
}

const connectionError = (code: string): EtcdConnectionError =>
  new EtcdConnectionError({ stage: 'answer', code });

/** A session that ends cancels its streams: the reason is below. */
function failureIn(error: unknown): EtcdConnectionError['failure'] {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  if (code === 'ERR_HTTP2_STREAM_CANCEL' && cause !== undefined) return failureOf('answer', cause);
  if (code === 'ERR_HTTP2_STREAM_CANCEL') return { stage: 'answer', code: CODE.closed };
  return failureOf('answer', error);
}

/** Messages of gRPC are percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A message as gRPC sends it: not compressed, with its length before it. */
function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_LENGTH);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function unframed(body: Buffer): Buffer {
  const whole =
    body.length >= HEAD_LENGTH &&
    body.readUInt8(0) === 0 &&
    body.readUInt32BE(1) === body.length - HEAD_LENGTH;
  if (!whole) throw connectionError(CODE.malformed);
  return body.subarray(HEAD_LENGTH);
}
