/** Derives the facts about the members of an etcd from Kubernetes objects and member responses: pure. */
import { COMPONENT } from '../../../api/labels.ts';
import { instanceName } from '../../../api/naming.ts';
import type { Problem } from '../../../api/problem.ts';
import {
  JOIN_ANNOTATION,
  JOIN_VARIABLE,
  reportsLearners,
  READY_PATH,
} from '../../../components/etcd/join.ts';
import type { PodSpec } from '../../../components/workload.ts';
import { NOTHING_SEEN, type EtcdView } from '../../../etcd/view.ts';
import { conditionOf, isTerminating, type KubernetesObject } from '../../../kubernetes/object.ts';
import { adoptedStep, hasGoTemplate } from '../../adoption/adopted-etcd.ts';
import { isPaused } from '../../pause.ts';
import type { Snapshot } from '../../snapshot.ts';
import { backupIn, storageOf } from '../birth/birth.ts';
import { hasLost } from '../birth/data-loss.ts';
import { claimAnnotationIn, recordIn, type EtcdRecord } from '../birth/record.ts';
import { isSealed, membersIn } from '../membership.ts';
import { claimOrdinal, podOrdinal } from '../persistent-volume-claims.ts';
import { isDown, neverRan, restartsOf, etcdPods } from '../etcd-pods.ts';
import { isUnbound } from '../plan-storage.ts';
import { etcdWorkload } from '../plan-etcd.ts';
import {
  hasPeerCertificate,
  peerSchemeOf,
  type PeerScheme,
} from '../../../components/etcd/peer-flags.ts';
import { templateScheme } from '../peer-tls/rules.ts';
import { isDurable, settledRevision, specOf } from '../stateful-set.ts';
import type { MemberClaim, MemberFacts, MemberPod } from './facts.ts';
import { nextStep } from './next-step.ts';
import type { MemberStep } from './step.ts';

/** Annotation of a Pod that has joined a cluster: its volume has the data of a member. */
export const JOINED_ANNOTATION = 'operator.karmada.io/etcd-joined';

/** Permission to let a Pod join. */
const JOIN_RIGHT = 'patch pods';

/** Failures after which the kubelet waits longer than 20 s before the next start. */
const BACKING_OFF = 3;

type Subject = Pick<Snapshot, 'karmada' | 'spec' | 'host' | 'etcd' | 'missingRights'>;

/** Objects of an etcd: from the cache, or read just now. */
export interface EtcdObjects {
  readonly statefulSet: KubernetesObject;
  readonly pods: readonly KubernetesObject[];
  readonly claims: readonly KubernetesObject[];
  readonly view: EtcdView;
}

/** Returns the next change of the members, from the cache. @returns `none` for an external or missing etcd */
export function memberStep(subject: Subject): MemberStep {
  const statefulSet = etcdWorkload(subject);
  if (statefulSet !== undefined && hasGoTemplate(statefulSet))
    return adoptedStep(statefulSet, subject.spec);
  const facts = cachedFacts(subject);
  return facts === undefined ? { kind: 'none' } : nextStep(facts);
}

/** @returns undefined for an external or missing etcd */
function cachedFacts(subject: Subject): MemberFacts | undefined {
  const statefulSet = etcdWorkload(subject);
  const { local } = subject.spec.components.etcd;
  if (local === undefined || statefulSet === undefined) return undefined;
  const { pods, claims } = subject.host;
  return memberFacts(subject, { statefulSet, pods, claims, view: subject.etcd ?? NOTHING_SEEN });
}

/** Members that a set needs to keep its data while one of them is replaced. */
const REPLACEABLE = 3;

/**
 * Whether the operator replaces a member that loses its data, so that the Pod of a member with an emptyDir may be
 * restarted.
 */
export function replacesMembers(subject: Subject): boolean {
  const facts = cachedFacts(subject);
  if (facts === undefined) return false;
  // Without the recorded holders of the data a lost member is not recognized.
  const isKnown = facts.pods.every(({ wasMember }) => wasMember);
  return (
    facts.isFormed && facts.replicas >= REPLACEABLE && facts.cannotGrow === undefined && isKnown
  );
}

/** Scheme of the peer listener for the Pod template. @returns undefined for an external or missing etcd */
export function peersOf(subject: Subject): PeerScheme | undefined {
  const facts = cachedFacts(subject);
  return facts && templateScheme(facts, keepsData(subject));
}

/** Whether the data of a running member survives its restart: in its volume, or in the other members. */
export function keepsData(subject: Subject): boolean {
  const statefulSet = etcdWorkload(subject);
  return statefulSet !== undefined && (isDurable(specOf(statefulSet)) || replacesMembers(subject));
}

