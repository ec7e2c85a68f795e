/** Connections to members of an etcd: TCP, or any stream, with TLS on top. */
import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  connect as connectTls,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { guardedLookup, hostError, type AddressPolicy } from '../kubernetes/addresses.ts';
import { CODE, EtcdConnectionError, failureOf, type Stage } from './errors.ts';

/** Opens a stream to a member, without TLS. @throws EtcdConnectionError, or what the stream's own source throws */
export type Dial = (signal: AbortSignal) => Promise<Duplex>;

/** What a client of an etcd shows and trusts, PEM. */
export interface ClientPair {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * What TLS needs of a client. Make it once for all connections: one for each leaves holes in
 * the process's memory (docs/adr/0017-etcd-client.md).
 * @throws Error of OpenSSL when it does not take the pair
 */
export function secureContextOf({ ca, certificate, key }: ClientPair): SecureContext {
  // As Go does it: whatever is in ca.crt is trusted, be it an intermediate CA.
  return createSecureContext({ ca, cert: certificate, key, allowPartialTrustChain: true });
}

/** TLS towards a member. */
export interface TlsTarget {
  readonly context: SecureContext;
  /** Name or address that the member's certificate must be for. */
  readonly serverName: string;
}

/** The address of a member. */
export interface TcpTarget {
  readonly host: string;
  readonly port: number;
  /** Names to look up in the place of `host`, one after the other, until one is found. */
  readonly names?: readonly string[];
  /** For an address that a user names: which ones may be connected to. Any when absent. */
  readonly addresses?: AddressPolicy;
}

/** Dials an address. */
export function dialTcp({ host, port, names, addresses }: TcpTarget): Dial {
  return (signal) =>
    new Promise((resolve, reject) => {
      const refused = addresses && hostError(host, addresses);
      if (refused) return reject(new EtcdConnectionError(failureOf('connect', refused)));
      let stage: Stage = isIP(host) === 0 ? 'resolve' : 'connect';
      const socket = connectTcp({
        ...{ host, port, noDelay: true },
        ...((names ?? addresses) && { lookup: lookupFor(names ?? [host], addresses) }),
      });
      const end = endWith(signal, socket);
      socket.once('lookup', (error: Error | null) => {
        if (error === null) stage = 'connect';
      });
      socket.once('error', (error) => {
        end();
        reject(new EtcdConnectionError(failureOf(stage, error)));
      });
      socket.once('connect', () => {
        end();
        resolve(socket);
      });
    });
}

/** Opens TLS with HTTP/2 on a stream. @throws EtcdConnectionError */
export function openTls(
  stream: Duplex,
  { context, serverName }: TlsTarget,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: stream,
      secureContext: context,
      servername: isIP(serverName) === 0 ? serverName : '',
      ALPNProtocols: ['h2'],
      checkServerIdentity: (_, certificate) => checkName(serverName, certificate),
    });
    const end = endWith(signal, socket);
    const fail = (error: unknown): void => {
      end();
      socket.destroy();
      stream.destroy();
      reject(new EtcdConnectionError(failureOf('tls', error)));
    };
    socket.once('error', fail);
    const closed = (): void => fail({ code: CODE.closed });
    socket.once('close', closed);
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol !== 'h2') return fail({ code: CODE.noHttp2 });
      end();
      socket.off('close', closed);
      resolve(socket);
    });
  });
}

/** Destroys a stream when the signal is aborted. @returns what ends this */
export function endWith(signal: AbortSignal, stream: Duplex): () => void {
  const end = (): void => void stream.destroy(abortError());
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return () => signal.removeEventListener('abort', end);
}

const abortError = (): Error => new EtcdAbortError('it takes too long');

/** Named as Node.js names the error of an aborted signal. */
class EtcdAbortError extends Error {
  override readonly name = 'AbortError';
}

function lookupFor(names: readonly string[], addresses: AddressPolicy | undefined): LookupFunction {
  const lookup = lookupOf(names);
  return addresses === undefined ? lookup : guardedLookup(addresses, lookup);
}

/** The names of one member one after the other; the first that is found counts. */
function lookupOf(names: readonly string[]): LookupFunction {
  return (_, options, callback) => {
    const attempt = ([name = '', ...others]: readonly string[]): void =>
      lookup(name, { ...options, all: true }, (error, addresses) => {
        if (error !== null && others.length > 0) return attempt(others);
        const [first] = addresses ?? [];
        if (options.all === true || error !== null) return callback(error, addresses);
        callback(error, first?.address ?? '', first?.family);
      });
    attempt(names);
  };
}

/** As Go does it: alternative names count, the common name does not. */
function checkName(host: string, { raw, subjectaltname }: PeerCertificate): Error | undefined {
  const certificate = new X509Certificate(raw);
  const matches =
    isIP(host) === 0
      ? certificate.checkHost(host, { subject: 'never' })
      : certificate.checkIP(host);
  return matches === undefined
    ? Object.assign(new Error('another name'), {
        code: CODE.wrongName,
        names: subjectaltname ?? '',
      })
    : undefined;
}
