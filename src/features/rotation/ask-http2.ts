/** Asks a gRPC server in one Pod whether it accepts a leaf certificate of a CA. Calls nothing. */
import { connect } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { endWith, openTls, secureContextOf, type Dial } from '../../etcd/dial.ts';
import type { KeyPair } from '../../pki/types.ts';
import type { Answer } from './facts.ts';
import { TIMEOUT_MS } from './pod-client.ts';
import { watchedDial, type WatchedDial } from './watched-dial.ts';

/** How to reach a server, and with which leaf. */
interface Http2Access {
  readonly dial: Dial;
  /** Name in the certificate of the server. */
  readonly serverName: string;
  /** PEM bundle of CAs of the server. */
  readonly ca: string;
  readonly leaf: KeyPair;
}

/**
 * Waits for the settings of HTTP/2, which a server sends when it has accepted the leaf: in TLS 1.3 the handshake of a client ends
 * before that. Never rejects.
 */
export async function askHttp2({ dial, serverName, ca, leaf }: Http2Access): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const watched = watchedDial(dial);
  try {
    const context = secureContextOf({ ca, ...leaf });
    const socket = await openTls(await watched.dial(signal), { context, serverName }, signal);
    return await settingsOf(socket, signal, watched);
  } catch (error) {
    return watched.unreachable(error);
  }
}

/**
 * A server that closes the connection without settings refuses the leaf. One that is silent shows nothing, and neither does a
 * port-forward that breaks.
 */
const settingsOf = (
  socket: TLSSocket,
  signal: AbortSignal,
  { afterHandshake, unreachable }: WatchedDial,
): Promise<Answer> =>
  new Promise((resolve) => {
    const end = endWith(signal, socket);
    const session = connect('https://pod', { createConnection: () => socket });
    const done = (answer: Answer): void => {
      end();
      resolve(answer);
      session.destroy();
      socket.destroy();
    };
    const ended = (error?: Error): void =>
      done(signal.aborted ? unreachable(signal.reason) : afterHandshake(error));
    session.once('remoteSettings', () => done({ kind: 'answered' }));
    session.on('error', ended);
    session.once('close', () => ended());
  });
