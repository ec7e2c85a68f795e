/** Subject alternative names (SANs): validates SANs of users and builds the SANs of each certificate. */
import { instanceName } from '../api/naming.ts';
import { firstAddress, formatAddress, parseAddress } from './address.ts';
import type { PkiInputs, ServingComponent } from './types.ts';

/** Invalid SAN, reported to the user. */
export interface RejectedSan {
  readonly value: string;
  /** its field, for example `spec.components.karmadaAPIServer.certSANs` */
  readonly source: string;
  readonly reason: string;
}

export interface SanSet {
  /** lower case, sorted, without duplicates */
  readonly dns: readonly string[];
  /** canonical text, sorted, without duplicates */
  readonly ips: readonly string[];
  readonly rejected: readonly RejectedSan[];
  /** false while an address is unknown; additional SANs in a certificate are then tolerated */
  readonly complete: boolean;
  /**
   * IP addresses of nodes, which come and go. A missing one does not reissue a certificate that is new, and one that is no
   * longer needed does not reissue a certificate at all.
   */
  readonly delayed?: readonly string[];
  /**
   * IP addresses that a new certificate has. An earlier one gets them with its next issue, because certificates of former
   * versions of the operator do not have them, and all of them would be reissued at once.
   */
  readonly eventual?: readonly string[];
}

/** SANs with their origin. */
interface Source {
  readonly source: string;
  readonly values: readonly string[];
}

type Parsed = { readonly dns: string } | { readonly ip: string } | { readonly reason: string };

const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const MAX_NAME = 253;
const KARMADA_NAMESPACE = 'karmada-system';

/**
 * Parses a SAN as IP address, DNS name (RFC 1123) or wildcard name (RFC 6125). Converts to lower case,
 * because DNS is case-insensitive.
 * @returns an object with `reason` if the SAN is invalid
 */
export function parseSan(value: string): Parsed {
  const address = parseAddress(value);
  if (address !== undefined) return { ip: formatAddress(address) };
  const name = value.toLowerCase();
  const labels = (name.startsWith('*.') ? name.slice(2) : name).split('.');
  if (name === '' || name.length > MAX_NAME)
    return { reason: `a DNS name must have 1 to ${MAX_NAME} characters` };
  if (!labels.every((label) => LABEL.test(label)))
    return {
      reason: 'it is neither an IP address nor a DNS name nor a wildcard such as *.example.org',
    };
  if (/^\d+$/.test(labels.at(-1) ?? ''))
    return { reason: 'it looks like an IP address, but is not valid' };
  return { dns: name };
}

