/** Observes the member clusters of a control plane and starts the background work for their estimators. */
import { ifEnabled } from '../../api/addon.ts';
import type { Karmada } from '../../api/karmada.ts';
import { CLUSTER_LABEL } from '../../components/karmada-scheduler-estimator/karmada-scheduler-estimator.ts';
import type { AddressesOf } from '../../kubernetes/connection/addresses.ts';
import type { Clock, Log, Random } from '../../kubernetes/time/clock.ts';
import type { Priority } from '../../kubernetes/fairness/fair-order.ts';
import type { OnCalls } from '../../kubernetes/client/finished-call.ts';
import { conditionOf, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { namespaceOf } from '../../kubernetes/objects/resources.ts';
import type { Term } from '../../kubernetes/time/term.ts';
import { connectMember } from '../../member-clusters/member-api.ts';
import type { ClusterWatch } from '../../member-clusters/cluster-watch.ts';
import { clusterState } from '../../member-clusters/cluster-state.ts';
import { selectMembers, type Selection } from '../../member-clusters/member-cluster.ts';
import { MemberAccessManager, type DesiredMember } from '../../member-clusters/access-manager.ts';
import type { SyncMembers } from '../../actions/action.ts';
import { existingEstimators, isAccessSecret } from './estimators.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Done } from '../../actions/execution-result.ts';
import { isPaused } from '../../instance/pause.ts';
import type {
  ControlPlaneSnapshot,
  JoinedCluster,
  MembersSnapshot,
  Snapshot,
} from '../../instance/snapshot.ts';

const NOTHING = {
  members: [],
  credentials: new Map(),
  problems: new Map(),
  notes: new Map(),
} as const;

const notKnown = (state: 'reading' | 'unknown', message: string): MembersSnapshot => ({
  ...NOTHING,
  state,
  message,
});

/**
 * Returns what the operator knows about the member clusters: their state, and which of them need estimators.
 * @param seen state of the control plane, whose cluster API serves the Clusters
 */
export function observeMembers(
  instance: InstanceCache,
  { karmada, spec, host }: Pick<Snapshot, 'karmada' | 'spec' | 'host'>,
  seen: ControlPlaneSnapshot,
): Pick<Snapshot, 'members' | 'memberClusters'> {
  const objects = readClusters(instance, seen);
  const isKnown = !('state' in objects);
  const watch = instance.controlPlane?.clusters;
  const joined = isKnown && watch && { memberClusters: joinedClusters(watch) };
  const settings = ifEnabled(spec.components.karmadaSchedulerEstimator);
  if (settings === undefined)
    return { members: { ...NOTHING, state: 'off', message: '' }, ...joined };
  if (!isKnown) return { members: objects };
  const existing = existingEstimators(host.objects);
  const selector = { clusters: settings.clusters, existing };
  const selection = selectMembers(karmada.metadata.name, objects, selector);
  return { members: known(instance, selection), ...joined };
}

/** Returns the member clusters of a control plane from a watch whose caches are complete. */
export function joinedClusters(
  watch: Pick<ClusterWatch, 'clusters' | 'credentialExpiries'>,
): readonly JoinedCluster[] {
  const expiries = watch.credentialExpiries();
  return watch.clusters().map((object): JoinedCluster => {
    const expiry = expiries.get(object.metadata.name);
    return { ...clusterState(object), ...(expiry !== undefined && { expiry }) };
  });
}

function readClusters(
  { controlPlane }: InstanceCache,
  seen: ControlPlaneSnapshot,
): readonly KubernetesObject[] | MembersSnapshot {
  if (seen.state === 'syncing') return notKnown('reading', seen.message);
  if (seen.state !== 'ready')
    return notKnown('unknown', `control plane: not readable (${seen.message})`);
  if (!isServed(seen)) return notKnown('unknown', `APIService ${CLUSTER_API}: not available`);
  controlPlane?.watchClusters();
  const watch = controlPlane?.clusters;
  if (watch?.problem !== undefined) return notKnown('unknown', watch.problem);
  return watch?.hasSynced === true
    ? watch.clusters()
    : notKnown('reading', 'the Clusters have not been read yet');
}

function known(
  { members, controlPlane }: InstanceCache,
  { chosen, refused }: Selection,
): MembersSnapshot {
  const problems = new Map(refused);
  const notes = new Map<string, string>();
  const credentials = new Map<string, string>();
  for (const { name, secret } of chosen) {
    if (secret !== undefined)
      credentials.set(name, controlPlane?.clusters?.versionOf(secret) ?? '');
    const problem = members?.problemOf(name);
    const note = members?.noteOf(name);
    if (problem !== undefined) problems.set(name, problem);
    if (note !== undefined) notes.set(name, note);
  }
  return { state: 'known', message: '', members: chosen, credentials, problems, notes };
}

const CLUSTER_API = 'v1alpha1.cluster.karmada.io';

/** Whether the cluster API is available. A started watch reports its own failures. */
function isServed({ objects }: ControlPlaneSnapshot): boolean {
  const api = objects.find(
    ({ kind, metadata }) => kind === 'APIService' && metadata.name === CLUSTER_API,
  );
  return api !== undefined && conditionOf(api, 'Available')?.status === 'True';
}

export interface MemberTools {
  readonly host: Host;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly enqueue: (key: string, priority?: Priority) => void;
  /** Addresses that member clusters may have. */
  readonly addresses: AddressesOf;
  /** See `ClientOptions`. */
  readonly term?: Term;
  /** Receives the calls to control planes and member clusters. */
  readonly onCalls?: OnCalls;
}

/**
 * Returns the action that updates the access in the member clusters; none while the member clusters are not known. A
 * member cluster whose access Secret has the pause annotation is left out.
 */
export function memberActions({
  members,
  host,
  karmada,
}: Pick<Snapshot, 'members' | 'host' | 'karmada'>): readonly SyncMembers[] {
  const secrets = host.objects.filter(isAccessSecret);
  if (members.state !== 'known' && members.state !== 'off') return [];
  if (members.members.length === 0 && secrets.length === 0) return [];
  const byCluster = new Map(secrets.map((secret) => [clusterOf(secret), secret]));
  const wanted = members.members.map((member): DesiredMember => {
    const secret = byCluster.get(member.name);
    const credentials = members.credentials.get(member.name) ?? '';
    return { member, credentials, ...(secret && { secret }) };
  });
  const names = new Set(members.members.map(({ name }) => name));
  return [
    {
      kind: 'syncMembers',
      owner: ownerOf(karmada),
      wanted: wanted.filter(({ secret }) => secret === undefined || !isPaused(secret)),
      leaving: secrets.filter((secret) => !names.has(clusterOf(secret)) && !isPaused(secret)),
    },
  ];
}

/** Starts the work in the member clusters in the background, without waiting for it. */
export function syncMembers(
  tools: MemberTools,
  instance: InstanceCache,
  { owner, wanted, leaving }: SyncMembers,
): Done {
  instance.members ??= openMembers(tools, instance);
  const { controlPlane } = instance;
  const client = controlPlane && { controlPlane: controlPlane.client };
  instance.members.sync({ owner, ...client, wanted, leaving });
  return {};
}

const clusterOf = ({ metadata }: KubernetesObject): string =>
  metadata.labels?.[CLUSTER_LABEL] ?? '';

function openMembers(
  { clock, random, log, host, enqueue, addresses, term, onCalls }: MemberTools,
  { key }: InstanceCache,
): MemberAccessManager {
  const onChange = (): void => enqueue(key);
  const connect = connectMember({
    clock,
    addresses: addresses(namespaceOf(key)),
    ...(term && { term }),
    ...(onCalls && { onCalls }),
  });
  return new MemberAccessManager({ clock, random, log, host, onChange, connect });
}

/** Returns the Karmada as the owner of access Secrets, in the form that `src/members` uses. */
export function ownerOf({ metadata }: Pick<Karmada, 'metadata'>): {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
} {
  const { name, namespace = '', uid = '' } = metadata;
  return { name, namespace, uid };
}
