/**
 * A KMS plugin (API v2) for tests: `node kms-plugin.mjs SOCKET`. It encrypts with a fixed XOR mask, so that a stored value is
 * recognizable and not readable.
 */
import { createServer } from 'node:http2';

const KEY_ID = 'test-key';
const MASK = 0x5a;

/** Field of a protobuf message with the wire type of strings and bytes. */
function field(number, bytes) {
  const value = Buffer.from(bytes);
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(value.length), value]);
}

function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** Bytes of the first field, which is the text in every request. */
function firstField(message) {
  if (message.length === 0 || message[0] !== 0x0a) return Buffer.alloc(0);
  let [length, shift, at] = [0, 0, 1];
  for (;;) {
    const byte = message[at++];
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
    shift += 7;
  }
  return message.subarray(at, at + length);
}

const masked = (bytes) => Buffer.from(bytes.map((byte) => byte ^ MASK));

const METHODS = {
  Status: () => Buffer.concat([field(1, 'v2'), field(2, 'ok'), field(3, KEY_ID)]),
  Encrypt: (text) => Buffer.concat([field(1, masked(text)), field(2, KEY_ID)]),
  Decrypt: (text) => field(1, masked(text)),
};

function answer(stream, path, chunks) {
  const method = METHODS[path.slice(path.lastIndexOf('/') + 1)];
  // A gRPC message starts with a compression flag and its length.
  const message = Buffer.concat(chunks).subarray(5);
  const body = method?.(firstField(message)) ?? Buffer.alloc(0);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () =>
    stream.sendTrailers({ 'grpc-status': method === undefined ? '12' : '0' }),
  );
  stream.end(Buffer.concat([head, body]));
}

const server = createServer();
server.on('stream', (stream, headers) => {
  const chunks = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  stream.on('end', () => answer(stream, headers[':path'], chunks));
  stream.on('error', () => undefined);
});
server.listen(process.argv[2]);
