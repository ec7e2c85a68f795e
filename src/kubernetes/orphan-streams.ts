import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { constants, type ClientHttp2Stream } from 'node:http2';

/** Diagnostics channel of Node.js for new streams of all HTTP/2 clients in this process. */
const CREATED = 'http2.client.stream.created';

/**
 * Closes HTTP/2 streams of responses to aborted requests. It stays active until the returned function is called.
 *
 * If a request is aborted before Node.js has finished its half of the stream, the RST_STREAM frame is lost: undici 8
 * closes the stream, which delays the frame, and destroys it at once. The server does not see the abort and responds,
 * and Node.js creates a second stream for the response. That stream has no reader and no listener. It stays open as
 * long as the connection, and when that closes, for example by the idle timeout of undici, an 'error' event ends the
 * process. This function closes such a stream when it appears, which also notifies the server.
 * @returns a function that removes the subscription
 */
export function refuseOrphanStreams(): () => void {
  // Each call subscribes its own function, so that unsubscribing one does not affect another.
  const refuse = (message: unknown): void => refuseOrphan(message);
  subscribe(CREATED, refuse);
  return () => {
    unsubscribe(CREATED, refuse);
  };
}

/** Closes a stream that the server opened. Server push is disabled, so such a stream belongs to an aborted request. */
function refuseOrphan(message: unknown): void {
  const { stream } = message as { readonly stream: ClientHttp2Stream };
  if (stream.sentHeaders !== undefined) return;
  stream.on('error', () => undefined);
  stream.close(constants.NGHTTP2_STREAM_CLOSED);
}
