/** Whether a server in a Pod has refused a leaf certificate, or only the way to it is broken. */
import type { Duplex } from 'node:stream';
import type { Dial } from '../../etcd/dial.ts';
import { isBrokenForward } from '../../kubernetes/client/port-forward.ts';

/** Code of OpenSSL for an alert of the server (RFC 8446, section 6), such as ERR_SSL_TLSV1_ALERT_UNKNOWN_CA. */
const ALERT = /^ERR_SSL_.*ALERT/;

/** Whether the server itself has said that it refuses the connection. */
const isAlert = (code: unknown): boolean => typeof code === 'string' && ALERT.test(code);

/** A dialer that remembers its stream. */
export interface WatchedDial {
  readonly dial: Dial;
  /**
   * Returns whether the server has refused the leaf, when the connection ended after the handshake.
   * @param code of the error with which it ended; a port-forward that broke shows nothing without an alert
   */
  readonly isRefusal: (code: unknown) => boolean;
}

/** Watches how the connection of one question ends. */
export function watchedDial(dial: Dial): WatchedDial {
  let stream: Duplex | undefined;
  return {
    dial: async (signal) => (stream = await dial(signal)),
    isRefusal: (code) => isAlert(code) || !isBrokenForward(stream?.errored),
  };
}
