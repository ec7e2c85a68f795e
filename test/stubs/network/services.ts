/** Listens at the addresses of Services whose Pods are ready, as kube-proxy makes them reachable. */
import { createServer, type Server } from 'node:net';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { selectsLabels } from '../api/selectors.ts';
import type { Store } from '../api/store.ts';
import { isReady } from '../controllers/pods.ts';

interface ServiceSpec {
  readonly clusterIP?: string;
  readonly selector?: Record<string, string>;
  readonly ports?: readonly { readonly port: number }[];
}

/** Only the port of webhooks and aggregated APIs is dialed, to see whether it is open. */
const PORT = 443;

const keyOf = ({ metadata: { namespace = '', name } }: KubernetesObject): string =>
  `${namespace}/${name}`;

export class Services {
  readonly #store: Store;
  readonly #servers = new Map<string, Server>();

  constructor(store: Store) {
    this.#store = store;
    store.subscribe((resource, { type, object }) => {
      if (resource === '/services') {
        if (type === 'DELETED') this.#close(keyOf(object));
        else this.#sync(object);
      }
      if (resource === '/pods') this.#syncNamespace(object.metadata);
    });
  }

  stop(): void {
    for (const key of this.#servers.keys()) this.#close(key);
  }

  #syncNamespace({ namespace, labels }: KubernetesObject['metadata']): void {
    for (const service of this.#store.list('/services', namespace)) {
      const { selector } = service['spec'] as ServiceSpec;
      if (selectsLabels(selector, labels)) this.#sync(service);
    }
  }

  #sync(service: KubernetesObject): void {
    const { clusterIP, selector, ports = [] } = service['spec'] as ServiceSpec;
    const isDialed =
      clusterIP !== undefined && clusterIP !== 'None' && ports.some(({ port }) => port === PORT);
    if (!isDialed) return;
    const hasPod = this.#store
      .list('/pods', service.metadata.namespace)
      .some((pod) => selectsLabels(selector, pod.metadata.labels) && isReady(pod));
    const key = keyOf(service);
    if (!hasPod) return this.#close(key);
    if (this.#servers.has(key)) return;
    const server = createServer((socket) => socket.on('error', () => undefined).end());
    // Without the right to listen there the operator waits five seconds and goes on.
    server.on('error', () => undefined).listen({ host: clusterIP, port: PORT });
    this.#servers.set(key, server);
  }

  #close(key: string): void {
    this.#servers.get(key)?.close();
    this.#servers.delete(key);
  }
}
