/** Inputs of the certificates of a control plane, from its spec and host cluster: pure. */
import { leafValidityDays } from '../../api/defaults/leaf-validity.ts';
import { isIP } from 'node:net';
import { ifEnabled } from '../../api/addon.ts';
import { OPTIONAL_COMPONENTS } from '../../api/component-catalog.ts';
import type { DefaultedComponents } from '../../api/defaults/defaults.ts';
import { isRecorded, OWN_IDENTITIES } from '../../api/features.ts';
import {
  allowsIdentities,
  decidedIdentity,
  leavesMasters,
  usesMasters,
} from '../../api/identities.ts';
import { instanceName } from '../../api/naming.ts';
import { endpointParts } from '../../api/validation/syntax.ts';
import { serviceHost } from '../../components/values.ts';
import type { KarmadaAPIServer } from '../../api/karmada.ts';
import type { Node, Service } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { optionalField, recordOf } from '../../kubernetes/objects/records.ts';
import { serverUrl } from '../../pki/address.ts';
import { CLIENT_COMPONENTS } from '../../pki/inventory.ts';
import { ROTATE_ANNOTATION } from '../../pki/rotate-request.ts';
import type { ClientComponent, IdentityKind, IdentityPolicy, PkiInputs } from '../../pki/types.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { nodeAddresses } from './node-addresses.ts';

const API_SERVER_PORT = 5443;
const HTTPS_PORT = 443;

/** External addresses and URL of the API server. */
interface Exposure {
  readonly addresses: readonly string[] | 'unknown';
  readonly server: string;
}

type Subject = Pick<Snapshot, 'karmada' | 'spec'>;

/** URL of the API server inside the host cluster. */
export function inClusterServer({ karmada, spec }: Subject): string {
  const { name, namespace = '' } = karmada.metadata;
  return serverUrl(serviceHost({ name, namespace, spec }, 'apiserver'), API_SERVER_PORT);
}

/**
 * Collects the certificate inputs.
 * @param service live API server Service, with allocated node port or load balancer address
 * @param nodes Nodes of the host cluster; undefined if the operator must not read them
 */
export function pkiInputs(
  subject: Subject,
  service: Service | undefined,
  nodes: readonly Node[] | undefined,
): PkiInputs {
  const { karmada, spec } = subject;
  const { name, namespace = '' } = karmada.metadata;
  const { components, customCertificate, hostCluster } = spec;
  const isNodePort = components.karmadaAPIServer.serviceType === 'NodePort';
  const atNodes = isNodePort && nodes ? nodeAddresses(nodes) : undefined;
  const { addresses, server } = exposure(subject, service, atNodes);
  return {
    name,
    namespace,
    dnsDomain: hostCluster.networking.dnsDomain,
    serviceSubnet: components.karmadaAPIServer.serviceSubnet,
    etcd: components.etcd.local ? 'local' : 'external',
    addons: recordOf(
      OPTIONAL_COMPONENTS.map(
        ({ key, suffix }) => [suffix, ifEnabled(components[key]) !== undefined] as const,
      ),
    ),
    metricsClient: spec.monitoring?.clientCertificate === true,
    leafValidityDays: leafValidityDays(spec),
    customAuthority: customCertificate?.apiServerCACert !== undefined,
    extraSans: extraSans(components),
    exposedAddresses: addresses,
    clusterAddresses: clusterAddresses(service),
    ...(atNodes && { nodeAddresses: atNodes.toSorted() }),
    ...identities(subject),
    inClusterServer: inClusterServer(subject),
    externalServer: server,
    ...rotateRequest(karmada),
  };
}

/** Which identities the certificates of components get. Those without a decision keep theirs. */
function identities({ karmada, spec }: Subject): Pick<PkiInputs, 'identities'> {
  if (usesMasters(karmada))
    return { identities: { mayStartOwn: false, decided: decidedBy(() => 'masters') } };
  const isAllowed = allowsIdentities(spec.components.karmadaAPIServer.imageTag);
  if (!isAllowed || !isRecorded(karmada, OWN_IDENTITIES)) return {};
  const { status = {} } = karmada;
  const decided = leavesMasters(karmada)
    ? decidedBy((component) => decidedIdentity(status, component))
    : {};
  return { identities: { mayStartOwn: true, decided } };
}

const decidedBy = (
  decide: (component: ClientComponent) => IdentityKind | undefined,
): IdentityPolicy['decided'] =>
  Object.assign(
    {},
    ...CLIENT_COMPONENTS.map((component) =>
      optionalField(`${component}-client`, decide(component)),
    ),
  );

