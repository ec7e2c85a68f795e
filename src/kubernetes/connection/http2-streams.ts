import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { constants, type ClientHttp2Stream, type Http2Session } from 'node:http2';

/** Diagnostics channel of Node.js for new streams of all HTTP/2 clients in this process. */
const CREATED = 'http2.client.stream.created';

/** Marks a stream or session that is handled: in tests, several instances of this module live in one process. */
const HANDLED = Symbol.for('karmada-operator.handled');

interface Handled {
  [HANDLED]?: true;
}

type ClientStream = ClientHttp2Stream & Handled;

/** Characters of the origins that a server may send. An API server sends none. */
const MAX_ORIGINS = 65_536;

/**
 * Closes the connection of a server that sends ORIGIN frames (RFC 8336) without end: Node.js keeps all origins as long as the connection
 * is open, outside of every response and its limit.
 */
function limitOrigins(session: Pick<Http2Session, 'on' | 'destroy'> & Handled): void {
  if (session[HANDLED] === true) return;
  session[HANDLED] = true;
  let length = 0;
  const count = (origins: readonly string[]): void => {
    for (const origin of origins) length += origin.length;
    if (length > MAX_ORIGINS) session.destroy(new Error('the server sends too many origins'));
  };
  session.on('origin', count);
}

/**
 * Limits the origins of HTTP/2 connections, and handles what undici 8 leaves open on HTTP/2 connections when a request is aborted: responses that nobody reads, and
 * request bodies that are partly sent. The channel is one of the whole process: however many transports call this, a new
 * stream is handled once.
 */
export function handleAbortedStreams(): void {
  unsubscribe(CREATED, handle);
  subscribe(CREATED, handle);
}

function handle(message: unknown): void {
  const { stream } = message as { readonly stream: ClientStream };
  if (stream[HANDLED] === true) return;
  stream[HANDLED] = true;
  if (stream.session !== undefined) limitOrigins(stream.session);
  if (stream.sentHeaders === undefined) refuseOrphan(stream);
  else watchBody(stream);
}

/**
 * Closes a stream that the server opened. Server push is disabled, so such a stream belongs to an aborted request.
 *
 * If a request is aborted before Node.js has finished its half of the stream, the RST_STREAM frame is lost: undici
 * closes the stream, which delays the frame, and destroys it at once. The server does not see the abort and responds,
 * and Node.js creates a second stream for the response. That stream has no reader and no listener. It stays open as
 * long as the connection, and when that closes, for example by the idle timeout of undici, an 'error' event ends the
 * process. Closing it also notifies the server.
 */
function refuseOrphan(stream: ClientHttp2Stream): void {
  stream.on('error', () => undefined);
  stream.close(constants.NGHTTP2_STREAM_CLOSED);
}

/**
 * Closes the connection if the stream ends before its request body is sent.
 *
 * The body waits when it exceeds the flow-control window of the server. Since the RST_STREAM frame is lost (see above),
 * the stream still exists in nghttp2, but its data does not: when the server opens the window, Node.js 24 sends empty
 * DATA frames without end, in one native call that blocks the process and uses all memory.
 */
function watchBody(stream: ClientHttp2Stream): void {
  const { session } = stream;
  let isSent = false;
  stream.once('end', () => {
    isSent = isBodySent(stream);
  });
  stream.once('close', () => {
    if (!isSent && !stream.writableFinished) session?.destroy();
  });
}

/**
 * Whether nghttp2 has sent the end of the request body, or has forgotten the stream. `writableFinished` becomes true later than that:
 * after a response that Node.js reads together with an earlier, long one.
 */
function isBodySent({ state: { state, localClose } }: ClientHttp2Stream): boolean {
  return localClose === 1 || state === constants.NGHTTP2_STREAM_STATE_IDLE;
}
