/** Derives the facts about the members of an etcd from Kubernetes objects and member responses: pure. */
import { COMPONENT } from '../../api/labels.ts';
import { instanceName } from '../../api/naming.ts';
import { durationMs } from '../../api/duration.ts';
import type { Problem } from '../../api/problem.ts';
import { reportsLearners } from '../../components/etcd/join.ts';
import { NOTHING_SEEN, type EtcdView } from '../../etcd/view.ts';
import type { PersistentVolumeClaim, StatefulSet, Service } from '../../kubernetes/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import type { Pod } from '../../kubernetes/pod-kinds.ts';
import { adoptedStep, hasGoTemplate } from '../adoption/adopted-etcd.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { backupIn, storageOf } from '../etcd-bootstrap/bootstrap.ts';
import { recordIn } from '../../etcd-cluster/identity/record.ts';
import { isExisting, membersIn } from '../../etcd-cluster/pods/membership.ts';
import { etcdPods } from '../../etcd-cluster/pods/etcd-pods.ts';
import { etcdWorkload } from '../etcd-storage/plan-etcd.ts';
import { peerSchemeOf, type PeerScheme } from '../../components/etcd/peer-flags.ts';
import { templateScheme } from '../../etcd-cluster/members/peer-tls.ts';
import { claimsByPod } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import { isDurable, settledRevision, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import {
  laggingPods,
  NO_VOLUMES,
  volumeStates,
  type VolumeFacts,
} from '../../etcd-cluster/pods/defects.ts';
import type { MemberFacts } from '../../etcd-cluster/members/facts.ts';
import { nextStep } from './next-step.ts';
import { claimFact, podFact, readsJoin } from './pod-facts.ts';
import type { MemberStep } from '../../etcd-cluster/members/step.ts';

/** Permission to let a Pod join. */
const JOIN_RIGHT = 'patch pods';

/** Default of `replacementGracePeriod`. */
const GRACE_MS = 600_000;

type Subject = Pick<Snapshot, 'karmada' | 'spec' | 'host' | 'missingRights'>;

/** Without a time, no grace period has ended. */
export type Cached = Subject &
  Pick<Snapshot, 'etcd' | 'etcdBootstrap' | 'etcdVolumes' | 'memberStep'> &
  Partial<Pick<Snapshot, 'now'>>;

/** Objects of an etcd: from the cache, or read just now. */
export interface EtcdObjects {
  readonly statefulSet: StatefulSet;
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly view: EtcdView;
  /** Wall clock in milliseconds. */
  readonly now: number;
  readonly volumes: VolumeFacts;
}

/** Returns the next change of the members, from the cache. @returns `none` for an external or missing etcd */
export function memberStep(subject: Cached): MemberStep {
  return subject.memberStep ?? deriveStep(subject);
}

/** Derives the next change of the members once for all users of the snapshot. */
export const withMemberStep = <T extends Cached>(subject: T): T => ({
  ...subject,
  memberStep: deriveStep(subject),
});

function deriveStep(subject: Cached): MemberStep {
  const adopted = adoptedWorkload(subject);
  if (adopted !== undefined && subject.etcdBootstrap?.recovery === undefined)
    return adoptedStep(adopted, subject.spec);
  const facts = changeableFacts(subject);
  return facts === undefined ? { kind: 'none' } : nextStep(facts);
}

/** Returns the facts about an etcd whose members the operator changes. */
export function changeableFacts(subject: Cached): MemberFacts | undefined {
  const isRecovered = subject.etcdBootstrap?.recovery !== undefined;
  return isRecovered || adoptedWorkload(subject) ? undefined : cachedFacts(subject);
}

/** StatefulSet that keeps the Pod template of the Go operator. */
function adoptedWorkload(subject: Cached): KubernetesObject | undefined {
  const statefulSet = etcdWorkload(subject);
  return statefulSet && hasGoTemplate(statefulSet) ? statefulSet : undefined;
}

/** Returns why a member is down that does not return by itself; its Pod tells only that it does not run. */
export function memberDown(subject: Cached): Problem | undefined {
  const step = memberStep(subject);
  if (step.kind !== 'wait' || step.dueAt === undefined) return undefined;
  return { reason: 'EtcdMemberDown', message: step.message };
}

/** @returns undefined for an external or missing etcd */
function cachedFacts(subject: Cached): MemberFacts | undefined {
  const statefulSet = etcdWorkload(subject);
  const { local } = subject.spec.components.etcd;
  if (local === undefined || statefulSet === undefined) return undefined;
  const { pods, claims } = subject.host;
  const { etcd: view = NOTHING_SEEN, etcdVolumes: volumes = NO_VOLUMES, now = 0 } = subject;
  return memberFacts(subject, { statefulSet, pods, claims, view, now, volumes });
}

/** Members that a set needs to keep its data while one of them is replaced. */
const REPLACEABLE = 3;

/**
 * Whether the operator replaces a member that loses its data, so that the Pod of a member with an emptyDir may be
 * restarted.
 */
export function replacesMembers(subject: Cached): boolean {
  const facts = cachedFacts(subject);
  if (facts === undefined) return false;
  // Without the recorded holders of the data a lost member is not recognized.
  const isKnown = facts.pods.every(({ wasMember }) => wasMember);
  return (
    facts.isFormed && facts.replicas >= REPLACEABLE && facts.cannotGrow === undefined && isKnown
  );
}

/** Scheme of the peer listener for the Pod template. @returns undefined for an external or missing etcd */
export function peersOf(subject: Cached): PeerScheme | undefined {
  const facts = cachedFacts(subject);
  return facts && templateScheme(facts, keepsData(subject));
}

/** Whether the data of a running member survives its restart: in its volume, or in the other members. */
export function keepsData(subject: Cached): boolean {
  const statefulSet = etcdWorkload(subject);
  return statefulSet !== undefined && (isDurable(specOf(statefulSet)) || replacesMembers(subject));
}

/** Derives the facts. */
export function memberFacts(subject: Subject, objects: EtcdObjects): MemberFacts {
  const { karmada, spec, host } = subject;
  const { name, namespace = '' } = karmada.metadata;
  const { statefulSet, view, now } = objects;
  const noted = recordIn(backupIn(subject)?.metadata.annotations);
  const record = typeof noted === 'object' ? noted : undefined;
  const set = instanceName(name, 'etcd');
  const members = etcdPods(objects.pods);
  const claims = claimsByPod(objects.claims, members);
  const data = record?.data && new Set(record.data);
  const volumes = volumeStates(objects.volumes);
  const known = { claims, record, data, volumes, lagging: laggingPods(view) };
  return {
    ...wishes(subject),
    replicas: membersIn(statefulSet),
    isFormed: isExisting(statefulSet) && record?.state === 'born',
    templateCanJoin: settledRevision(statefulSet) !== undefined && templateReadsJoin(statefulSet),
    excludesUnready: excludesUnready(host.objects, instanceName(name, 'etcd-client')),
    view,
    now,
    ...(peerSchemeOf(statefulSet) === 'http' && { peers: 'http' as const }),
    pods: members.flatMap((pod) => podFact(name, pod, known)),
    claims: objects.claims.flatMap((claim) => claimFact(name, claim, record)),
    statefulSet: set,
    domain: `${set}.${namespace}.svc.${spec.hostCluster.networking.dnsDomain}`,
  };
}

/** What the spec asks for. */
function wishes({
  spec,
  missingRights = [],
}: Pick<Subject, 'spec' | 'missingRights'>): Pick<
  MemberFacts,
  'wanted' | 'cannotGrow' | 'storage' | 'deletesClaims' | 'graceMs'
> {
  const { local } = spec.components.etcd;
  const refusal = growthRefusal(local?.imageTag ?? '', missingRights);
  return {
    wanted: local?.replicas ?? 1,
    storage: storageOf({ spec }),
    graceMs: graceMsOf(local?.replacementGracePeriod),
    deletesClaims: local?.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete',
    ...(refusal && { cannotGrow: refusal }),
  };
}

const graceMsOf = (given = ''): number => durationMs(given) ?? GRACE_MS;

const templateReadsJoin = (statefulSet: StatefulSet): boolean =>
  readsJoin(specOf(statefulSet).template?.spec);

function excludesUnready(objects: readonly KubernetesObject[], service: string): boolean {
  const found: Service | undefined = objects.find(
    ({ kind, metadata }) =>
      kind === 'Service' && metadata.name === service && metadata.labels?.[COMPONENT] === 'etcd',
  );
  const { publishNotReadyAddresses = false } = found?.spec ?? {};
  return found !== undefined && !publishNotReadyAddresses;
}

function growthRefusal(imageTag: string, missingRights: readonly string[]): Problem | undefined {
  if (missingRights.includes(JOIN_RIGHT))
    return {
      reason: 'HostRightsMissing',
      message: `etcd: no member is added, because the operator lacks the permission to ${JOIN_RIGHT}; apply the current role`,
    };
  if (reportsLearners(imageTag)) return undefined;
  return {
    reason: 'EtcdMembersBlocked',
    message: `spec.components.etcd.local.imageTag: ${imageTag} is no etcd release that reports members without a vote as not ready, so no member is added; set 3.5.19 or later first`,
  };
}
