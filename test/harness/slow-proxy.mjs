/**
 * Forwards TCP connections. For some time after the first one it forwards responses slowly, without a pause that a client takes
 * for a lost connection.
 *
 *     node slow-proxy.mjs ADDRESS PORT TARGET_PORT SECONDS
 */
import { connect, createServer } from 'node:net';

const [address, ...numbers] = process.argv.slice(2);
const [port, target, seconds] = numbers.map(Number);
/** Bytes of a connection that are not delayed: TLS handshake and headers. */
const FREE = 32_768;
const PAUSE_MS = 2_000;
let fastFrom;

createServer((client) => {
  fastFrom ??= Date.now() + seconds * 1_000;
  const server = connect(target, address);
  let forwarded = 0;
  server.on('data', (part) => {
    forwarded += part.length;
    client.write(part);
    const left = fastFrom - Date.now();
    if (forwarded <= FREE || left <= 0) return;
    server.pause();
    setTimeout(() => server.resume(), Math.min(left, PAUSE_MS));
  });
  server.on('end', () => client.end());
  client.on('data', (part) => server.write(part));
  client.on('end', () => server.end());
  for (const socket of [client, server])
    socket.on('error', () => {
      client.destroy();
      server.destroy();
    });
}).listen(port, address);
