/** The way to an instance's API server: straight to a pod that runs, else through its Service. */
import { connect, type LookupFunction, type Socket } from 'node:net';
import { guardedLookup, hostError, type AddressPolicy } from '../../kubernetes/addresses.ts';
import { NetworkError } from '../../kubernetes/errors.ts';
import { createLookup } from '../../kubernetes/names.ts';
import { ownedBy, type Host, type Remote } from '../../hosts/host.ts';
import type { Route } from '../../kubernetes/connection.ts';
import { conditionOf, type KubernetesObject } from '../../kubernetes/object.ts';
import { COMPONENT } from '../../api/labels.ts';

/** A pod in the same cluster answers at once or not at all. */
const DIAL_TIMEOUT_MS = 1_000;
const SERVICE_TIMEOUT_MS = 5_000;

/**
 * A pod is there before the Service knows it, and the Service sends to pods that are just going. The
 * certificate is verified for the Service's name either way.
 * @param pods pods of the instance as they are at the moment of dialling
 */
function podRoute(pods: () => readonly KubernetesObject[]): Route {
  return async ({ host, port }) => {
    for (const address of apiServerAddresses(pods())) {
      try {
        return await dial(address, port, DIAL_TIMEOUT_MS);
      } catch {
        // The next one; the Service, which comes last, says what is wrong.
      }
    }
    return dial(host, port, SERVICE_TIMEOUT_MS);
  };
}

/**
 * The way into the control plane of an instance.
 * @param key `namespace/name` of the Karmada
 * @param exposed URL for users, when there is one
 */
export function routeInto(
  { remote, pods }: Pick<Host, 'remote' | 'pods'>,
  key: string,
  exposed: () => string | undefined,
): Route {
  const own = (): readonly KubernetesObject[] => ownedBy([pods], key);
  return remote === undefined ? podRoute(own) : remoteRoute(remote, own, exposed);
}

/** Looks up the name of an API server's Service; undefined for one in another cluster, whose names are not known here. */
export function nameLookup(
  { remote }: Pick<Host, 'remote'>,
  server: string,
): (() => Promise<unknown>) | undefined {
  if (remote !== undefined) return undefined;
  const { hostname } = new URL(server);
  let lookup: LookupFunction | undefined;
  return () =>
    new Promise((resolve, reject) => {
      lookup ??= createLookup();
      lookup(hostname, {}, (error, address) => (error === null ? resolve(address) : reject(error)));
    });
}

/** Time for an address that may not be reached from here. */
const DIRECT_TIMEOUT_MS = 2_000;

/**
 * The way to an API server on another host: by the address that its users have, where that leads out of the cluster,
 * else through the API server of the host, to a pod. Each connection is dialled anew.
 */
function remoteRoute(
  remote: Remote,
  pods: () => readonly KubernetesObject[],
  exposed: () => string | undefined,
): Route {
  return async ({ host, port }) => {
    const direct = directAddress(exposed(), host);
    if (direct !== undefined) {
      try {
        return await dialAllowed(direct, remote.addresses);
      } catch {
        // It may be reached by its users and not from here.
      }
    }
    const [pod] = apiServerPods(pods());
    if (pod === undefined)
      throw new NetworkError('connect', 'ECONNREFUSED', 'no pod of karmada-apiserver runs');
    const { name, namespace = '' } = pod.metadata;
    return remote.forward({ namespace, pod: name, port });
  };
}

/** An address that the Karmada or its host names. @throws AddressError when it may not be connected to */
async function dialAllowed(
  { host, port }: { readonly host: string; readonly port: number },
  policy: AddressPolicy,
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

/** Addresses of the pods that may answer: those that are ready first, none that is going. */
export function apiServerAddresses(pods: readonly KubernetesObject[]): readonly string[] {
  return apiServerPods(pods).flatMap(
    (pod) => (pod['status'] as { podIP?: string } | undefined)?.podIP ?? [],
  );
}

function apiServerPods(pods: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const running = pods.filter(
    ({ metadata }) =>
      metadata.labels?.[COMPONENT] === 'karmada-apiserver' &&
      metadata.deletionTimestamp === undefined,
  );
  const isReady = (pod: KubernetesObject): boolean => conditionOf(pod, 'Ready')?.status === 'True';
  return [...running.filter(isReady), ...running.filter((pod) => !isReady(pod))];
}

/** Whether somebody listens there, and is found at once. */
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
      fail(Object.assign(new Error(`${host}:${port} does not answer`), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
