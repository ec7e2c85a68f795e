/** Connections to the servers that a rotation asks. */
import type { Host } from '../../host-clusters/host.ts';
import { podDialer, type PodDialer } from '../../host-clusters/dial-pod.ts';
import type { AddressesOf } from '../../kubernetes/connection/addresses.ts';
import { pacedStream } from '../../kubernetes/connection/paced-stream.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';

/** Where Pods run, and how the operator reads what they send. */
export interface PodNetwork {
  /** Host cluster of the control plane. */
  readonly host: Pick<Host, 'remote'>;
  readonly addresses?: AddressesOf;
}

/**
 * Dials a Pod. The author of the Karmada chooses its image, so what it sends is read in turn with others.
 * @returns undefined while the Pod has no address
 */
export function pacedPodDialer(pod: Pod, { host, addresses }: PodNetwork): PodDialer | undefined {
  const dialer = podDialer(pod, host.remote);
  const inTurn = addresses?.(pod.metadata.namespace ?? '').inTurn;
  if (dialer === undefined || inTurn === undefined) return dialer;
  return (port) => async (signal) => pacedStream(await dialer(port)(signal), inTurn);
}
