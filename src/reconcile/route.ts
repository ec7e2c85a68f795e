/** The way to an instance's API server: straight to a pod that runs, else through its Service. */
import { connect, type Socket } from 'node:net';
import type { Route } from '../kubernetes/connection.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';
import { COMPONENT, conditionOf } from './objects.ts';

/** A pod in the same cluster answers at once or not at all. */
const DIAL_TIMEOUT_MS = 1_000;
const SERVICE_TIMEOUT_MS = 5_000;

/**
 * A pod is there before the Service knows it, and the Service sends to pods that are just going. The
 * certificate is verified for the Service's name either way.
 * @param pods pods of the instance as they are at the moment of dialling
 */
export function podRoute(pods: () => readonly KubernetesObject[]): Route {
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

/** Addresses of the pods that may answer: those that are ready first, none that is going. */
export function apiServerAddresses(pods: readonly KubernetesObject[]): readonly string[] {
  const running = pods.filter(
    ({ metadata }) =>
      metadata.labels?.[COMPONENT] === 'karmada-apiserver' &&
      metadata.deletionTimestamp === undefined,
  );
  const isReady = (pod: KubernetesObject): boolean => conditionOf(pod, 'Ready')?.status === 'True';
  return [...running.filter(isReady), ...running.filter((pod) => !isReady(pod))].flatMap(
    (pod) => (pod['status'] as { podIP?: string } | undefined)?.podIP ?? [],
  );
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

function dial(host: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, keepAlive: true, noDelay: true });
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
