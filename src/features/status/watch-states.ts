/** Freshness of the caches that a reconcile depends on: caches of the management cluster and of the control plane. */
import type { AnyInformer } from '../../kubernetes/informers/informer-group.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { Karmada } from '../../api/karmada.ts';
import { MANAGED_BY } from '../../api/labels.ts';
import type { CacheQuota } from '../../kubernetes/informers/cache-quota/cache-quota.ts';
import type { ClusterKind } from '../../kubernetes/client/finished-call.ts';
import { firstStale, watchedText, type Freshness } from '../../kubernetes/informers/freshness.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCaches } from '../../instance/instance-cache.ts';
import { hostReference } from '../../host-clusters/host-reference.ts';

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
  limit: 'NamespaceLimitExceeded',
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
  { karmadas, informers, quota }: Pick<ManagementCluster, 'karmadas' | 'informers' | 'quota'>,
  { spec, metadata }: Pick<Karmada, 'spec' | 'metadata'>,
): Problem | undefined {
  const all = hostReference({ spec }) === undefined ? informers : karmadas.informers;
  const isConcerned = ({ namespace = metadata.namespace }: AnyInformer): boolean =>
    namespace === metadata.namespace;
  return clusterProblem(all.filter(isConcerned)) ?? namespaceProblem(quota, metadata.namespace);
}

/** Returns why the caches of a cluster lack objects of a namespace; undefined if they do not. */
export function namespaceProblem(
  quota: Pick<CacheQuota, 'problemOf'>,
  namespace = '',
): Problem | undefined {
  const cause = quota.problemOf(namespace);
  if (cause === undefined) return undefined;
  const remedy = `remove the label ${MANAGED_BY} from the objects in it that belong to no control plane`;
  const message = `Namespace ${namespace}: the operator does not use its objects (${cause}); ${remedy}. The operator reads them again within 30 minutes.`;
  return { reason: CLUSTER_UNOBSERVED.limit, message };
}

/** A namespace that exceeds a limit of the caches. */
export interface DroppedNamespace {
  readonly cluster: 'local' | 'remote';
  readonly namespace: string;
}

/** Dropped namespaces of all clusters, each once. */
export function droppedNamespaces(
  local: Pick<ManagementCluster, 'quota'>,
  hosts: readonly Pick<Host, 'quota'>[],
): readonly DroppedNamespace[] {
  const remote = new Set(hosts.flatMap(({ quota }) => quota.dropped));
  return [
    ...local.quota.dropped.map((namespace) => ({ cluster: 'local', namespace }) as const),
    ...[...remote].map((namespace) => ({ cluster: 'remote', namespace }) as const),
  ];
}

export interface Sources {
  readonly local: Pick<ManagementCluster, 'karmadas' | 'informers' | 'quota'>;
  readonly instances: Pick<InstanceCaches, 'peek'>;
}

/** Returns by `namespace/name` why the caches of a Karmada are stale; undefined if they are fresh. */
export function staleTexts({ local, instances }: Sources): ReadonlyMap<string, string | undefined> {
  const all = local.karmadas.cache.list();
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
