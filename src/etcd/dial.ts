/** Connections to etcd members: TCP or any other stream, with optional TLS. */
import { X509Certificate } from 'node:crypto';
import { connect as connectTcp, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  connect as connectTls,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import {
  guardedLookup,
  hostError,
  type TenantAddresses,
} from '../kubernetes/connection/addresses.ts';
import { pacedStream } from '../kubernetes/connection/paced-stream.ts';
import { BOUNDED_TLS } from '../kubernetes/connection/tls-context.ts';
import type { InTurn } from '../kubernetes/fairness/received-data.ts';
import { clientKeyPem } from '../untrusted/x509.ts';
import { CODE, EtcdConnectionError, failureOf, type Stage } from './errors.ts';

/** Opens a stream to an etcd member without TLS. @throws EtcdConnectionError, or errors of the source of the stream */
export type Dial = (signal: AbortSignal) => Promise<Duplex>;

/** TLS files of an etcd client as PEM text: trusted CAs, client certificate and private key. */
export interface ClientPair {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Creates the TLS context of a client. Create it once and reuse it for all connections, because one context for
 * each connection fragments the memory of the process (docs/adr/0017-etcd-client.md).
 * @throws Error for a key above a limit, or of OpenSSL when it rejects the certificate or key
 */
export function secureContextOf({ ca, certificate, key }: ClientPair): SecureContext {
  return createSecureContext({ ca, cert: certificate, key: clientKeyPem(key), ...BOUNDED_TLS });
}

/** TLS settings for a connection to an etcd member. */
export interface TlsTarget {
  readonly context: SecureContext;
  /** DNS name or IP address that must be in the SANs of the member certificate. */
  readonly serverName: string;
  /** Handles what the member sends. Without it, all is handled at once. */
  readonly inTurn?: InTurn;
}

/** TLS settings for the connections to all members of an etcd. */
export type EtcdClientTls = Omit<TlsTarget, 'serverName'>;

/** TCP address of an etcd member. */
export interface TcpTarget {
  readonly host: string;
  readonly port: number;
  /** For a host that a user specifies. When absent, all addresses are allowed, and Node.js resolves the name. */
  readonly addresses?: TenantAddresses;
  /** With `addresses`: names to resolve instead of `host`, in this order, until one resolves. */
  readonly names?: readonly string[];
}

/** Creates a dialer for a TCP address. */
export function dialTcp({ host, port, names, addresses }: TcpTarget): Dial {
  return (signal) =>
    new Promise((resolve, reject) => {
      const refused = addresses && hostError(host, addresses);
      if (refused) return reject(new EtcdConnectionError(failureOf('connect', refused)));
      let stage: Stage = isIP(host) === 0 ? 'resolve' : 'connect';
      const socket = connectTcp({
        host,
        port,
        noDelay: true,
        ...(addresses && { lookup: lookupOf(names ?? [host], addresses) }),
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

/** Opens a TLS connection on a stream and negotiates HTTP/2. @throws EtcdConnectionError */
export function openTls(
  source: Duplex,
  { context, serverName, inTurn }: TlsTarget,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const stream = inTurn === undefined ? source : pacedStream(source, inTurn);
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

/** Destroys a stream when the signal is aborted. @returns a function that removes the listener */
export function endWith(signal: AbortSignal, stream: Duplex): () => void {
  const end = (): void => void stream.destroy(abortError());
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return () => signal.removeEventListener('abort', end);
}

const abortError = (): Error => new EtcdAbortError('connection aborted');

/** Has the name that Node.js gives the error of an aborted signal. */
class EtcdAbortError extends Error {
  override readonly name = 'AbortError';
}

/** Resolves the names of one etcd member in order and uses the first one that resolves. */
function lookupOf(names: readonly string[], addresses: TenantAddresses): LookupFunction {
  const lookup: LookupFunction = (_, options, callback) => {
    const attempt = ([name = '', ...others]: readonly string[]): void =>
      addresses.lookup(name, { ...options, all: true }, (error, found) => {
        if (error !== null && others.length > 0) attempt(others);
        else callback(error, found);
      });
    attempt(names);
  };
  // The guard asks for all addresses.
  return guardedLookup({ ...addresses, lookup });
}

/** Verifies the server name against the SANs only. As in Go, the common name does not count. */
function checkName(host: string, { raw, subjectaltname }: PeerCertificate): Error | undefined {
  const certificate = new X509Certificate(raw);
  const matches =
    isIP(host) === 0
      ? certificate.checkHost(host, { subject: 'never' })
      : certificate.checkIP(host);
  return matches === undefined
    ? Object.assign(new Error('certificate is not valid for this name'), {
        code: CODE.wrongName,
        names: subjectaltname ?? '',
      })
    : undefined;
}
