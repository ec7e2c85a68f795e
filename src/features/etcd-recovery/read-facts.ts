/** Derives the facts about a recovery from Kubernetes objects and member responses: pure. */
import { COMPONENT } from '../../api/labels.ts';
import { isAnswer, type EtcdResult } from '../../etcd/member-status.ts';
import type { EtcdView } from '../../etcd/view.ts';
import type { PersistentVolumeClaim, StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/objects/object.ts';
import { endsSoon } from '../../etcd-cluster/pods/short-grace.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { isPaused } from '../../instance/pause.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { storageOf } from '../etcd-bootstrap/bootstrap.ts';
import { recordIn, type EtcdRecord, type Recovery } from '../../etcd-cluster/identity/record.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { etcdPods, serves } from '../../etcd-cluster/pods/etcd-pods.ts';
import { tokenIn } from '../../etcd-cluster/pods/membership.ts';
import { claimVolume } from '../../etcd-cluster/storage/persistent-volume-claims.ts';
import type {
  FormerClaim,
  RecoveryFacts,
  RestorePod,
  SlowClient,
} from '../../etcd-cluster/recovery/facts.ts';
import { confirmedMember } from '../../etcd-cluster/recovery/confirmed-member.ts';
import { replacedEtcd } from './replaced-etcd.ts';
import { rootForbidden } from './root-forbidden.ts';
import { restoreProblem } from './restore-problem.ts';
import { RECOVERY_ANNOTATION, restoreClaimName, restorePodName } from './restore-pod.ts';
import { requestedRecovery } from '../../etcd-cluster/recovery/request.ts';
import { storedData } from '../../etcd-cluster/recovery/stored-data.ts';
import { refusalOf, survivorsOf, type Present } from '../../etcd-cluster/recovery/survivors.ts';

/** Label of a PVC of a former cluster, which a recovery keeps: the ID of that cluster. */
export const KEPT_LABEL = 'operator.karmada.io/etcd-kept';

/** Components that write to etcd. */
export const ETCD_CLIENTS: ReadonlySet<string> = new Set([
  'karmada-apiserver',
  'karmada-aggregated-apiserver',
  'karmada-search',
]);

type Subject = Pick<Snapshot, 'karmada' | 'spec' | 'missingRights' | 'tenantPods' | 'podSecurity'>;

/** Objects of a control plane, read just now. */
export interface RecoveryObjects {
  readonly backup: KubernetesObject | undefined;
  readonly statefulSet: StatefulSet | undefined;
  /** All Pods of the control plane. */
  readonly pods: readonly Pod[];
  /** All PVCs of the namespace. */
  readonly claims: readonly PersistentVolumeClaim[];
  readonly view: EtcdView;
  /** Response of the member in the restore Pod. */
  readonly restored?: EtcdResult | undefined;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

/** Derives the facts. */
export function recoveryFacts(subject: Subject, objects: RecoveryObjects): RecoveryFacts {
  const { statefulSet, view } = objects;
  const record = recordOf(objects.backup);
  const [cluster] = view.clusters;
  const clients = clientsIn(objects.pods);
  return {
    ...confirmationFacts(subject, objects, record),
    record,
    ...(cluster && { clusterID: cluster.id }),
    ...(statefulSet && {
      statefulSet: { token: tokenIn(statefulSet), isTerminating: isTerminating(statefulSet) },
    }),
    clients: clients.map(({ metadata }) => metadata.name),
    slowClients: slowClients(clients, record?.recovery),
    ...(record?.recovery && restoreObjects(subject, objects, record.recovery)),
    formerClaims: formerClaims(subject, objects.claims, record),
  };
}

/** The annotation, and how it compares with the members. */
function confirmationFacts(
  subject: Subject,
  objects: RecoveryObjects,
  record: EtcdRecord | undefined,
): Pick<
  RecoveryFacts,
  'requested' | 'refusal' | 'hasQuorum' | 'hasSurvivors' | 'isReplaced' | 'newestRevision'
> {
  const { annotations } = subject.karmada.metadata;
  const requested = requestedRecovery({ ...objects, annotations, record });
  const { from = requested, phase } = record?.recovery ?? {};
  const present = presentOf(subject, objects, { record, from });
  return {
    hasSurvivors: hasSurvivors(present),
    ...(requested !== undefined && { requested }),
    ...(from !== undefined && comparedWith(from, present)),
    ...(present.replaced && { isReplaced: true }),
    hasQuorum: present.view.quorum || (phase !== 'switching' && isAnyReady(present)),
  };
}

/** Members that serve may have more than the restored data, also if the operator does not reach them. */
const hasSurvivors = (present: Present): boolean =>
  survivorsOf(present.view).length > 0 || (present.replaced !== undefined && isAnyReady(present));

function comparedWith(
  from: string,
  present: Present,
): Pick<RecoveryFacts, 'refusal' | 'newestRevision'> {
  const refusal = refusalOf(from, present);
  const newestRevision = newestOf(present.view, from);
  return {
    ...(refusal !== undefined && { refusal }),
    ...(newestRevision !== undefined && { newestRevision }),
  };
}

/** Highest revision of the members of the cluster that a value names. */
function newestOf({ answers }: EtcdView, from: string): string | undefined {
  const cluster = confirmedMember(from)?.clusterID;
  const own = answers.filter(({ clusterId }) => clusterId === cluster);
  return own.map(({ revision }) => revision).toSorted(byNumber)[0];
}

/** Descending. */
const byNumber = (one: string, other: string): number => (BigInt(one) > BigInt(other) ? -1 : 1);

/** The kubelet reports a ready member also if the operator does not reach it. */
const isAnyReady = ({ ready }: Present): boolean => ready.length > 0;

/** Record in the CA backup Secret; undefined if it is missing or not valid. */
export function recordOf(backup: KubernetesObject | undefined): EtcdRecord | undefined {
  const noted = recordIn(backup?.metadata.annotations);
  return typeof noted === 'object' ? noted : undefined;
}

/** What the confirmation of a user is compared with. @param with `from` is the value of the annotation */
export function presentOf(
  subject: Subject,
  objects: Pick<RecoveryObjects, 'pods' | 'view' | 'claims' | 'statefulSet'>,
  { record, from }: { readonly record: EtcdRecord | undefined; readonly from: string | undefined },
): Present {
  const { karmada, spec, missingRights = [] } = subject;
  const { pods, view, claims, statefulSet } = objects;
  const ready = etcdPods(pods).filter(serves);
  const isBegun = record?.recovery?.isUnrecorded === true;
  const replaced = replacedEtcd(statefulSet, view, { from, isBegun });
  return {
    ...(replaced && { replaced }),
    ...optionalField('rootForbidden', rootForbidden(subject, statefulSet, record)),
    view,
    record,
    missingRights,
    storage: storageOf({ spec }),
    ready: ready.map(({ metadata }) => metadata.name),
    stored: storedData(karmada.metadata.name, record, claims),
  };
}

/**
 * Pods that are deleted before their Deployments are scaled to 0. Those that replace them meanwhile end with the Deployments:
 * otherwise an operator that is killed after each of its writes would delete Pods for ever.
 */
function slowClients(
  clients: readonly Pod[],
  recovery: Recovery | undefined,
): readonly SlowClient[] {
  const { clients: first } = recovery ?? {};
  return clients
    .filter(({ metadata }) => !endsSoon(metadata))
    .map(({ metadata: { name, uid = '' } }) => ({ name, uid }))
    .filter(({ uid }) => first?.includes(uid) ?? true);
}

/** Pods of components that write to etcd. */
export const clientsIn = (pods: readonly Pod[]): readonly Pod[] => pods.filter(isClient);

const isClient = (pod: Pod): boolean =>
  ETCD_CLIENTS.has(pod.metadata.labels?.[COMPONENT] ?? '') && !hasEnded(pod);

function hasEnded(pod: Pod): boolean {
  const { phase = '' } = pod.status ?? {};
  return phase === 'Succeeded' || phase === 'Failed';
}

function restoreObjects(
  { karmada }: Pick<Subject, 'karmada'>,
  objects: RecoveryObjects,
  recovery: Recovery,
): Pick<RecoveryFacts, 'claim' | 'pod'> {
  const { name } = karmada.metadata;
  const claim = named(objects.claims, restoreClaimName(name, recovery));
  const pod = named(objects.pods, restorePodName(name));
  return {
    ...(claim && { claim: ownOf(claim, recovery.token) }),
    ...(pod && { pod: restorePodOf(pod, recovery.token, objects) }),
  };
}

const named = (objects: readonly KubernetesObject[], name: string): KubernetesObject | undefined =>
  objects.find(({ metadata }) => metadata.name === name);

const ownOf = (object: KubernetesObject, token: string): NonNullable<RecoveryFacts['claim']> => ({
  name: object.metadata.name,
  uid: object.metadata.uid ?? '',
  isOurs: object.metadata.annotations?.[RECOVERY_ANNOTATION] === token,
  isTerminating: isTerminating(object),
  isPaused: isPaused(object),
});

function restorePodOf(
  pod: Pod,
  token: string,
  { restored, now }: Pick<RecoveryObjects, 'restored' | 'now'>,
): RestorePod {
  const problem = restoreProblem(pod);
  const answer = restored !== undefined && isAnswer(restored) ? restored : undefined;
  return {
    ...ownOf(pod, token),
    // The main container never ends by itself.
    hasFailed: hasEnded(pod),
    ...(problem !== undefined && { problem }),
    ageMs: now - parseTime(pod.metadata.creationTimestamp),
    ...(answer && {
      answer: {
        clusterID: answer.clusterId,
        revision: answer.revision,
        isLeader: answer.leaderId === answer.memberId,
      },
    }),
  };
}

/** etcd PVCs that are not those of the new cluster. */
function formerClaims(
  { karmada }: Pick<Subject, 'karmada'>,
  claims: readonly PersistentVolumeClaim[],
  record: EtcdRecord | undefined,
): readonly FormerClaim[] {
  const { volume } = record?.recovery ?? {};
  if (volume === undefined) return [];
  return claims.flatMap(({ metadata: { name, uid = '', labels = {} } }) => {
    const own = claimVolume(karmada.metadata.name, name);
    if (own === undefined || own === volume) return [];
    const kept = labels[KEPT_LABEL];
    return [{ name, uid, ...(kept !== undefined && { kept }) }];
  });
}
