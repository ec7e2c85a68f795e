/** DNS of a cluster: names of Pods and Services. A Service resolves to its Pods, so no kube-proxy is needed. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isTerminating, type KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { selectsLabels } from '../api/selectors.ts';
import { isReady } from '../controllers/pods.ts';
import { specOf } from '../kubelet/pod-runtime.ts';

const TYPE = { a: 1, ptr: 12, aaaa: 28 } as const;
const HEADER = 12;
const NXDOMAIN = 3;
/** Clients must not keep an address: Pods come and go. */
const TTL_SECONDS = 0;

/** Pods and Services of all namespaces. */
export interface NamedObjects {
  readonly pods: () => readonly KubernetesObject[];
  readonly services: () => readonly KubernetesObject[];
}

const addressOf = (pod: KubernetesObject): string =>
  (pod['status'] as { podIP?: string } | undefined)?.podIP ?? '';

/** Addresses of a name such as `a.b.team.svc.cluster.local`; undefined if it does not exist. */
export function resolveName(name: string, { pods, services }: NamedObjects): string[] | undefined {
  const [, path = ''] = /^(.+)\.svc(?:\..*)?$/.exec(name.replace(/\.$/, '')) ?? [];
  const labels = path.split('.');
  const namespace = labels.pop();
  const service = labels.pop();
  const [host] = labels;
  const found = services().find(
    ({ metadata }) => metadata.name === service && metadata.namespace === namespace,
  );
  if (found === undefined) return undefined;
  const { selector, publishNotReadyAddresses = false } = found['spec'] as {
    selector?: Record<string, string>;
    publishNotReadyAddresses?: boolean;
  };
  const chosen = pods().filter(
    (pod) =>
      pod.metadata.namespace === namespace &&
      selectsLabels(selector, pod.metadata.labels) &&
      addressOf(pod) !== '' &&
      !isTerminating(pod) &&
      (publishNotReadyAddresses || isReady(pod)) &&
      (host === undefined || specOf(pod).hostname === host),
  );
  return chosen.length === 0 ? undefined : chosen.map(addressOf);
}

/** Name of the Pod with an address, for reverse lookups. */
export function resolveAddress(address: string, { pods }: NamedObjects): string | undefined {
  const pod = pods().find((one) => addressOf(one) === address);
  const { hostname, subdomain } = pod === undefined ? {} : specOf(pod);
  if (hostname === undefined || subdomain === undefined) return undefined;
  return `${hostname}.${subdomain}.${pod?.metadata.namespace ?? ''}.svc.cluster.local`;
}

export class DnsServer {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async start(address: string, objects: NamedObjects): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.on('message', (query, { port, address: client }) => {
      const response = answer(query, objects);
      if (response !== undefined) socket.send(response, port, client);
    });
    socket.on('error', () => undefined);
    socket.bind(53, address);
    await once(socket, 'listening');
    return new DnsServer(socket);
  }

  stop(): void {
    this.#socket.close();
  }
}

function answer(query: Buffer, objects: NamedObjects): Buffer | undefined {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (query.length < at + 5) return undefined;
  const type = query.readUInt16BE(at + 1);
  const records = recordsOf(labels.join('.').toLowerCase(), type, objects);
  const header = Buffer.from(query.subarray(0, HEADER));
  header.writeUInt16BE(0x8580 | (records === undefined ? NXDOMAIN : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records?.length ?? 0, 6);
  header.writeUInt32BE(0, 8);
  const answers = (records ?? []).map((data) => record(type, data));
  return Buffer.concat([header, query.subarray(HEADER, at + 5), ...answers]);
}

/** Data of the records; undefined if the name does not exist. */
function recordsOf(name: string, type: number, objects: NamedObjects): Buffer[] | undefined {
  if (type === TYPE.ptr) {
    const address = name.replace('.in-addr.arpa', '').split('.').reverse().join('.');
    const found = resolveAddress(address, objects);
    return found === undefined ? undefined : [encodedName(found)];
  }
  const addresses = resolveName(name, objects);
  if (addresses === undefined) return undefined;
  return type === TYPE.a ? addresses.map((one) => Buffer.from(one.split('.').map(Number))) : [];
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  // Pointer to the name of the question.
  head.writeUInt16BE(0xc000 | HEADER, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(TTL_SECONDS, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const encodedName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.from([0]),
  ]);