/** Merges SANs of several origins. Collects invalid SANs in `rejected` instead of throwing. */
function collect(sources: readonly Source[], complete = true): SanSet {
  const dns = new Set<string>();
  const ips = new Set<string>();
  const rejected: RejectedSan[] = [];
  for (const { source, values } of sources) {
    for (const value of values) {
      const parsed = parseSan(value);
      if ('dns' in parsed) dns.add(parsed.dns);
      else if ('ip' in parsed) ips.add(parsed.ip);
      else rejected.push({ value, source, reason: parsed.reason });
    }
  }
  return { dns: [...dns].sort(), ips: [...ips].sort(), rejected, complete };
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** Returns the DNS names of a Service, from short to fully qualified. */
function serviceNames(inputs: PkiInputs, suffix: string): readonly string[] {
  const service = instanceName(inputs.name, suffix);
  const { namespace, dnsDomain } = inputs;
  const qualified = `${service}.${namespace}.svc`;
  return [service, `${service}.${namespace}`, qualified, `${qualified}.${dnsDomain}`];
}

/** Returns the base SANs of all serving certificates, as in the upstream operator without SANs of users. */
function base(inputs: PkiInputs): Source {
  // The aggregator verifies <service>.karmada-system.svc, regardless of the namespace of the Pods.
  const wildcards = [KARMADA_NAMESPACE, inputs.namespace].flatMap((namespace) => [
    `*.${namespace}.svc`,
    `*.${namespace}.svc.${inputs.dnsDomain}`,
  ]);
  const kubernetes = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const source = 'spec.hostCluster.networking.dnsDomain';
  return { source, values: [...LOOPBACK, ...kubernetes, ...wildcards] };
}

/** Returns the base SANs for the pair `karmada`. Without SANs of users, because a change restarts its consumers. */
export const adminSans = (inputs: PkiInputs): SanSet => collect([base(inputs)]);

/** Returns the base SANs, Service names and external addresses of the API server, and its `certSANs`. */
export function apiServerSans(inputs: PkiInputs): SanSet {
  const { exposedAddresses, extraSans, serviceSubnet, dnsDomain } = inputs;
  const subnets = serviceSubnet.split(',').map((cidr) => cidr.trim());
  const kubernetes = subnets.map(firstAddress).filter((address) => address !== undefined);
  const known = exposedAddresses === 'unknown' ? [] : exposedAddresses;
  const sans = collect(
    [
      base(inputs),
      {
        source: 'spec.hostCluster.networking.dnsDomain',
        values: [...serviceNames(inputs, 'apiserver'), `kubernetes.default.svc.${dnsDomain}`],
      },
      { source: 'spec.components.karmadaAPIServer.serviceSubnet', values: kubernetes },
      { source: 'address of the API server', values: known },
      { source: 'cluster IP of the API server', values: inputs.clusterAddresses },
      { source: 'spec.components.karmadaAPIServer.certSANs', values: extraSans.apiServer },
    ],
    exposedAddresses !== 'unknown',
  );
  const { nodeAddresses } = inputs;
  const rejected = [...sans.rejected, ...badSubnets(subnets)];
  const eventual = collect([{ source: 'cluster IP', values: inputs.clusterAddresses }]).ips;
  const all = nodeAddresses ? withNodes(sans, nodeAddresses) : sans;
  return { ...all, rejected, ...(eventual.length > 0 && { eventual }) };
}

function withNodes(sans: SanSet, nodeAddresses: readonly string[]): SanSet {
  const { ips } = collect([{ source: 'address of a node', values: nodeAddresses }]);
  const delayed = ips.filter((address) => !sans.ips.includes(address));
  return { ...sans, ips: [...sans.ips, ...delayed].sort(), delayed };
}

const badSubnets = (subnets: readonly string[]): readonly RejectedSan[] =>
  subnets
    .filter((cidr) => firstAddress(cidr) === undefined)
    .map((value) => ({
      value,
      source: 'spec.components.karmadaAPIServer.serviceSubnet',
      reason: 'it is not a subnet with usable addresses, such as 10.96.0.0/12',
    }));

/** Returns the base SANs and Service names of one component, and `certSANs` of the aggregated API server. */
export function servingSans(inputs: PkiInputs, component: ServingComponent): SanSet {
  const user = component === 'aggregated-apiserver' ? inputs.extraSans.aggregatedAPIServer : [];
  return collect([
    base(inputs),
    {
      source: 'spec.hostCluster.networking.dnsDomain',
      values: serviceNames(inputs, component),
    },
    { source: 'spec.components.karmadaAggregatedAPIServer.certSANs', values: user },
  ]);
}

/** Returns the SANs of the etcd server certificate: client Service, etcd members and `serverCertSANs`. */
export function etcdServerSans(inputs: PkiInputs): SanSet {
  const source = 'spec.hostCluster.networking.dnsDomain';
  return collect([
    {
      source,
      values: [...LOOPBACK, ...serviceNames(inputs, 'etcd-client'), ...memberNames(inputs)],
    },
    { source: 'spec.components.etcd.local.serverCertSANs', values: inputs.extraSans.etcdServer },
  ]);
}

/**
 * Returns the SANs of the etcd peer certificate. An etcd member verifies the client address against them. It uses
 * reverse DNS lookup for the wildcard, and forward lookup for the headless Service, which resolves to all members.
 */
export function etcdPeerSans(inputs: PkiInputs): SanSet {
  const source = 'spec.hostCluster.networking.dnsDomain';
  return collect([
    { source, values: [...LOOPBACK, ...serviceNames(inputs, 'etcd'), ...memberNames(inputs)] },
    { source: 'spec.components.etcd.local.peerCertSANs', values: inputs.extraSans.etcdPeer },
  ]);
}

/** Returns wildcard names for the etcd members behind the headless Service. */
const memberNames = (inputs: PkiInputs): readonly string[] =>
  serviceNames(inputs, 'etcd')
    .slice(2)
    .map((name) => `*.${name}`);

/** Returns no SANs for client certificates, because etcd would verify the client address against SANs. */
export const noSans = (): SanSet => collect([]);
