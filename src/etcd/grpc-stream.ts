/** gRPC calls with a stream of responses, over one HTTP/2 connection, see `grpc.ts`. */
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import { CODE, EtcdConnectionError, EtcdStatusError, failureOf, GRPC } from './errors.ts';
import { decoded, framed, type Call } from './grpc.ts';
import { MessageSplitter } from './message-splitter.ts';

/**
 * Calls one method and yields its response messages. The server sends no faster than the caller reads.
 * @throws EtcdStatusError when etcd returns an error, EtcdConnectionError when the stream ends without a gRPC status
 */
export async function* callStream(
  session: ClientHttp2Session,
  { path, message }: Call,
): AsyncGenerator<Buffer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    te: 'trailers',
    'content-type': 'application/grpc',
  });
  let headers: IncomingHttpHeaders = {};
  stream.once('response', (found) => (headers = found));
  stream.once('trailers', (found) => (headers = { ...headers, ...found }));
  stream.end(framed(message));
  try {
    yield* messagesIn(stream);
  } catch (error) {
    throw error instanceof EtcdConnectionError
      ? error
      : new EtcdConnectionError(failureOf('answer', error));
  } finally {
    stream.destroy();
  }
  checkStatus(headers);
}

/** Without a status the server or a proxy has ended the stream early. */
function checkStatus({ 'grpc-status': status, 'grpc-message': text }: IncomingHttpHeaders): void {
  if (typeof status !== 'string')
    throw new EtcdConnectionError({ stage: 'answer', code: CODE.closed });
  if (Number(status) !== GRPC.ok)
    throw new EtcdStatusError(Number(status), decoded(String(text ?? '')));
}

async function* messagesIn(stream: ClientHttp2Stream): AsyncGenerator<Buffer> {
  const splitter = new MessageSplitter();
  const pieces: AsyncIterable<Buffer> = stream;
  for await (const piece of pieces) yield* splitter.add(piece);
  if (!splitter.isEmpty) throw new EtcdConnectionError({ stage: 'answer', code: CODE.closed });
}
