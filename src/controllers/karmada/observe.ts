/**
 * Takes the snapshot for a reconcile: caches of the host cluster, and what each feature adds. Features read live where
 * caches do not suffice.
 */
import type { Facts, ObserveContext, Observers } from '../../actions/observers.ts';
import type { Karmada } from '../../api/karmada.ts';
import { hostFactsOf } from '../../host-clusters/host-facts.ts';
import { ownedBy, type Host } from '../../host-clusters/host.ts';
import { claimsByUse } from '../../instance/claims-by-use.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { HostSnapshot, Snapshot } from '../../instance/snapshot.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import type { InformerGroup } from '../../kubernetes/informer-group.ts';
import { isNodeReady } from '../../kubernetes/node.ts';
import type { Pod } from '../../kubernetes/pod-kinds.ts';
import { withUpdatedMembers } from '../../etcd-cluster/pods/membership.ts';
import type { PkiInputs } from '../../pki/types.ts';
import { FEATURES, type FeatureReaders } from './features.ts';

export type ObserveTools = FeatureReaders & { readonly host: Host; readonly clock: Clock };

/** Snapshot for one reconcile, and the inputs of its certificates. */
export interface Observation {
  readonly snapshot: Snapshot;
  readonly pki: PkiInputs;
}

const OBSERVERS: readonly Observers<ObserveTools>[] = FEATURES.flatMap(
  ({ observers }) => observers ?? [],
);

/** Reads the state of one control plane. Writes nothing. @throws what the read of a feature throws */
export async function observe(
  tools: ObserveTools,
  instance: InstanceCache,
  karmada: Karmada,
): Promise<Observation> {
  const context = { tools, instance };
  await Promise.all(OBSERVERS.map(async ({ probe }) => probe?.(context)));
  const { host, clock } = tools;
  const missingRights = host.rights.missingFor(karmada.metadata.namespace ?? '');
  const there = observeHost(host, instance.key);
  const start = { karmada, host: there, now: clock.wall(), missingRights };
  const specified = complete(await specFacts(context, start), ['spec']);
  const read = await atOnce(specified, ({ facts }) => facts?.(context, specified));
  const outside = complete(read, ['controlPlane', 'certificates', 'archive', 'pki']);
  const all = await atOnce(outside, ({ inside }) => inside?.(context, outside));
  const { pki, ...snapshot } = complete(all, ['members']);
  return { snapshot, pki };
}

type Started = Facts & Pick<Snapshot, 'karmada' | 'host' | 'now'>;

async function specFacts(context: ObserveContext<ObserveTools>, start: Started): Promise<Started> {
  let seen = start;
  for (const { spec } of OBSERVERS) seen = { ...seen, ...(await spec?.(context, seen)) };
  return seen;
}

/** Adds what all features read in a stage. */
async function atOnce<S extends Facts>(
  seen: S,
  read: (observers: Observers<ObserveTools>) => Facts | Promise<Facts> | undefined,
): Promise<S> {
  const found = await Promise.all(OBSERVERS.map(async (observers) => read(observers)));
  return found.reduce<S>((all, facts) => ({ ...all, ...facts }), seen);
}

/** Proves to the compiler that features have added these facts. @throws Error if none is registered that reads them */
function complete<S extends Facts, K extends keyof Facts>(
  seen: S,
  keys: readonly K[],
): S & Required<Pick<Facts, K>> {
  if (hasAll(seen, keys)) return seen;
  throw new Error(`no feature observes ${keys.filter((key) => !(key in seen)).join(', ')}`);
}

const hasAll = <S extends Facts, K extends keyof Facts>(
  seen: S,
  keys: readonly K[],
): seen is S & Required<Pick<Facts, K>> => keys.every((key) => seen[key] !== undefined);

function observeHost(host: Host, key: string): HostSnapshot {
  const pods = ownedBy([host.pods], key);
  const name = key.slice(key.indexOf('/') + 1);
  const objects = withUpdatedMembers(ownedBy(host.owned, key), pods, name);
  const claims = ownedBy([host.claims], key);
  const storageClasses = host.storageClasses?.cache.list();
  const byUse = claimsByUse(name, objects, claims);
  const nodes = host.nodes && { unreadyNodes: unreadyNodes(pods, host.nodes.cache) };
  const { ipFamily } = hostFactsOf(host);
  return {
    objects,
    pods,
    ...nodes,
    ...byUse,
    ...(ipFamily !== undefined && { ipFamily }),
    ...(storageClasses && { storageClasses }),
  };
}

/** Names of the nodes that run these Pods and do not report that they are ready. */
function unreadyNodes(
  pods: readonly Pod[],
  nodes: Pick<InformerGroup['cache'], 'get'>,
): readonly string[] {
  const names = pods.map((pod) => pod.spec?.nodeName);
  return [...new Set(names)].filter((name): name is string => {
    const node = name === undefined ? undefined : nodes.get({ name });
    return node !== undefined && !isNodeReady(node);
  });
}
