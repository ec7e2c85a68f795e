/** Whether a server in a Pod has refused a leaf certificate, or only the way to it is broken. */
import type { Duplex } from 'node:stream';
import type { Dial } from '../../etcd/dial.ts';
import { CODE, failureOf } from '../../etcd/errors.ts';
import { ForwardError } from '../../kubernetes/client/port-forward.ts';
import type { Answer } from './facts.ts';
import { TIMEOUT_MS } from './pod-client.ts';

/** Code of OpenSSL for an alert of the server (RFC 8446, section 6), such as ERR_SSL_TLSV1_ALERT_UNKNOWN_CA. */
const ALERT = /^ERR_SSL_.*ALERT/;

/** A dialer that remembers its stream, and how it failed. */
export interface WatchedDial {
  readonly dial: Dial;
  /**
   * Returns the answer of a server whose connection ended after the handshake: a refusal of the leaf. A port-forward that broke
   * shows nothing without an alert of the server.
   */
  readonly afterHandshake: (error: unknown) => Answer;
  /** Returns the answer of a server with which no connection was established, or that was silent. */
  readonly unreachable: (error: unknown) => Answer;
}

/** Watches how the connection of one question ends. */
export function watchedDial(dial: Dial): WatchedDial {
  let stream: Duplex | undefined;
  let refused: unknown;
  const broken = (): Error | undefined =>
    stream?.errored instanceof ForwardError ? stream.errored : undefined;
  // What uses the stream reports its end, but not always the cause.
  const unreachable: WatchedDial['unreachable'] = (error) =>
    unreachableBy(refused ?? broken() ?? error);
  return {
    dial: async (signal) => {
      refused = undefined;
      try {
        return (stream = await dial(signal));
      } catch (error) {
        refused = error;
        throw error;
      }
    },
    afterHandshake: (error) =>
      ALERT.test(codeOf(error)) || broken() === undefined ? { kind: 'closed' } : unreachable(error),
    unreachable,
  };
}

const codeOf = (error: unknown): string => failureOf('answer', error).code;

/** Codes in the words of a message. */
const TEXTS: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'connection refused',
  [CODE.closed]: 'connection closed',
  [CODE.timeout]: `no answer within ${String(TIMEOUT_MS / 1_000)} s`,
};

/**
 * Returns why a server could not be asked, as a clause; undefined for an error without a code. The messages of other errors have
 * ports and addresses that differ from call to call.
 */
export function causeOf(error: unknown): string | undefined {
  if (error instanceof ForwardError) return error.message;
  const code = codeOf(error);
  return code === UNKNOWN ? undefined : (TEXTS[code] ?? code);
}

function unreachableBy(error: unknown): Answer {
  const cause = causeOf(error);
  return { kind: 'unreachable', ...(cause !== undefined && { cause }) };
}

/** Of an error without a code. */
const UNKNOWN = 'UNKNOWN';
