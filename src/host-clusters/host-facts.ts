/** Facts about a host cluster that defaults and warnings depend on. */
import { isIP } from 'node:net';
import type { HostFacts, IPFamily } from '../api/defaults/defaults.ts';
import type { Node } from '../kubernetes/objects/kinds.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import type { Host } from './host.ts';
import { hasDefaultStorageClass } from './storage-classes.ts';

/** Returns the facts about a host cluster, from its caches. */
export function hostFactsOf(host: Pick<Host, 'storageClasses' | 'nodes' | 'pods'>): HostFacts {
  const ipFamily = ipFamilyOf(host.pods.cache.list(), host.nodes?.cache.list() ?? []);
  return {
    defaultStorageClass: hasDefaultStorageClass(host),
    ...(ipFamily !== undefined && { ipFamily }),
  };
}

/**
 * Returns the IP family of the addresses that Pods get: IPv4 if they have one, because kube-apiserver then uses it. Pods show
 * it. Before the first one, Nodes are the evidence, whose families may differ from those of Pods.
 * @returns undefined without evidence
 */
export function ipFamilyOf(pods: readonly Pod[], nodes: readonly Node[]): IPFamily | undefined {
  const ofPods = pods.flatMap(({ status }) => (status?.podIPs ?? []).map(({ ip }) => ip));
  const ofNodes = nodes.flatMap(({ status }) =>
    (status?.addresses ?? [])
      .filter(({ type }) => type === 'InternalIP')
      .map(({ address }) => address),
  );
  return familyOf(ofPods) ?? familyOf(ofNodes);
}

function familyOf(addresses: readonly string[]): IPFamily | undefined {
  const versions = addresses.map(isIP);
  if (versions.includes(4)) return 'IPv4';
  return versions.includes(6) ? 'IPv6' : undefined;
}
