/** Freshness of the caches that a reconcile depends on: caches of the management cluster and of the control plane. */
import type { Problem } from '../api/problem.ts';
import type { Karmada } from '../api/karmada.ts';
import type { ClusterKind } from '../kubernetes/finished-call.ts';
import { firstStale, watchedText, type Freshness } from '../kubernetes/freshness.ts';
import type { Informer } from '../kubernetes/informer.ts';
import { keyOf, keyText } from '../kubernetes/resources.ts';
import type { Host, ManagementCluster } from '../host-clusters/host.ts';
import type { InstanceCaches } from './instance-cache.ts';
import { hostReference } from '../host-clusters/host-reference.ts';

/** A cache that follows an API server. */
interface Source {
  readonly freshness: Freshness;
  /** Milliseconds since the last response. */
  readonly ageMs: number;
}

type Fresh = Pick<Source, 'freshness'>;

/** A cache of the operator, for metrics. */
export interface WatchState extends Pick<Freshness, 'resource' | 'state'> {
  /** Management cluster, remote host cluster, or Karmada API. */
  readonly cluster: Exclude<ClusterKind, 'member'>;
  /** Milliseconds since the last response. */
  readonly ageMs: number;
}

/** Reasons of Ready while the operator cannot watch the management cluster. */
export const CLUSTER_UNOBSERVED = {
  denied: 'ClusterAccessDenied',
  silent: 'ClusterNotObserved',
} as const;

/** Returns why caches of the management cluster must not be used; undefined if all are filled and fresh. */
export function clusterProblem(sources: readonly Fresh[]): Problem | undefined {
  const stale = firstStale(sources);
  const message = (text: string, remedy: string): string =>
    `management cluster: the operator cannot watch it (${text}); ${remedy}`;
  if (stale?.isDenied) {
    const remedy =
      'reapply the RBAC permissions of the operator (config/deploy/2-rights.yaml, or the Helm chart)';
    return { reason: CLUSTER_UNOBSERVED.denied, message: message(stale.stale, remedy) };
  }
  const text = stale?.stale ?? stillRead(sources);
  return text === undefined
    ? undefined
    : { reason: CLUSTER_UNOBSERVED.silent, message: message(text, 'check its API server') };
}

function stillRead(sources: readonly Fresh[]): string | undefined {
  const read = sources.map(({ freshness }) => freshness).filter(({ state }) => state === 'reading');
  if (read.length === 0) return undefined;
  return `initial lists are not complete: ${read.map(watchedText).join(', ')}`;
}

/**
 * Returns why the operator is not ready, for its `/readyz` endpoint. A namespace to which access is denied does not
 * count, unless it is the only one: a user may have deleted it, with its Role.
 */
export function unready({
  informers,
}: {
  readonly informers: readonly Fresh[];
}): string | undefined {
  const isDenied = ({ freshness }: Fresh): boolean =>
    freshness.namespace !== undefined && freshness.isDenied === true;
  const denied = new Set(informers.filter(isDenied).map(({ freshness }) => freshness.namespace));
  const others = informers.filter(({ freshness: { namespace } }) => !denied.has(namespace));
  const isAny = others.some(({ freshness }) => freshness.namespace !== undefined);
  const counted = isAny ? others : informers;
  return firstStale(counted)?.stale ?? stillRead(counted);
}

/**
 * Returns why a Karmada cannot be reconciled because of stale caches. A Karmada on a remote host cluster depends only
 * on the cache of Karmada objects. Caches of other namespaces do not count.
 */
export function unobserved(
  { karmadas, informers }: Pick<ManagementCluster, 'karmadas' | 'informers'>,
  { spec, metadata }: Pick<Karmada, 'spec' | 'metadata'>,
): Problem | undefined {
  const all = hostReference({ spec }) === undefined ? informers : karmadas.informers;
  const isConcerned = ({ namespace = metadata.namespace }: Informer): boolean =>
    namespace === metadata.namespace;
  return clusterProblem(all.filter(isConcerned));
}

export interface Sources {
  readonly local: Pick<ManagementCluster, 'karmadas' | 'informers'>;
  readonly instances: Pick<InstanceCaches, 'peek'>;
}

/** Returns by `namespace/name` why the caches of a Karmada are stale; undefined if they are fresh. */
export function staleTexts({ local, instances }: Sources): ReadonlyMap<string, string | undefined> {
  const all = local.karmadas.cache.list() as unknown as Karmada[];
  return new Map(
    all.map((karmada) => {
      const key = keyText(keyOf(karmada));
      const inside = firstStale(instances.peek(key)?.controlPlane?.sources ?? []);
      return [key, unobserved(local, karmada)?.message ?? inside?.stale];
    }),
  );
}

/** State of all caches of the operator, for metrics. */
export function watchStates(
  local: Pick<ManagementCluster, 'informers'>,
  hosts: readonly Pick<Host, 'informers'>[],
  instances: Pick<InstanceCaches, 'all'>,
): readonly WatchState[] {
  const inside = instances.all().flatMap(({ controlPlane }) => controlPlane?.sources ?? []);
  const of = (cluster: WatchState['cluster'], sources: readonly Source[]): readonly WatchState[] =>
    sources.map(({ freshness: { resource, state }, ageMs }) => ({
      cluster,
      resource,
      state,
      ageMs,
    }));
  return [
    ...of('local', local.informers),
    ...of(
      'remote',
      hosts.flatMap(({ informers }) => informers),
    ),
    ...of('control-plane', inside),
  ];
}
