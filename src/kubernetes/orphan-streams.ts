import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { constants, type ClientHttp2Stream } from 'node:http2';

/** Node's announcement of each new stream of each HTTP/2 client in this process. */
const CREATED = 'http2.client.stream.created';

/**
 * Sees to answers that nobody waits for any more, for as long as an HTTP/2 client is used.
 *
 * A request that is aborted before Node has finished its half of the stream loses the RST_STREAM:
 * undici 8 closes the stream (which puts the frame off until then) and destroys it at once. The server
 * knows nothing of the abort and answers, and Node makes a second stream of an answer to one it has
 * forgotten. That one has no reader and no listener: it stays open for as long as the connection, and
 * the connection's own end, such as undici's idle timeout, becomes an 'error' event that ends the process.
 * Here such a stream is refused when it appears, which tells the server as well.
 * @returns what ends this
 */
export function refuseOrphanStreams(): () => void {
  // A function of its own for each guard: to end one must not end another.
  const refuse = (message: unknown): void => refuseOrphan(message);
  subscribe(CREATED, refuse);
  return () => {
    unsubscribe(CREATED, refuse);
  };
}

/** A stream that has sent no headers is the server's: none may be pushed, so it is an orphan. */
function refuseOrphan(message: unknown): void {
  const { stream } = message as { readonly stream: ClientHttp2Stream };
  if (stream.sentHeaders !== undefined) return;
  stream.on('error', () => undefined);
  stream.close(constants.NGHTTP2_STREAM_CLOSED);
}
