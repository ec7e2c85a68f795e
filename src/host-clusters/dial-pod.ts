/** Connections to ports of the Pods of a host cluster. */
import type { Duplex } from 'node:stream';
import { dialTcp, type Dial } from '../etcd/dial.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { unlessAborted } from '../kubernetes/time/unless-aborted.ts';
import type { Remote } from './host.ts';

/** Returns a dialer for a port of a Pod. */
export type PodDialer = (port: number) => Dial;

/**
 * Dials a Pod at its address, and in a remote host cluster through the API server there.
 * @param remote absent for the management cluster
 * @returns undefined while the Pod has no address
 */
export function podDialer(pod: Pod, remote: Remote | undefined): PodDialer | undefined {
  const { podIP } = pod.status ?? {};
  if (podIP === undefined) return undefined;
  if (remote === undefined) return (port) => dialTcp({ host: podIP, port });
  const { name, namespace = '' } = pod.metadata;
  return (port) => (signal) => openedBefore(signal, remote.forward({ namespace, pod: name, port }));
}

/** Waits for a stream until the signal is aborted. A stream that opens later is closed. @throws the reason of the signal */
async function openedBefore(signal: AbortSignal, opening: Promise<Duplex>): Promise<Duplex> {
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    opening.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
    throw error;
  }
}
