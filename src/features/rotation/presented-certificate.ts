/** Looks at the certificate of a server in a Pod. */
import { connect } from 'node:tls';
import { endWith, type Dial } from '../../etcd/dial.ts';
import { CODE, EtcdConnectionError } from '../../etcd/errors.ts';
import { certificatePem } from '../../pki/pem.ts';
import { TIMEOUT_MS } from './pod-client.ts';

/**
 * Returns the certificate that a server presents, as PEM. Nothing is sent, and nothing that is read is believed.
 * @throws errors of the dialer or of TLS; EtcdConnectionError for a server that closes the connection or presents none
 */
export async function presentedCertificate(dial: Dial, serverName: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const socket = await dial(signal);
  return new Promise((resolve, reject) => {
    const secure = connect({ socket, servername: serverName, rejectUnauthorized: false });
    const end = endWith(signal, secure);
    const close = (): void => {
      end();
      secure.destroy();
      socket.destroy();
    };
    const fail = (error: Error): void => {
      close();
      reject(error);
    };
    secure.on('error', fail);
    secure.once('close', () => fail(socket.errored ?? new EtcdConnectionError(CLOSED)));
    secure.once('secureConnect', () => {
      const raw = secure.getPeerX509Certificate()?.raw;
      if (raw === undefined) return fail(new EtcdConnectionError(CLOSED));
      resolve(certificatePem(raw));
      close();
    });
  });
}

const CLOSED = { stage: 'tls', code: CODE.closed } as const;
