/** IP addresses of nodes, at which clients reach a node port: pure. */
import { isIP } from 'node:net';
import type { Node } from '../../kubernetes/objects/kinds.ts';

const CONTROL_PLANE_ROLES = [
  'node-role.kubernetes.io/master',
  'node-role.kubernetes.io/control-plane',
];

/** Maximum number of addresses in a certificate. */
const MAX_ADDRESSES = 64;

/**
 * Returns the IP addresses of control plane Nodes, then those of others, each by name of the Node. The first one is stable
 * across restarts.
 */
export function nodeAddresses(nodes: readonly Node[]): string[] {
  const sorted = [...nodes].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const isMaster = (node: Node): boolean =>
    CONTROL_PLANE_ROLES.some((role) => hasRole(node.metadata.labels?.[role]));
  const ordered = [...sorted.filter(isMaster), ...sorted.filter((node) => !isMaster(node))];
  const found = ordered.flatMap(addressesOf).filter((address) => isIP(address) !== 0);
  return [...new Set(found)].slice(0, MAX_ADDRESSES);
}

/** The value of a role label has no meaning; some distributions set `true`. */
const hasRole = (value: string | undefined): boolean => value !== undefined && value !== 'false';

function addressesOf(node: Node): readonly string[] {
  const addresses = node.status?.addresses ?? [];
  const internal = addresses.filter(({ type }) => type === 'InternalIP');
  return [...internal, ...addresses].map(({ address }) => address);
}
