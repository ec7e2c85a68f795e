/**
 * Limits the host clusters of a namespace. Each needs memory, also one that never responds, and the author of a namespace decides how many
 * its Karmadas reference.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Karmada } from '../api/karmada.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { Change } from '../kubernetes/informers/informer-options.ts';
import type { InformerGroup } from '../kubernetes/informers/informer-group.ts';
import { hostIdentity, hostReference, isHostInUse } from './host-reference.ts';

/** Default of the limit. 100 host clusters that do not respond need 10 MB, 2 percent of the heap with the memory limit of the chart. */
export const MAX_HOST_CLUSTERS = 100;

/** Host clusters of one Karmada. */
interface Claim {
  /** That of the spec. */
  readonly wanted: string | undefined;
  /** That of the status, where its control plane is installed. Equal to `wanted` if the spec references the same. */
  readonly installed: string | undefined;
  /** RFC 3339, always with the same length, so texts have the order of times. */
  readonly created: string;
  readonly name: string;
}

function claimOf(karmada: Karmada): Claim {
  const { metadata, status = {} } = karmada;
  const { creationTimestamp: created = '', name } = metadata;
  const reference = hostReference(karmada);
  const wanted = reference && hostIdentity(reference);
  const own = { created, name, wanted };
  if (reference !== undefined && isHostInUse(status, reference))
    return { ...own, installed: wanted };
  const { hostUID, hostSecret = '', hostEndpoint = '' } = status;
  return { ...own, installed: hostUID && `${hostSecret} ${hostEndpoint}` };
}

/** Host clusters above the limit of a namespace. */
interface Excess {
  /** By `hostIdentity`. */
  readonly refused: ReadonlySet<string>;
  /** Number of host clusters that the namespace uses. */
  readonly used: number;
}

/**
 * Selects the host clusters above the limit. It depends only on the objects, so an operator that restarts selects the same. Host clusters with
 * an installed control plane are never among them, also if the limit was higher before. Others follow in the order of their Karmadas: first those
 * that move a control plane to another Secret, then those that were created first.
 * @param karmadas all Karmada objects of one namespace
 */
export function excessHosts(karmadas: readonly Karmada[], limit: number): Excess {
  const all = karmadas.map(claimOf);
  // An author could exceed the limit with control planes whose spec references another Secret for a while, so these count, too.
  const reserved = new Set(all.flatMap(({ installed }) => installed ?? []));
  const used = new Set(all.filter(isInUse).flatMap(({ wanted }) => wanted ?? []));
  const refused = new Set<string>();
  for (const { wanted, installed } of all.filter((one) => !isInUse(one)).sort(inOrder)) {
    if (wanted === undefined || used.has(wanted)) continue;
    const moves = installed !== undefined;
    const isFull = used.size >= limit || (!moves && reserved.size >= limit);
    (isFull ? refused : used).add(wanted);
    if (!isFull && !moves) reserved.add(wanted);
  }
  return { refused, used: Math.max(used.size, reserved.size) };
}

const isInUse = ({ wanted, installed }: Claim): boolean =>
  wanted !== undefined && wanted === installed;

function inOrder(one: Claim, other: Claim): number {
  const [a, b] = [orderOf(one), orderOf(other)];
  return a < b ? -1 : Number(a > b);
}

const orderOf = ({ installed, created, name }: Claim): string =>
  `${installed === undefined ? 1 : 0} ${created} ${name}`;

/** Whether the Karmada references a host cluster in which it is not installed, so that the limit may apply. */
export const wantsNewHost = (karmada: Karmada): boolean => {
  const claim = claimOf(karmada);
  return claim.wanted !== undefined && !isInUse(claim);
};

/** Whether the change of a Karmada may change which host clusters are above the limit. */
export function changesHosts({ object, previous }: Change<Karmada>): boolean {
  const claim = claimOf(object);
  if (previous !== undefined) return !isDeepStrictEqual(claim, claimOf(previous));
  return claim.wanted !== undefined || claim.installed !== undefined;
}

/**
 * Explains why the operator does not connect to the host cluster of a Karmada; undefined within the limit.
 * @param karmadas all Karmada objects of its namespace, with this one
 */
export const hostLimitProblem = (
  karmada: Karmada,
  karmadas: readonly Karmada[],
  limit: number,
): Problem | undefined => excessProblem(karmada, excessHosts(karmadas, limit), limit);

function excessProblem(
  karmada: Karmada,
  { refused, used }: Excess,
  limit: number,
): Problem | undefined {
  const reference = hostReference(karmada);
  if (reference === undefined || !refused.has(hostIdentity(reference))) return undefined;
  const { namespace = '' } = karmada.metadata;
  return {
    reason: 'TooManyHostClusters',
    message: `spec.hostCluster.secretRef: the Karmadas of namespace ${namespace} use ${used} other host clusters, and the limit of the operator for a namespace is ${limit}, so it does not connect to this one and changes nothing there; reference a host cluster that the namespace already uses, or ask the administrator of the operator to raise --max-host-clusters-per-namespace (chart value maxHostClustersPerNamespace)`,
  };
}

/** Selects the host clusters above the limit, once for each change of them: a namespace may have thousands of Karmadas. */
export class HostLimits {
  readonly #limit: number;
  readonly #karmadas: Pick<InformerGroup<Karmada>, 'cache'>;
  /** By namespace. */
  readonly #known = new Map<string, Excess>();

  /** @param limit number of host clusters of a namespace */
  constructor(limit: number, karmadas: Pick<InformerGroup<Karmada>, 'cache' | 'onChange'>) {
    this.#limit = limit;
    this.#karmadas = karmadas;
    karmadas.onChange((change) => {
      if (changesHosts(change)) this.#known.delete(change.object.metadata.namespace ?? '');
    });
  }

  /** Explains why the operator does not connect to the host cluster of a Karmada; undefined within the limit. */
  problemOf(karmada: Karmada): Problem | undefined {
    return wantsNewHost(karmada)
      ? excessProblem(karmada, this.#excessIn(karmada.metadata.namespace ?? ''), this.#limit)
      : undefined;
  }

  #excessIn(namespace: string): Excess {
    const known = this.#known.get(namespace);
    if (known !== undefined) return known;
    const all = this.#karmadas.cache.list();
    const own = all.filter(({ metadata }) => metadata.namespace === namespace);
    const excess = excessHosts(own, this.#limit);
    this.#known.set(namespace, excess);
    return excess;
  }
}
