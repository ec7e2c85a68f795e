import { constants } from 'node:crypto';
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls';
import type { Credentials } from './connection.ts';

/**
 * TLS options of all connections to other servers. A server of TLS 1.2 could otherwise have its certificates verified again and again on a
 * single connection, which may take 0.6 s each time, or choose a group for DHE with a prime of 10,000 bits, which takes 1 s. Go
 * and Kubernetes have no DHE. As in Go, each certificate of a CA bundle is a trust anchor, also an intermediate CA.
 */
export const BOUNDED_TLS = {
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  allowPartialTrustChain: true,
} as const;

/**
 * TLS context of all connections with the same credentials. Node.js would parse the certificates and the key for each connection, and
 * keep them until a garbage collection after its end.
 */
export class TlsContext {
  readonly #credentials: Pick<Credentials, 'ca' | 'cert' | 'key'>;
  #context: SecureContext | undefined;

  constructor({ ca, cert, key }: Pick<Credentials, 'ca' | 'cert' | 'key'>) {
    this.#credentials = {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    };
  }

  /** @throws Error for an invalid certificate or key, as the first connection does */
  get(): SecureContext {
    this.#context ??= createSecureContext({ ...this.#credentials, ...BOUNDED_TLS });
    return this.#context;
  }
}
