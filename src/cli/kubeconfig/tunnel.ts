/** Listens on the loopback interface and forwards connections to the API server Pods of a control plane. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Endpoint } from '../../kubernetes/connection/connection.ts';
import { webSocketDispatcher } from '../../kubernetes/connection/dispatcher.ts';
import { errorText } from '../../kubernetes/client/errors.ts';
import { forwardPort } from '../../kubernetes/client/port-forward.ts';
import { UnreadBytes } from '../../kubernetes/connection/unread-bytes.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { apiServerPods } from '../../features/reachability/api-server-dialer.ts';

export interface TunnelTarget {
  /** API server of the host cluster. */
  readonly endpoint: Endpoint;
  readonly client: Pick<KubernetesClient, 'list'>;
  /** Name and namespace of the Karmada. */
  readonly name: string;
  readonly namespace: string;
  /** Port of the API server in its Pod. */
  readonly podPort: number;
}

export interface Tunnel {
  readonly port: number;
  close(): Promise<void>;
}

const FORWARD_TIMEOUT_MS = 10_000;

/** Opens a stream to the API server, and what it needs. @throws Error with a message for the user */
export type DialTunnel = () => Promise<TunnelStream>;

interface TunnelStream {
  readonly stream: Duplex;
  readonly close: () => Promise<void>;
}

/**
 * Opens the tunnel.
 * @param dial called for each connection
 * @param port local port; 0 for any free port
 * @param report receives the errors of single connections
 * @throws Error if the port is in use
 */
export async function openTunnel(
  dial: DialTunnel,
  port: number,
  report: (message: string) => void,
): Promise<Tunnel> {
  const open = new Set<Socket>();
  // A client may end its direction first, and still receives the rest of the other one.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    void forward(dial, socket, report);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function forward(
  dial: DialTunnel,
  socket: Socket,
  report: (message: string) => void,
): Promise<void> {
  // The client may close the connection while the tunnel opens.
  socket.on('error', () => undefined);
  try {
    const { stream, close } = await dial();
    try {
      await Promise.all([pipeline(socket, stream), pipeline(stream, socket)]);
    } catch {
      // Both sides close their connections at any time; clients reconnect.
    } finally {
      stream.destroy();
      await close();
    }
  } catch (error) {
    report(errorText(error));
  } finally {
    socket.destroy();
  }
}

/** Returns a dialer that selects a ready Pod for each connection, so that a tunnel survives restarts of Pods. */
export function podDialer(target: TunnelTarget): DialTunnel {
  // All connections together have the limit of a host cluster.
  const unread = new UnreadBytes();
  return () => dialPod(target, unread);
}

async function dialPod(target: TunnelTarget, unread: UnreadBytes): Promise<TunnelStream> {
  const { endpoint, client, name, namespace, podPort } = target;
  const labelSelector = `${COMPONENT}=karmada-apiserver,${INSTANCE}=${name}`;
  const { items } = await client.list(resources.Pod, { namespace, labelSelector });
  const [pod] = apiServerPods(items);
  if (pod === undefined) throw new Error(`no running Pod of karmada-apiserver in ${namespace}`);
  const credentials = await endpoint.credentials();
  const dispatcher = webSocketDispatcher(endpoint, credentials);
  const { server } = endpoint;
  const { headers } = credentials;
  const means = { dispatcher, headers, timeoutMs: FORWARD_TIMEOUT_MS, unread };
  try {
    const place = { server, namespace, pod: pod.metadata.name, port: podPort };
    return { stream: await forwardPort(place, means), close: () => dispatcher.destroy() };
  } catch (error) {
    await dispatcher.destroy();
    throw error;
  }
}
