/** Programs of containers that run in this process. */
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { ServerPair } from '../network/tls-server.ts';
import { secretData, type ClusterView } from './cluster-view.ts';
import { specOf, type ContainerSpec } from './pod-runtime.ts';
import type { StubContainer } from './stub-container.ts';

/** A container that starts. */
export interface Started {
  readonly pod: KubernetesObject;
  readonly container: ContainerSpec;
  readonly address: string;
  readonly run: StubContainer;
}

/** Starts the program of a container. It ends when the container does. */
export type StubProgram = (started: Started) => Promise<void>;

/** Where a program finds its certificate: name of the volume with the Secret, and keys. */
export interface MountedPair {
  readonly volume: string;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** Reads a certificate as it is mounted now. */
export function mountedPair(
  view: ClusterView,
  pod: KubernetesObject,
  { volume, cert, key, ca }: MountedPair,
): ServerPair {
  const found = specOf(pod).volumes?.find(({ name }) => name === volume)?.secret;
  const data = secretData(view, pod.metadata.namespace ?? '', found?.secretName ?? '');
  const pem = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString('utf8');
  return { cert: pem(cert), key: pem(key), ca: pem(ca) };
}

/** Runs `action` after a time, unless the container has ended. */
export function after(run: StubContainer, ms: number, action: () => void): void {
  const timer = setTimeout(action, ms);
  run.onEnd(() => clearTimeout(timer));
}

/** Repeats `action` until the container has ended. */
export function every(run: StubContainer, ms: number, action: () => void): void {
  const timer = setInterval(action, ms);
  run.onEnd(() => clearInterval(timer));
}