/** Derives the facts. */
export function memberFacts(subject: Subject, objects: EtcdObjects): MemberFacts {
  const { karmada, spec, host } = subject;
  const { name, namespace = '' } = karmada.metadata;
  const { statefulSet, view } = objects;
  const noted = recordIn(backupIn(subject)?.metadata.annotations);
  const record = typeof noted === 'object' ? noted : undefined;
  const set = instanceName(name, 'etcd');
  return {
    ...wishes(subject),
    replicas: membersIn(statefulSet),
    isFormed: isSealed(statefulSet) && record?.state === 'born',
    templateCanJoin: settledRevision(statefulSet) !== undefined && templateReadsJoin(statefulSet),
    excludesUnready: excludesUnready(host.objects, instanceName(name, 'etcd-client')),
    view,
    ...(peerSchemeOf(statefulSet) === 'http' && { peers: 'http' as const }),
    pods: etcdPods(objects.pods).flatMap((pod) => podFact(name, pod, { ...objects, record })),
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
  'wanted' | 'cannotGrow' | 'storage' | 'deletesClaims'
> {
  const { local } = spec.components.etcd;
  const refusal = growthRefusal(local?.imageTag ?? '', missingRights);
  return {
    wanted: local?.replicas ?? 1,
    storage: storageOf({ spec }),
    deletesClaims: local?.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete',
    ...(refusal && { cannotGrow: refusal }),
  };
}

const templateReadsJoin = (statefulSet: KubernetesObject): boolean =>
  readsJoin(specOf(statefulSet).template?.spec as PodSpec | undefined);

interface Known {
  readonly claims: readonly KubernetesObject[];
  readonly record: EtcdRecord | undefined;
}

function podFact(karmada: string, pod: KubernetesObject, known: Known): readonly MemberPod[] {
  const { name, uid = '', annotations = {} } = pod.metadata;
  const ordinal = podOrdinal(karmada, name);
  if (ordinal === undefined) return [];
  const { [JOIN_ANNOTATION]: join = '', [JOINED_ANNOTATION]: joined } = annotations;
  return [
    {
      ...{ ordinal, name, uid },
      isScheduled: conditionOf(pod, 'PodScheduled')?.status === 'True',
      isTerminating: isTerminating(pod),
      isPaused: isPaused(pod),
      canJoin: readsJoin(pod['spec'] as PodSpec | undefined),
      ...(join !== '' && { join }),
      hasLostData: joined === undefined && hasLostData(pod, known),
      isBackingOff: isBackingOff(pod),
      ...peerFacts(pod),
      wasMember: joined !== undefined || isHolder(uid, known),
    },
  ];
}

/** How other members connect to the member of a Pod, and it to them. */
const peerFacts = (
  pod: KubernetesObject,
): Pick<MemberPod, 'listensHttp' | 'lacksPeerCertificate'> => ({
  ...(peerSchemeOf(pod) === 'http' && { listensHttp: true }),
  ...(!hasPeerCertificate(pod) && { lacksPeerCertificate: true }),
});

const isHolder = (uid: string, { record }: Known): boolean => record?.data?.includes(uid) === true;

const isBackingOff = (pod: KubernetesObject): boolean =>
  isDown(pod) && !neverRan(pod) && restartsOf(pod) >= BACKING_OFF;

/** Without the holders of the data in the record nothing is known. */
const hasLostData = (pod: KubernetesObject, { claims, record }: Known): boolean =>
  record?.data !== undefined && hasLost(pod, { claims, record }, record.data);

function claimFact(
  karmada: string,
  claim: KubernetesObject,
  record: EtcdRecord | undefined,
): readonly MemberClaim[] {
  const { name, uid = '', annotations } = claim.metadata;
  const ordinal = claimOrdinal(karmada, name);
  if (ordinal === undefined) return [];
  const stamp = claimAnnotationIn(annotations);
  const content =
    typeof stamp !== 'object'
      ? 'unknown'
      : stamp.clusterID === record?.clusterID
        ? 'thisCluster'
        : 'otherCluster';
  const state = { isTerminating: isTerminating(claim), isPaused: isPaused(claim) };
  return [{ ordinal, name, uid, ...state, isUnbound: isUnbound(claim), content }];
}

/** Whether a Pod reads the join annotation, and reports a learner as not ready. */
function readsJoin(spec: PodSpec | undefined): boolean {
  const [etcd] = spec?.containers ?? [];
  const reads = etcd?.env?.some(({ name }) => name === JOIN_VARIABLE) === true;
  return reads && etcd.readinessProbe?.httpGet?.path === READY_PATH;
}

function excludesUnready(objects: readonly KubernetesObject[], service: string): boolean {
  const found = objects.find(
    ({ kind, metadata }) =>
      kind === 'Service' && metadata.name === service && metadata.labels?.[COMPONENT] === 'etcd',
  );
  const { publishNotReadyAddresses = false } = (found?.['spec'] ?? {}) as {
    publishNotReadyAddresses?: boolean;
  };
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