const rotateRequest = ({ metadata }: Subject['karmada']): Pick<PkiInputs, 'rotate'> =>
  optionalField('rotate', metadata.annotations?.[ROTATE_ANNOTATION]);

/** Returns the certificate inputs with the cluster IPs of a Service that was created after they were collected. */
export const withClusterAddresses = (
  inputs: PkiInputs,
  objects: readonly KubernetesObject[],
): PkiInputs => ({
  ...inputs,
  clusterAddresses: clusterAddresses(findApiServerService(inputs.name, objects)),
});

/** Cluster IPs of a Service, sorted: one of each IP family. */
function clusterAddresses(service: Service | undefined): readonly string[] {
  const { clusterIP, clusterIPs } = service?.spec ?? {};
  const all = clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP]);
  return all.filter((address) => isIP(address) !== 0).toSorted();
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

/** @param atNodes addresses for a node port; undefined if the operator must not read Nodes */
function exposure(
  subject: Subject,
  service: Service | undefined,
  atNodes: readonly string[] | undefined,
): Exposure {
  const { externalEndpoint, serviceType } = subject.spec.components.karmadaAPIServer;
  const own = serviceExposure(subject, service, atNodes ?? []);
  if (!externalEndpoint) return own;
  const isUnreadable = serviceType === 'NodePort' && atNodes === undefined;
  const { host, port = defaultPort(serviceType) } = endpointParts(externalEndpoint);
  return endpointExposure({ host, port }, isUnreadable ? { ...own, addresses: [] } : own);
}

/** A load balancer listens on the port of its Service. Others, such as an Ingress, use that of https. */
const defaultPort = (type: KarmadaAPIServer['serviceType']): number =>
  type === 'LoadBalancer' ? API_SERVER_PORT : HTTPS_PORT;

/** Uses the external endpoint of the spec; the Service addresses stay in the SANs. */
function endpointExposure(
  { host, port }: { readonly host: string; readonly port: number },
  { addresses }: Exposure,
): Exposure {
  return {
    addresses: addresses === 'unknown' ? 'unknown' : [host, ...addresses],
    server: serverUrl(host, port),
  };
}

function serviceExposure(
  subject: Subject,
  service: Service | undefined,
  atNodes: readonly string[],
): Exposure {
  switch (subject.spec.components.karmadaAPIServer.serviceType) {
    case 'ClusterIP':
      return { addresses: [], server: inClusterServer(subject) };
    case 'NodePort':
      return nodePort(service, atNodes);
    case 'LoadBalancer':
      return loadBalancer(service);
  }
}

function nodePort(service: Service | undefined, [address]: readonly string[]): Exposure {
  const spec = service?.spec;
  const port = spec?.ports?.find((entry) => entry.nodePort !== undefined)?.nodePort;
  if (port === undefined || address === undefined) return UNKNOWN;
  return { addresses: [address], server: serverUrl(address, port) };
}

/** Message about the missing address of the API server Service, and what allocates it. */
export function awaitedAddress({ karmada, spec }: Subject): string {
  const { name, namespace = '' } = karmada.metadata;
  const service = `Service ${namespace}/${apiServerService(name)}`;
  const { serviceType, loadBalancerClass } = spec.components.karmadaAPIServer;
  if (serviceType !== 'LoadBalancer')
    return `${service}: waiting for a node port and for a Node with an IP address`;
  const by = loadBalancerClass ? `of class ${loadBalancerClass}` : 'of the host cluster';
  return `${service}: waiting for an address from the load balancer ${by}; check its Events with "kubectl describe service"`;
}

/** Like the upstream operator: the first entry with an address; its hostname takes precedence over its IP. */
function loadBalancer(service: Service | undefined): Exposure {
  const status = service?.status;
  const entries = status?.loadBalancer?.ingress ?? [];
  const addresses = entries
    .flatMap(({ hostname, ip }) => [hostname, ip])
    .filter((a) => a !== undefined);
  const [first] = addresses;
  if (first === undefined) return UNKNOWN;
  return { addresses, server: serverUrl(first, API_SERVER_PORT) };
}

/** Name of the API server Service. */
const apiServerService = (karmadaName: string): string => instanceName(karmadaName, 'apiserver');

/** Finds the API server Service of a Karmada among the objects in its host cluster. */
export function findApiServerService(
  karmadaName: string,
  objects: readonly KubernetesObject[],
): KubernetesObject | undefined {
  const name = apiServerService(karmadaName);
  return objects.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name);
}
