/** Dialers for the API server of a control plane: directly to a running Pod, else through its Service. */
import { connect, type LookupFunction, type Socket } from 'node:net';
import {
  guardedLookup,
  hostError,
  type TenantAddresses,
} from '../../kubernetes/connection/addresses.ts';
import { NetworkError } from '../../kubernetes/client/errors.ts';
import type { Host, Remote } from '../../host-clusters/host.ts';
import type { Dialer } from '../../kubernetes/connection/connection.ts';
import { BY_OWNER } from '../../kubernetes/informers/ownership.ts';
import { conditionOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { COMPONENT } from '../../api/labels.ts';

/** Connect timeout for a Pod in the same cluster, which answers at once or not at all. */
const DIAL_TIMEOUT_MS = 1_000;
const SERVICE_TIMEOUT_MS = 5_000;

/**
 * Dialer within the management cluster. It prefers Pods, since kube-proxy learns of new and terminating Pods with a
 * delay. The client verifies the certificate for the name of the Service in both cases.
 * The author of the Karmada chooses the DNS domain of that name, and so its address.
 * @param pods returns the current Pods of the control plane
 */
function podRoute(pods: () => readonly KubernetesObject[], addresses: TenantAddresses): Dialer {
  return async ({ host, port }) => {
    for (const address of apiServerAddresses(pods())) {
      try {
        return await dial(address, port, DIAL_TIMEOUT_MS);
      } catch {
        // The error of the Service, which is dialed last, is reported.
      }
    }
    return dial(host, port, SERVICE_TIMEOUT_MS, guardedLookup(addresses));
  };
}

export interface DialerOptions {
  /** Returns the external URL of the API server, if it has one. */
  readonly exposed: () => string | undefined;
  /** Addresses that the Service of the API server may have in the management cluster. */
  readonly addresses: TenantAddresses;
}

/**
 * Returns the dialer for the API server of a control plane.
 * @param key `namespace/name` of the Karmada
 */
export function controlPlaneDialer(
  { remote, pods }: Pick<Host, 'remote' | 'pods'>,
  key: string,
  { exposed, addresses }: DialerOptions,
): Dialer {
  // Also while the cache is incomplete: without Pods, the connection goes through the Service.
  const own = (): readonly KubernetesObject[] => pods.cache.byIndex(BY_OWNER, key);
  return remote === undefined ? podRoute(own, addresses) : remoteRoute(remote, own, exposed);
}

/** Returns a DNS lookup of the API server Service; undefined on a remote host cluster, whose DNS is not used here. */
export function nameLookup(
  { remote }: Pick<Host, 'remote'>,
  server: string,
  lookup: LookupFunction,
): (() => Promise<unknown>) | undefined {
  if (remote !== undefined) return undefined;
  const { hostname } = new URL(server);
  return () =>
    new Promise((resolve, reject) => {
      lookup(hostname, {}, (error, address) => (error === null ? resolve(address) : reject(error)));
    });
}

/** Connect timeout for the external address, which may be unreachable from the management cluster. */
const DIRECT_TIMEOUT_MS = 2_000;

/**
 * Dialer for an API server on a remote host cluster. It tries the external address first, and otherwise forwards the
 * port of a Pod through the API server of the host cluster. It makes this choice for each connection.
 */
function remoteRoute(
  remote: Remote,
  pods: () => readonly KubernetesObject[],
  exposed: () => string | undefined,
): Dialer {
  return async ({ host, port }) => {
    const direct = directAddress(exposed(), host);
    if (direct !== undefined) {
      try {
        return await dialAllowed(direct, remote.addresses);
      } catch {
        // The address may be reachable for users, but not from the management cluster.
      }
    }
    const [pod] = apiServerPods(pods());
    if (pod === undefined)
      throw new NetworkError('connect', 'ECONNREFUSED', 'no running Pod of karmada-apiserver');
    const { name, namespace = '' } = pod.metadata;
    return remote.forward({ namespace, pod: name, port });
  };
}

/** Dials an address from the Karmada or its host cluster. @throws AddressError if the policy forbids the address */
async function dialAllowed(
  { host, port }: { readonly host: string; readonly port: number },
  policy: TenantAddresses,
): Promise<Socket> {
  const refused = hostError(host, policy);
  if (refused !== undefined) throw refused;
  return dial(host, port, DIRECT_TIMEOUT_MS, guardedLookup(policy));
}

function directAddress(
  exposed: string | undefined,
  internal: string,
): { readonly host: string; readonly port: number } | undefined {
  if (exposed === undefined) return undefined;
  const { hostname, port } = new URL(exposed);
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === internal ? undefined : { host, port: Number(port || 443) };
}

/**
 * Pods that are dialed, one after the other. A namespace may contain any number of Pods with their labels, and a call ends before all of
 * them would have been dialed.
 */
const MAX_DIALED = 5;

/** Returns the IP addresses of some API server Pods, ready Pods first, without those that are terminating or have ended. */
export function apiServerAddresses(pods: readonly Pod[]): readonly string[] {
  return apiServerPods(pods)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    .flatMap(({ status }) => status?.podIP ?? [])
    .slice(0, MAX_DIALED);
}

/** Returns the API server Pods that are not terminating, ready Pods first. */
export function apiServerPods(pods: readonly Pod[]): readonly Pod[] {
  const running = pods.filter(
    ({ metadata }) =>
      metadata.labels?.[COMPONENT] === 'karmada-apiserver' &&
      metadata.deletionTimestamp === undefined,
  );
  const isReady = (pod: Pod): boolean => conditionOf(pod, 'Ready')?.status === 'True';
  return [...running.filter(isReady), ...running.filter((pod) => !isReady(pod))];
}

/** Whether a TCP connection succeeds within the timeout, in milliseconds. */
export async function isReachable(host: string, port: number, timeoutMs: number): Promise<boolean> {
  try {
    (await dial(host, port, timeoutMs)).destroy();
    return true;
  } catch {
    return false;
  }
}

function dial(
  host: string,
  port: number,
  timeoutMs: number,
  lookup?: LookupFunction,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      keepAlive: true,
      noDelay: true,
      ...(lookup && { lookup }),
    });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(timeoutMs, () =>
      fail(
        Object.assign(new Error(`${host}:${port} does not answer within ${timeoutMs} ms`), {
          code: 'ETIMEDOUT',
        }),
      ),
    );
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
