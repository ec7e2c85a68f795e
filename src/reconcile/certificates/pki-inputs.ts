/** What the certificates of an instance depend on, from its spec and its host: pure. */
import { isIP } from 'node:net';
import { whenOn } from '../../api/addon.ts';
import type { DefaultedComponents } from '../../api/defaults.ts';
import { instanceName } from '../../api/naming.ts';
import { endpointParts } from '../../api/syntax.ts';
import { serviceHost } from '../../components/values.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { serverUrl } from '../../pki/address.ts';
import type { PkiInputs } from '../../pki/types.ts';
import type { Snapshot } from '../snapshot.ts';

const API_SERVER_PORT = 5443;
const HTTPS_PORT = 443;
const DEFAULT_VALIDITY_DAYS = 365;

/** How users reach the API server from outside the host cluster. */
interface Exposure {
  readonly addresses: readonly string[] | 'unknown';
  readonly server: string;
}

type Subject = Pick<Snapshot, 'karmada' | 'spec'>;

/** URL of the API server inside the host cluster. */
function inClusterServer({ karmada, spec }: Subject): string {
  const { name, namespace = '' } = karmada.metadata;
  return serverUrl(serviceHost({ name, namespace, spec }, 'apiserver'), API_SERVER_PORT);
}

/**
 * @param service the API server's Service as it is, for a port or an address that was allocated
 * @param nodes nodes of the host cluster
 */
export function pkiInputs(
  subject: Subject,
  service: KubernetesObject | undefined,
  nodes: readonly KubernetesObject[],
): PkiInputs {
  const { karmada, spec } = subject;
  const { name, namespace = '' } = karmada.metadata;
  const { components, customCertificate, hostCluster } = spec;
  const { addresses, server } = exposure(subject, service, nodes);
  return {
    name,
    namespace,
    dnsDomain: hostCluster.networking.dnsDomain,
    serviceSubnet: components.karmadaAPIServer.serviceSubnet,
    etcd: components.etcd.local ? 'local' : 'external',
    addons: {
      metricsAdapter: whenOn(components.karmadaMetricsAdapter) !== undefined,
      search: whenOn(components.karmadaSearch) !== undefined,
      schedulerEstimator: whenOn(components.karmadaSchedulerEstimator) !== undefined,
      descheduler: whenOn(components.karmadaDescheduler) !== undefined,
    },
    leafValidityDays: customCertificate?.leafCertValidityDays ?? DEFAULT_VALIDITY_DAYS,
    customAuthority: customCertificate?.apiServerCACert !== undefined,
    extraSans: extraSans(components),
    exposedAddresses: addresses,
    inClusterServer: inClusterServer(subject),
    externalServer: server,
  };
}

function extraSans(components: DefaultedComponents): PkiInputs['extraSans'] {
  const { etcd, karmadaAPIServer, karmadaAggregatedAPIServer } = components;
  return {
    apiServer: karmadaAPIServer.certSANs ?? [],
    aggregatedAPIServer: karmadaAggregatedAPIServer.certSANs ?? [],
    etcdServer: etcd.local?.serverCertSANs ?? [],
    etcdPeer: etcd.local?.peerCertSANs ?? [],
  };
}

const UNKNOWN: Exposure = { addresses: 'unknown', server: 'unknown' };

function exposure(
  subject: Subject,
  service: KubernetesObject | undefined,
  nodes: readonly KubernetesObject[],
): Exposure {
  const { externalEndpoint } = subject.spec.components.karmadaAPIServer;
  const own = serviceExposure(subject, service, nodes);
  return externalEndpoint ? endpointExposure(externalEndpoint, own) : own;
}

/** Where the user says that it is reached; the ways to its Service stay in the certificate. */
function endpointExposure(endpoint: string, { addresses }: Exposure): Exposure {
  const { host, port = HTTPS_PORT } = endpointParts(endpoint);
  return {
    addresses: addresses === 'unknown' ? 'unknown' : [host, ...addresses],
    server: serverUrl(host, port),
  };
}

function serviceExposure(
  subject: Subject,
  service: KubernetesObject | undefined,
  nodes: readonly KubernetesObject[],
): Exposure {
  switch (subject.spec.components.karmadaAPIServer.serviceType) {
    case 'ClusterIP':
      return { addresses: [], server: inClusterServer(subject) };
    case 'NodePort':
      return nodePort(service, nodes);
    case 'LoadBalancer':
      return loadBalancer(service);
  }
}

function nodePort(
  service: KubernetesObject | undefined,
  nodes: readonly KubernetesObject[],
): Exposure {
  const spec = service?.['spec'] as { ports?: readonly { nodePort?: number }[] } | undefined;
  const port = spec?.ports?.find((entry) => entry.nodePort !== undefined)?.nodePort;
  const address = nodeAddress(nodes);
  if (port === undefined || address === undefined) return UNKNOWN;
  return { addresses: [address], server: serverUrl(address, port) };
}

/** What an API server's Service waits for, and who gives it. */
export function awaitedAddress({ karmada, spec }: Subject): string {
  const { name, namespace = '' } = karmada.metadata;
  const service = `Service ${namespace}/${apiServerService(name)}`;
  const { serviceType, loadBalancerClass } = spec.components.karmadaAPIServer;
  if (serviceType !== 'LoadBalancer')
    return `${service} waits for a node port and for a node with an IP address`;
  const by = loadBalancerClass ? `of class ${loadBalancerClass}` : 'of the host cluster';
  return `${service} waits for an address from the load balancer ${by}; "kubectl describe service" shows what it says`;
}

interface IngressStatus {
  readonly loadBalancer?: {
    readonly ingress?: readonly { readonly hostname?: string; readonly ip?: string }[];
  };
}

/** As upstream: the first entry with an address, its host name before its IP. */
function loadBalancer(service: KubernetesObject | undefined): Exposure {
  const status = service?.['status'] as IngressStatus | undefined;
  const entries = status?.loadBalancer?.ingress ?? [];
  const addresses = entries
    .flatMap(({ hostname, ip }) => [hostname, ip])
    .filter((a) => a !== undefined);
  const [first] = addresses;
  if (first === undefined) return UNKNOWN;
  return { addresses, server: serverUrl(first, API_SERVER_PORT) };
}

const CONTROL_PLANE_ROLES = [
  'node-role.kubernetes.io/master',
  'node-role.kubernetes.io/control-plane',
];

interface NodeStatus {
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
}

/** An address of a node, of one of the host's own control plane if there is one; stable over restarts. */
function nodeAddress(nodes: readonly KubernetesObject[]): string | undefined {
  const sorted = [...nodes].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const isMaster = (node: KubernetesObject): boolean =>
    CONTROL_PLANE_ROLES.some((role) => node.metadata.labels?.[role] === '');
  const ordered = [...sorted.filter(isMaster), ...sorted.filter((node) => !isMaster(node))];
  return ordered.flatMap(addressesOf).find((address) => isIP(address) !== 0);
}

function addressesOf(node: KubernetesObject): readonly string[] {
  const addresses = (node['status'] as NodeStatus | undefined)?.addresses ?? [];
  const internal = addresses.filter(({ type }) => type === 'InternalIP');
  return [...internal, ...addresses].map(({ address }) => address);
}

/** Name of the API server's Service. */
export const apiServerService = (karmadaName: string): string =>
  instanceName(karmadaName, 'apiserver');
