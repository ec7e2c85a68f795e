/** Maps changes in caches to Karmadas in the work queue. */
import type { Node } from '../../kubernetes/objects/kinds.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Karmada } from '../../api/karmada.ts';
import { OWNER, type Host, type ManagementCluster } from '../../host-clusters/host.ts';
import type { HostUsers } from '../../host-clusters/host-entry.ts';
import { changesHosts, wantsNewHost } from '../../host-clusters/host-limits.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { Priority } from '../../kubernetes/fairness/fair-order.ts';
import type { Change } from '../../kubernetes/informers/informer-options.ts';
import { enqueueOwners, priorityOf } from '../../kubernetes/informers/ownership.ts';
import type { WorkQueue } from '../../kubernetes/workqueue/queue.ts';
import { conditionOf } from '../../kubernetes/objects/object.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import { MergedChanges } from '../../kubernetes/workqueue/merged-changes.ts';
import { secondsToReady, type ReconcileRecord } from '../../actions/reconcile-record.ts';

export interface Wiring {
  readonly local: ManagementCluster;
  readonly queue: WorkQueue;
  readonly clock: Pick<Clock, 'after'>;
  readonly record?: ReconcileRecord | undefined;
}

export type Enqueue = (key: string, priority?: Priority) => void;

interface UsedHost {
  readonly host: Host;
  /** Its events concern no other Karmada, whatever they contain. */
  readonly users: HostUsers;
}

/** Number of changes of objects of one Karmada that a remote host cluster may report within a second before they are merged. */
const MAX_CHANGES = 50;

/** Maps changes in the management cluster to Karmadas in the work queue. */
export function wireLocal(wiring: Wiring): void {
  const { local, queue, record, clock } = wiring;
  wireCaches({ host: local, users: usersOfLocal(local) }, wiring, (key, priority) =>
    queue.add(key, priority),
  );
  // The object names are free now, so a Karmada that was rejected for a name collision may use them. Thousands may be deleted at once.
  const act: Enqueue = (namespace) => {
    for (const { key } of keysOf(local)) if (isIn(key, namespace)) queue.add(key);
  };
  const deletions = new MergedChanges({ clock, maxPerSecond: 1, act });
  // A place within the limit of host clusters may be free now, or taken by a Karmada that was created earlier.
  const hosts = new MergedChanges({
    clock,
    maxPerSecond: 1,
    act: (namespace) => {
      for (const { key, karmada } of keysOf(local))
        if (isIn(key, namespace) && wantsNewHost(karmada)) queue.add(key, 'low');
    },
  });
  local.karmadas.onChange((change) => {
    const isWorking = saysReady(change.previous ?? change.object);
    queue.add(keyText(keyOf(change.object)), priorityOf(change, isWorking));
    const seconds = secondsToReady(change.previous, change.object);
    if (seconds !== undefined) record?.becameReady(seconds);
    const { namespace } = change.object.metadata;
    if (namespace === undefined) return;
    if (change.type === 'deleted') deletions.add(namespace);
    else if (change.isInitial !== true && changesHosts(change)) hosts.add(namespace);
  });
}

/** Maps changes in a remote host cluster to its users in the work queue. */
export function wireHost(used: UsedHost, wiring: Wiring): void {
  const { clock, queue } = wiring;
  const act: Enqueue = (key, priority) => queue.add(key, priority);
  const changes = new MergedChanges({ clock, maxPerSecond: MAX_CHANGES, act });
  wireCaches(used, wiring, (key, priority) => changes.add(key, priority));
}

function wireCaches(
  { host, users }: UsedHost,
  { local, queue, clock }: Wiring,
  enqueue: Enqueue,
): void {
  const add: Enqueue = (key, priority = 'normal') => {
    if (users.has(key))
      enqueue(key, priority === 'normal' ? urgencyOf(local, key, 'high') : priority);
  };
  for (const informer of [...host.owned, host.pods, host.claims])
    enqueueOwners(informer, { add }, OWNER);
  const enqueueIn = (namespace: string): void => {
    for (const key of users.keys()) if (isIn(key, namespace)) queue.add(key);
  };
  host.quota.onChange(enqueueIn);
  const spaces = new MergedChanges({ clock, maxPerSecond: 1, act: enqueueIn });
  host.namespaces?.onChange((change) => {
    const { deletionTimestamp, name } = change.object.metadata;
    if (deletionTimestamp === undefined && !hasOtherLabels(change)) return;
    if ([...users.keys()].some((key) => isIn(key, name))) spaces.add(name);
  });
  const nodes = new MergedChanges({
    clock,
    maxPerSecond: 1,
    act: () => {
      for (const { key, karmada } of keysOf(local))
        if (users.has(key) && usesNodePort(karmada)) queue.add(key, 'low');
    },
  });
  host.nodes?.onChange((change) => {
    if (!sameAddresses(change)) nodes.add('nodes');
  });
}

/** All Karmadas. */
const usersOfLocal = (local: ManagementCluster): HostUsers => ({
  has: () => true,
  keys: () => keysOf(local).map(({ key }) => key),
});

interface KeyedKarmada {
  readonly key: string;
  readonly karmada: Karmada;
}

const keysOf = ({ karmadas }: ManagementCluster): readonly KeyedKarmada[] =>
  karmadas.cache.list().map((karmada) => ({
    key: keyText(keyOf(karmada)),
    karmada,
  }));

/** High priority only counts for a control plane that works: its repair comes before the installation of others. */
export function urgencyOf<P extends Priority | undefined>(
  { karmadas }: Pick<ManagementCluster, 'karmadas'>,
  key: string,
  priority: P,
): P | 'normal' {
  if (priority !== 'high') return priority;
  const [namespace = '', name = ''] = key.split('/');
  const karmada = karmadas.cache.get({ namespace, name });
  return karmada !== undefined && saysReady(karmada) ? priority : 'normal';
}

const saysReady = (karmada: Karmada): boolean => conditionOf(karmada, 'Ready')?.status === 'True';

const isIn = (key: string, namespace: string | undefined): boolean =>
  namespace !== undefined && key.startsWith(`${namespace}/`);

const usesNodePort = ({ spec }: Karmada): boolean =>
  spec?.components?.karmadaAPIServer?.serviceType === 'NodePort';

/** Caches have only the labels that the operator reads: the owner of the namespace has given or taken back the consent. */
const hasOtherLabels = ({ object, previous }: Change): boolean =>
  previous !== undefined &&
  !isDeepStrictEqual(object.metadata.labels ?? {}, previous.metadata.labels ?? {});

function sameAddresses({ object, previous }: Change<Node>): boolean {
  const addressesOf = ({ status }: Node): string => JSON.stringify(status?.addresses);
  return previous !== undefined && addressesOf(object) === addressesOf(previous);
}
