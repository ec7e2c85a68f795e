/** Subject alternative names: checking what users write, and the sets each certificate gets. */
import { instanceName } from '../api/naming.ts';
import { firstAddress, formatAddress, parseAddress } from './address.ts';
import type { PkiInputs, ServingComponent } from './types.ts';

/** A name that cannot go into a certificate, to be shown to the user. */
export interface RejectedSan {
  readonly value: string;
  /** where it was written, such as `spec.components.karmadaAPIServer.certSANs` */
  readonly source: string;
  readonly reason: string;
}

export interface SanSet {
  /** lower case, sorted, each once */
  readonly dns: readonly string[];
  /** canonical text, sorted, each once */
  readonly ips: readonly string[];
  readonly rejected: readonly RejectedSan[];
  /** false when some address is not known at present: then names beyond the set are no difference */
  readonly complete: boolean;
}

/** Names with the place they come from. */
interface Source {
  readonly source: string;
  readonly values: readonly string[];
}

type Parsed = { readonly dns: string } | { readonly ip: string } | { readonly reason: string };

const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const MAX_NAME = 253;
const KARMADA_NAMESPACE = 'karmada-system';

/**
 * Sorts one name into address, DNS name (RFC 1123) or wildcard name (RFC 6125), or says what is wrong.
 * Upper case is folded, as DNS does.
 */
export function parseSan(value: string): Parsed {
  const address = parseAddress(value);
  if (address !== undefined) return { ip: formatAddress(address) };
  const name = value.toLowerCase();
  const labels = (name.startsWith('*.') ? name.slice(2) : name).split('.');
  if (name === '' || name.length > MAX_NAME)
    return { reason: `a DNS name has 1 to ${MAX_NAME} characters` };
  if (!labels.every((label) => LABEL.test(label)))
    return {
      reason: 'it is neither an IP address nor a DNS name nor a wildcard such as *.example.org',
    };
  if (/^\d+$/.test(labels.at(-1) ?? ''))
    return { reason: 'it looks like an IP address but is none' };
  return { dns: name };
}

/** One set from several places; what cannot be used is reported, never thrown and never lost. */
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

/** The names of a Service, from the shortest to the full one. */
function serviceNames(inputs: PkiInputs, suffix: string): readonly string[] {
  const service = instanceName(inputs.name, suffix);
  const { namespace, dnsDomain } = inputs;
  const qualified = `${service}.${namespace}.svc`;
  return [service, `${service}.${namespace}`, qualified, `${qualified}.${dnsDomain}`];
}

/** What every serving certificate inside the control plane bears (upstream's set A without user SANs). */
function base(inputs: PkiInputs): Source {
  // The aggregator verifies <service>.karmada-system.svc, whatever namespace the pods run in.
  const wildcards = [KARMADA_NAMESPACE, inputs.namespace].flatMap((namespace) => [
    `*.${namespace}.svc`,
    `*.${namespace}.svc.${inputs.dnsDomain}`,
  ]);
  const kubernetes = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const source = 'spec.hostCluster.networking.dnsDomain';
  return { source, values: [...LOOPBACK, ...kubernetes, ...wildcards] };
}

/** Set A alone: the pair `karmada`, which no user SAN touches because a change restarts its users. */
export const adminSans = (inputs: PkiInputs): SanSet => collect([base(inputs)]);

/** Set A, the ways to reach the API server from outside, and `karmadaAPIServer.certSANs`. */
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
      { source: 'spec.components.karmadaAPIServer.certSANs', values: extraSans.apiServer },
    ],
    exposedAddresses !== 'unknown',
  );
  return { ...sans, rejected: [...sans.rejected, ...badSubnets(subnets)] };
}

const badSubnets = (subnets: readonly string[]): readonly RejectedSan[] =>
  subnets
    .filter((cidr) => firstAddress(cidr) === undefined)
    .map((value) => ({
      value,
      source: 'spec.components.karmadaAPIServer.serviceSubnet',
      reason: 'it is not a subnet such as 10.96.0.0/12 with room for an address',
    }));

/** Set A and the Service of one serving component, with the user's SANs where the spec has some. */
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

/** Upstream's set B and the short names of the client Service. */
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
 * A member checks the caller's address against these names: by reverse look-up for the wildcard, by
 * forward look-up for the plain name of the headless Service, which resolves to all members.
 */
export function etcdPeerSans(inputs: PkiInputs): SanSet {
  const source = 'spec.hostCluster.networking.dnsDomain';
  return collect([
    { source, values: [...LOOPBACK, ...serviceNames(inputs, 'etcd'), ...memberNames(inputs)] },
    { source: 'spec.components.etcd.local.peerCertSANs', values: inputs.extraSans.etcdPeer },
  ]);
}

/** Wildcards for the members' own names under the headless Service. */
const memberNames = (inputs: PkiInputs): readonly string[] =>
  serviceNames(inputs, 'etcd')
    .slice(2)
    .map((name) => `*.${name}`);

/** Client certificates name nobody: etcd would check the caller's address against such names. */
export const noSans = (): SanSet => collect([]);
