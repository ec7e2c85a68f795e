/**
 * Unary gRPC calls over one HTTP/2 connection
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). ADR 0017 explains why the operator uses no library.
 */
import { fieldsOf } from '../kubernetes/objects/records.ts';
import { asError } from '../kubernetes/objects/thrown.ts';
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import { CODE, EtcdConnectionError, EtcdStatusError, failureOf, GRPC } from './errors.ts';

/** A gRPC method and its request message. */
export interface Call {
  /** Such as `/etcdserverpb.Maintenance/Status`. */
  readonly path: string;
  readonly message: Uint8Array;
}

/** Maximum response length in bytes; the client cancels longer ones. Member lists have a few hundred bytes. */
export const MAX_MESSAGE_LENGTH = 65_536;

/** Bytes of the gRPC message prefix: compression flag and length. */
export const HEAD_LENGTH = 5;

/** Opens an HTTP/2 session on a stream. Errors of the session surface in its calls. */
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
 * @returns the response message without its prefix
 * @throws EtcdStatusError when etcd returns an error, EtcdConnectionError when there is no valid response
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
        reject(asError(error));
      }
    });
    stream.end(framed(call.message));
  });
}

/** Collects the response of one call until its stream closes. */
class Answer {
  error: unknown;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(stream: ClientHttp2Stream) {
    // A response without a message (trailers-only) has the gRPC status in its headers.
    stream.once('response', (found) => (this.#headers = found));
    stream.once('trailers', (found) => (this.#headers = { ...this.#headers, ...found }));
    stream.on('data', (chunk: Buffer) => {
      this.#length += chunk.length;
      if (this.#length <= MAX_MESSAGE_LENGTH) return void this.#chunks.push(chunk);
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

/** A closed session cancels its streams. The cause of the cancellation is the actual error. */
function failureIn(error: unknown): EtcdConnectionError['failure'] {
  const { code, cause } = fieldsOf(error);
  if (code === 'ERR_HTTP2_STREAM_CANCEL' && cause !== undefined) return failureOf('answer', cause);
  if (code === 'ERR_HTTP2_STREAM_CANCEL') return { stage: 'answer', code: CODE.closed };
  return failureOf('answer', error);
}

/** Decodes a `grpc-message`, which is percent-encoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Adds the gRPC prefix to an uncompressed message. */
export function framed(message: Uint8Array): Buffer {
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
