/** Asks one etcd member whether it accepts a leaf certificate of a CA, and looks at the certificates of a port. */
import { connect } from 'node:tls';
import { withEtcdReader } from '../../etcd/client.ts';
import { endWith, secureContextOf, type Dial } from '../../etcd/dial.ts';
import { CODE, EtcdConnectionError } from '../../etcd/errors.ts';
import { certificatePem } from '../../pki/pem.ts';
import type { KeyPair } from '../../pki/types.ts';
import type { Answer } from './facts.ts';
import { TIMEOUT_MS } from './pod-client.ts';
import { watchedDial } from './refusal.ts';

/** How to reach a member, and with which leaf. */
interface EtcdAccess {
  readonly dial: Dial;
  /** Name in the certificate of the member. */
  readonly serverName: string;
  /** PEM bundle of CAs of the member. */
  readonly ca: string;
  readonly leaf: KeyPair;
}

/** Reads the status: a finished handshake of TLS 1.3 proves nothing. Never rejects. */
export async function askEtcd({ dial, serverName, ca, leaf }: EtcdAccess): Promise<Answer> {
  const watched = watchedDial(dial);
  try {
    const context = secureContextOf({ ca, ...leaf });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const target = { dial: watched.dial, tls: { context, serverName } };
    await withEtcdReader(target, signal, (etcd) => etcd.status());
    return { kind: 'answered' };
  } catch (error) {
    return endedAfterHandshake(error) && watched.isRefusal(error.failure.code)
      ? { kind: 'closed' }
      : { kind: 'unreachable' };
  }
}

/** Whether the connection ended after the handshake, with or without the reason. */
const endedAfterHandshake = (error: unknown): error is EtcdConnectionError =>
  error instanceof EtcdConnectionError &&
  error.failure.stage === 'answer' &&
  error.failure.code !== CODE.timeout;

/** Returns the certificate that a server presents. @returns PEM; undefined if it presents none. Never rejects */
export async function presentedCertificate(
  dial: Dial,
  serverName: string,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const socket = await dial(signal);
    return await new Promise((resolve, reject) => {
      // Only the certificate is of interest: nothing is sent, and nothing that is read is believed.
      const secure = connect({ socket, servername: serverName, rejectUnauthorized: false });
      const end = endWith(signal, secure);
      const done = (raw: Buffer | undefined): void => {
        end();
        secure.destroy();
        socket.destroy();
        resolve(raw && certificatePem(raw));
      };
      secure.on('error', reject);
      secure.once('close', () => done(undefined));
      secure.once('secureConnect', () => done(secure.getPeerX509Certificate()?.raw));
    });
  } catch {
    return undefined;
  }
}
