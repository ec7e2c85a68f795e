/**
 * The same questions in gRPC, for a member whose client URL speaks nothing else (`--listen-client-http-urls` of etcd):
 * it ends a connection on which HTTP/1.1 is spoken.
 */
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import {
  failureOf,
  LONGEST_BODY,
  lookupOf,
  tlsOptions,
  type Answers,
  type Failure,
  type Question,
  type Reply,
} from './dial.ts';

/** Reads one key with a quorum, as etcd's own /health does: field 1 of RangeRequest. */
const RANGE = {
  path: '/etcdserverpb.KV/Range',
  message: Buffer.concat([Buffer.of(0x0a, 6), Buffer.from('health')]),
};
const STATUS = { path: '/etcdserverpb.Maintenance/Status', message: Buffer.alloc(0) };

/** Status codes of gRPC with which an etcd that has users refuses; it is sound then, as for its /health. */
const NO_RIGHTS: ReadonlySet<string> = new Set(['3', '7', '16']);

/** Asks one member. Never rejects. The answers have the form of those in HTTP. */
export async function askGrpc(question: Question): Promise<Answers> {
  const { signal } = question;
  try {
    const [range, status] = await callBoth(question);
    return { health: healthOf(range), version: versionOf(status) };
  } catch (error) {
    const failure = failureOf('answer', signal.aborted ? signal.reason : error);
    return { health: failure, version: failure };
  }
}

async function callBoth(question: Question): Promise<readonly [Called, Called]> {
  const { signal } = question;
  const session = open(question);
  const end = (): void => session.destroy();
  signal.addEventListener('abort', end, { once: true });
  // What goes wrong with the session shows in its calls too.
  session.on('error', () => undefined);
  try {
    return await Promise.all([call(session, RANGE), call(session, STATUS)]);
  } finally {
    signal.removeEventListener('abort', end);
    session.destroy();
  }
}

function open({ endpoint, credentials }: Question): ClientHttp2Session {
  const { host, port, names, tls } = endpoint;
  const authority = new URL(
    `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}`,
  );
  authority.port = String(port);
  const options = { lookup: lookupOf(names), ...(tls && tlsOptions(endpoint, credentials)) };
  return connect(authority, options);
}

interface Called {
  /** Status of gRPC; `0` is success. */
  readonly status: string;
  readonly text: string;
  readonly message: Buffer;
}

function call(session: ClientHttp2Session, { path, message }: typeof RANGE): Promise<Called> {
  return new Promise((resolve, reject) => {
    const headers = { ':method': 'POST', ':path': path, te: 'trailers' };
    const stream = session.request({ ...headers, 'content-type': 'application/grpc' });
    const chunks: Buffer[] = [];
    let length = 0;
    let last: IncomingHttpHeaders = {};
    stream.on('error', reject);
    stream.once('response', (found) => (last = found));
    stream.once('trailers', (found) => (last = { ...last, ...found }));
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LONGEST_BODY) chunks.push(chunk);
      else stream.destroy(new Error('too long'));
    });
    stream.once('close', () => {
      const status = last['grpc-status'];
      if (typeof status !== 'string')
        return reject(Object.assign(new Error(), { code: 'NO_GRPC' }));
      const text = String(last['grpc-message'] ?? '');
      resolve({ status, text, message: Buffer.concat(chunks) });
    });
    stream.end(framed(message));
  });
}

/** A message as gRPC sends it: not compressed, with its length before it. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function healthOf({ status, text }: Called): Reply {
  const healthy = status === '0' || NO_RIGHTS.has(status);
  return { status: 200, body: JSON.stringify({ health: String(healthy), reason: text }) };
}

/** A server that speaks gRPC and answers this at all is an etcd; its version it may keep for itself. */
function versionOf({ status, message }: Called): Reply | Failure {
  const version = textIn(message.subarray(5), 2);
  if (status !== '0' || version === undefined) return { stage: 'answer', code: `GRPC_${status}` };
  return { status: 200, body: JSON.stringify({ etcdserver: version }) };
}

const LENGTH_DELIMITED = 2;

/** A text in a message of protocol buffers, before which there are only texts and messages. */
export function textIn(message: Buffer, field: number): string | undefined {
  for (let at = 0; at + 1 < message.length;) {
    const tag = message.readUInt8(at);
    const length = message.readUInt8(at + 1);
    // Longer ones take more bytes for their length; those that matter here are short.
    if ((tag & 7) !== LENGTH_DELIMITED || length > 127) return undefined;
    const end = at + 2 + length;
    if (tag >> 3 === field) return message.subarray(at + 2, end).toString('utf8');
    at = end;
  }
  return undefined;
}
