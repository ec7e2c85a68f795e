/** Members of an instance as a pass sees them, and the work that it leaves to be done in them. */
import { whenOn } from '../../api/addon.ts';
import type { Karmada } from '../../api/karmada.ts';
import { CLUSTER_LABEL } from '../../components/karmada-scheduler-estimator/karmada-scheduler-estimator.ts';
import type { Clock, Log, Random } from '../../kubernetes/clock.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { connectMember } from '../../members/grant.ts';
import { selectMembers, type Selection } from '../../members/member.ts';
import { Members } from '../../members/members.ts';
import type { ControlPlane } from '../control-plane.ts';
import { isAccessSecret } from './estimators.ts';
import type { Host } from '../host.ts';
import type { Instance } from '../instance.ts';
import { conditionOf } from '../objects.ts';
import type { ControlPlaneSnapshot, MembersSnapshot, Snapshot } from '../snapshot.ts';

const NOTHING = { members: [], problems: new Map(), notes: new Map() } as const;

const notKnown = (state: 'reading' | 'unknown', message: string): MembersSnapshot => ({
  ...NOTHING,
  state,
  message,
});

/** What is known of the members. They are watched from the moment an instance is to have estimators. */
export function observeMembers(
  instance: Instance,
  { karmada, spec }: Pick<Snapshot, 'karmada' | 'spec'>,
  seen: ControlPlaneSnapshot,
): MembersSnapshot {
  const settings = whenOn(spec.components.karmadaSchedulerEstimator);
  if (settings === undefined) {
    instance.controlPlane?.unwatchClusters();
    return { ...NOTHING, state: 'off', message: '' };
  }
  const objects = readClusters(instance, seen);
  if ('state' in objects) return objects;
  return known(instance, selectMembers(karmada.metadata.name, objects, settings.clusters));
}

function readClusters(
  { controlPlane }: Instance,
  seen: ControlPlaneSnapshot,
): readonly KubernetesObject[] | MembersSnapshot {
  if (seen.state === 'syncing') return notKnown('reading', seen.message);
  if (seen.state !== 'ready')
    return notKnown('unknown', `the control plane cannot be read: ${seen.message}`);
  if (!isServed(seen)) return notKnown('unknown', 'the API that serves them is not available');
  controlPlane?.watchClusters();
  const watch = controlPlane?.clusters;
  if (watch?.problem !== undefined) return notKnown('unknown', watch.problem);
  return watch?.hasSynced === true
    ? watch.clusters()
    : notKnown('reading', 'they have not been read yet');
}

function known({ members }: Instance, { chosen, refused }: Selection): MembersSnapshot {
  const problems = new Map(refused);
  const notes = new Map<string, string>();
  for (const { name } of chosen) {
    const problem = members?.problemOf(name);
    const note = members?.noteOf(name);
    if (problem !== undefined) problems.set(name, problem);
    if (note !== undefined) notes.set(name, note);
  }
  return { state: 'known', message: '', members: chosen, problems, notes };
}

const CLUSTER_API = 'v1alpha1.cluster.karmada.io';

/** Whether Clusters can be read. Once their watch has begun it tells by itself when they cannot. */
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
  readonly enqueue: (key: string) => void;
}

/** Leaves to be done what is due in the members; does not wait for it. */
export function tendMembers(tools: MemberTools, instance: Instance, snapshot: Snapshot): void {
  const { members, host } = snapshot;
  const secrets = host.objects.filter(isAccessSecret);
  if (members.state !== 'known' && members.state !== 'off') return;
  if (members.members.length === 0 && secrets.length === 0) return;
  instance.members ??= openMembers(tools, instance);
  const byCluster = new Map(secrets.map((secret) => [clusterOf(secret), secret]));
  const wanted = members.members.map((member) => {
    const secret = byCluster.get(member.name);
    const credentials = versionOf(instance.controlPlane, member.secret);
    return { member, credentials, ...(secret && { secret }) };
  });
  const names = new Set(members.members.map(({ name }) => name));
  instance.members.tend({
    owner: ownerOf(snapshot.karmada),
    ...(instance.controlPlane && { controlPlane: instance.controlPlane.client }),
    wanted,
    leaving: secrets.filter((secret) => !names.has(clusterOf(secret))),
  });
}

const clusterOf = ({ metadata }: KubernetesObject): string =>
  metadata.labels?.[CLUSTER_LABEL] ?? '';

function versionOf(
  controlPlane: ControlPlane | undefined,
  secret: MembersSnapshot['members'][number]['secret'],
): string {
  return secret === undefined ? '' : (controlPlane?.clusters?.versionOf(secret) ?? '');
}

function openMembers(
  { clock, random, log, host, enqueue }: MemberTools,
  { key }: Instance,
): Members {
  const onChange = (): void => enqueue(key);
  return new Members({ clock, random, log, host, onChange, connect: connectMember(clock) });
}

/** The instance in the words of `src/members`. */
export function ownerOf({ metadata }: Pick<Karmada, 'metadata'>): {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
} {
  const { name, namespace = '', uid = '' } = metadata;
  return { name, namespace, uid };
}
