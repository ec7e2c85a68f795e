/** Connectors of undici whose connections deliver what the server sends in turns of the thread. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector, Pool, type ProxyAgent } from 'undici';
import type { InTurn } from '../fairness/received-data.ts';
import { asError } from '../objects/thrown.ts';
import { pacedStream } from './paced-stream.ts';

/** tls.connect accepts any duplex stream, but the type of undici allows only sockets. */
export const asSocket = (stream: Duplex): Socket => stream as Socket;

/** Options of TCP; those of TLS have no effect on it. */
type TcpOptions = buildConnector.BuildOptions;

/** Connector that opens TCP. Data is delivered in turns from the first byte. */
export function pacedTcp(tcp: TcpOptions, inTurn: InTurn): buildConnector.connector {
  const open = buildConnector(tcp);
  return ({ protocol, hostname, port }, callback) =>
    open(
      { protocol: 'http:', hostname, port: port || (protocol === 'https:' ? '443' : '80') },
      (error, socket) => {
        // After an error, undici passes no socket at all, despite its types.
        if (error !== null) callback(error, null);
        else if (socket !== null) callback(null, asSocket(pacedStream(socket, inTurn)));
      },
    );
}

/** Connector that opens TCP, and TLS of `connect` on it. */
export function pacedConnector(
  connect: buildConnector.connector,
  tcp: TcpOptions,
  inTurn: InTurn,
): buildConnector.connector {
  const open = pacedTcp(tcp, inTurn);
  return (target, callback) => {
    if (target.protocol !== 'https:') return connect(target, callback);
    open(target, (error, httpSocket) => {
      if (error !== null) return callback(error, null);
      if (httpSocket === null) return;
      try {
        connect({ ...target, httpSocket }, callback);
      } catch (fault) {
        // Such as an invalid certificate of the client. In an event of the socket it would end the process.
        httpSocket.destroy();
        callback(asError(fault), null);
      }
    });
  };
}

/**
 * Options of a `ProxyAgent` for a proxy that a tenant chooses, or in whose tunnels such servers send.
 * @param proxyTls of the connections to the proxy
 * @param forwards whether the proxy sends requests itself, without a tunnel
 */
export function pacedProxy(
  proxyTls: buildConnector.BuildOptions,
  inTurn: InTurn,
  forwards = false,
): Pick<ProxyAgent.Options, 'clientFactory' | 'factory'> {
  const tcp = pacedTcp(proxyTls, inTurn);
  const secure = buildConnector(forwards ? { ...proxyTls, allowH2: false } : proxyTls);
  const tls = pacedConnector(secure, proxyTls, inTurn);
  const pool = (proxy: string | URL): Pool =>
    new Pool(proxy, { connect: new URL(proxy).protocol === 'https:' ? tls : tcp });
  return forwards ? { factory: pool } : { clientFactory: pool };
}
