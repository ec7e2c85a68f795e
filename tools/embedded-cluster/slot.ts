import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fields, isText, listOf, optional, type Check } from '../../src/untrusted/checks.ts';
import { run } from './command.ts';
import { Failure } from './failure.ts';
import { lock } from './lock.ts';
import { parseJson } from './parse-json.ts';
import { runDirectory } from './paths.ts';

/** Addresses of one cluster. Each slot has the network 10.<240+slot>.0.0/16. */
export interface Addresses {
  slot: number;
  /** Address of the machine on the link to the cluster. */
  gateway: string;
  /** Address of the node and of the API server. */
  node: string;
  nodeRange: string;
  pods: string;
  services: string;
  /** Addresses for Services of type LoadBalancer. */
  loadBalancers: string;
  /** First address of the Service range: the Service `kubernetes`. */
  kubernetes: string;
  dns: string;
  /** IPv6 addresses, for dual-stack clusters. */
  ipv6: { node: string; pods: string; services: string };
  /** Name of the network interface of the link on the machine (at most 15 characters). */
  link: string;
}

export const slots = 10;

export function addressesOf(slot: number): Addresses {
  const net = `10.${String(240 + slot)}`;
  return {
    slot,
    gateway: `${net}.0.1`,
    node: `${net}.0.2`,
    nodeRange: `${net}.0.0/24`,
    loadBalancers: `${net}.32.0/24`,
    services: `${net}.64.0/18`,
    kubernetes: `${net}.64.1`,
    dns: `${net}.64.10`,
    pods: `${net}.128.0/17`,
    ipv6: ipv6Of(slot),
    link: `karmada-emb${String(slot)}`,
  };
}

/** Largest number of nodes of a cluster. The Pod addresses are enough for four /19, one for each node. */
export const maxNodes = 3;

/**
 * Throws Failure if a cluster cannot have this number of nodes. The links between nodes have only IPv4 addresses, so a
 * dual-stack cluster has one node.
 */
export function checkNodes(count: number, dualStack: boolean): void {
  if (!Number.isInteger(count) || count < 1 || count > maxNodes) {
    throw new Failure(
      `${String(count)} is not a valid number of nodes`,
      `use 1 to ${String(maxNodes)}`,
    );
  }
  if (dualStack && count > 1) {
    throw new Failure(
      'a cluster with several nodes cannot have IPv6',
      'omit --nodes or --dual-stack',
    );
  }
}

/** Returns the IPv4 address of a node. The first node has the number 1. */
export const nodeAddress = ({ node }: Addresses, number: number): string =>
  node.replace(/\d+$/, (last) => String(Number(last) + number - 1));

/** Returns the Pod CIDR of a node: all Pod addresses for the node of a cluster with one node, otherwise a /19. */
export function nodePods({ slot, pods }: Addresses, number: number, count: number): string {
  if (count === 1) return pods;
  return `10.${String(240 + slot)}.${String(128 + 32 * (number - 1))}.0/19`;
}

/** Returns unique local addresses (RFC 4193). kube-apiserver accepts at most a /108 for Services. */
function ipv6Of(slot: number): Addresses['ipv6'] {
  const net = `fd00:6b61:726d:${String(240 + slot)}`;
  return { node: `${net}::2`, pods: `${net}:8000::/80`, services: `${net}:4000::/108` };
}

/** DNS-1123 label, short enough for the derived names. */
const validName = /^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$/;

/** Throws Failure if the name is not a valid cluster name. */
export function checkName(name: string): void {
  if (validName.test(name)) return;
  throw new Failure(
    `${JSON.stringify(name)} is not a valid cluster name`,
    'use 1 to 20 lower case letters, digits and dashes, a letter first',
  );
}

export const clusterDirectory = (name: string): string => join(runDirectory, name);

/** Returns the directory of a node. The first node uses the directory of its cluster. */
export const nodeDirectory = (cluster: string, number: number): string =>
  number === 1
    ? clusterDirectory(cluster)
    : join(clusterDirectory(cluster), `node-${String(number)}`);

const slotFile = (name: string): string => join(clusterDirectory(name), 'slot');

/** Returns the names of all clusters with a slot, running or not. */
export function clusterNames(): string[] {
  if (!existsSync(runDirectory)) return [];
  return readdirSync(runDirectory)
    .filter((name) => existsSync(slotFile(name)))
    .sort();
}

/** Returns the slot of a cluster, or undefined if it has none. */
export function slotOf(name: string): number | undefined {
  if (!existsSync(slotFile(name))) return undefined;
  const slot = Number(readFileSync(slotFile(name), 'utf8'));
  return Number.isInteger(slot) && slot >= 0 && slot < slots ? slot : undefined;
}

interface Route {
  readonly dst?: string | undefined;
}

const isRoute: Check<Route> = fields({ dst: optional(isText) });

/** Returns first and last address of a destination such as `10.240.0.0/12`; without a prefix length it is one host. */
function span(destination: string): [number, number] | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(destination);
  if (match === null) return undefined;
  const [, a = '', b = '', c = '', d = '', length = '32'] = match;
  const address = [a, b, c, d].reduce((number, octet) => number * 256 + Number(octet), 0);
  const size = 2 ** (32 - Number(length));
  const first = address - (address % size);
  return [first, first + size - 1];
}

/**
 * Returns true if a route overlaps with 10.<second>.0.0/16. Routes to 10.0.0.0/8 or larger networks do not count: such
 * networks, for example of VPNs, rarely use all addresses, and no slot would be free otherwise.
 */
function leadsInto(second: number, { dst = '' }: Route): boolean {
  const found = span(dst);
  if (found === undefined || found[1] - found[0] >= 2 ** 24 - 1) return false;
  const begin = (10 * 256 + second) * 2 ** 16;
  return found[0] < begin + 2 ** 16 && found[1] >= begin;
}

/**
 * Returns the first slot that no cluster uses and that overlaps with no route of the machine.
 * @param routes destinations in the format of `ip -json route`
 * @returns undefined if no slot is free
 */
export function chooseSlot(taken: readonly number[], routes: readonly Route[]): number | undefined {
  for (let slot = 0; slot < slots; slot++) {
    const foreign = routes.some((route) => leadsInto(240 + slot, route));
    if (!taken.includes(slot) && !foreign) return slot;
  }
  return undefined;
}

/**
 * Returns the addresses of the cluster's slot. Assigns a free slot if the cluster has none.
 * @throws Failure if all slots are in use
 */
export async function claimSlot(name: string): Promise<Addresses> {
  const held = await lock('slots', () => undefined);
  try {
    const own = slotOf(name);
    if (own !== undefined) return addressesOf(own);
    const taken = clusterNames().flatMap((other) => slotOf(other) ?? []);
    const command = ['ip', '-json', 'route', 'show', 'table', 'all'];
    const routes = parseJson(await run(command), listOf(isRoute), command.join(' '));
    const slot = chooseSlot(taken, routes);
    if (slot === undefined) {
      throw new Failure(
        `all networks from 10.240.0.0/16 to 10.${String(239 + slots)}.0.0/16 are in use`,
        'remove a cluster (npm run cluster -- status lists them) or the other routes to these networks',
      );
    }
    mkdirSync(clusterDirectory(name), { recursive: true });
    writeFileSync(slotFile(name), String(slot));
    return addressesOf(slot);
  } finally {
    held.release();
  }
}
