/** What control planes rest on: whether the caches of the operator's cluster, and those inside, still follow their servers. */
import type { Problem } from '../api/problem.ts';
import type { Karmada } from '../api/karmada.ts';
import { firstStale, type Freshness } from '../kubernetes/freshness.ts';
import { keyOf, keyText } from '../kubernetes/resources.ts';
import type { Host, Local } from '../hosts/host.ts';
import type { Instances } from './instance.ts';
import { hostReference } from '../hosts/host-reference.ts';

/** Something that follows an API server. */
export interface Source {
  readonly freshness: Freshness;
}

/** A cache of the operator, for metrics. */
export interface WatchState extends Pick<Freshness, 'resource' | 'state'> {
  /** The operator's own cluster, a host cluster besides, or the inside of a control plane. */
  readonly cluster: 'local' | 'remote' | 'control-plane';
}

/** Reasons of Ready when the operator's own cluster cannot be observed. */
export const CLUSTER_UNOBSERVED = {
  denied: 'ClusterAccessDenied',
  silent: 'ClusterNotObserved',
} as const;

/** Why nothing may rest on caches of the operator's own cluster; undefined when all are full and fresh. */
export function clusterProblem(sources: readonly Source[]): Problem | undefined {
  const stale = firstStale(sources);
  const message = (text: string, remedy: string): string =>
    `the operator's own cluster cannot be observed: ${text}; ${remedy}`;
  if (stale?.isDenied) {
    const remedy = "apply the operator's rights again (config/deploy/2-rights.yaml, or the chart)";
    return { reason: CLUSTER_UNOBSERVED.denied, message: message(stale.stale, remedy) };
  }
  const text = stale?.stale ?? stillRead(sources);
  return text === undefined
    ? undefined
    : { reason: CLUSTER_UNOBSERVED.silent, message: message(text, 'check its API server') };
}

function stillRead(sources: readonly Source[]): string | undefined {
  const read = sources.map(({ freshness }) => freshness).filter(({ state }) => state === 'reading');
  if (read.length === 0) return undefined;
  return `caches are not filled yet: ${read.map(({ resource }) => resource).join(', ')}`;
}

/** The same for `/readyz`. */
export const unready = ({ informers }: Pick<Local, 'informers'>): string | undefined =>
  firstStale(informers)?.stale ?? stillRead(informers);

/** Why a Karmada cannot be worked on, whatever is known of its host. One on another host rests on the Karmadas alone. */
export function unobserved(
  { karmadas, informers }: Pick<Local, 'karmadas' | 'informers'>,
  karmada: Pick<Karmada, 'spec'>,
): Problem | undefined {
  return clusterProblem(hostReference(karmada) === undefined ? informers : [karmadas]);
}

export interface Sources {
  readonly local: Pick<Local, 'karmadas' | 'informers'>;
  readonly instances: Pick<Instances, 'peek'>;
}

/** By `namespace/name`, why what is known of a Karmada does not count any more; undefined when it does. */
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

/** All caches of the operator. */
export function watchStates(
  local: Pick<Local, 'informers'>,
  hosts: readonly Pick<Host, 'informers'>[],
  instances: Pick<Instances, 'all'>,
): readonly WatchState[] {
  const inside = instances.all().flatMap(({ controlPlane }) => controlPlane?.sources ?? []);
  const of = (cluster: WatchState['cluster'], sources: readonly Source[]): readonly WatchState[] =>
    sources.map(({ freshness: { resource, state } }) => ({ cluster, resource, state }));
  return [
    ...of('local', local.informers),
    ...of(
      'remote',
      hosts.flatMap(({ informers }) => informers),
    ),
    ...of('control-plane', inside),
  ];
}
