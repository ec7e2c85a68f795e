/** Asks one etcd member whether it accepts a leaf certificate of a CA. */
import { withEtcdReader } from '../../etcd/client.ts';
import { secureContextOf, type Dial } from '../../etcd/dial.ts';
import { CODE, EtcdConnectionError } from '../../etcd/errors.ts';
import type { KeyPair } from '../../pki/types.ts';
import type { Answer } from './facts.ts';
import { TIMEOUT_MS } from './pod-client.ts';
import { watchedDial } from './watched-dial.ts';

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
    return endedAfterHandshake(error) ? watched.afterHandshake(error) : watched.unreachable(error);
  }
}

/** Whether the connection ended after the handshake, with or without the reason. */
const endedAfterHandshake = (error: unknown): boolean =>
  error instanceof EtcdConnectionError &&
  error.failure.stage === 'answer' &&
  error.failure.code !== CODE.timeout;
