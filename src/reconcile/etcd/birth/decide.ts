/**
 * Whether an etcd that has no StatefulSet may be made anew: pure. A new cluster takes proof that there is no data; what
 * may hold data is started with the members that it had, or not at all.
 */
import type { Problem } from '../../../api/problem.ts';
import { instanceName } from '../../../api/naming.ts';
import { START_EMPTY_ANNOTATION, type EtcdRecord, type Noted } from './record.ts';
import { foreignClaims, type ClaimEvidence } from './foreign-claims.ts';

/** A pod with the name of an etcd member. */
export interface PodEvidence {
  readonly name: string;
  readonly ordinal: number;
  readonly neverRan: boolean;
  /** Whether it is being deleted, or will be with the StatefulSet that it belonged to. */
  readonly isTerminating: boolean;
}

/** Where members keep their data. */
export type Storage = 'volumeClaim' | 'hostPath' | 'emptyDir';

/** What there is of an etcd, by reads of the API server itself. */
export interface EtcdEvidence {
  /** `metadata` of the Karmada. */
  readonly karmada: { readonly name: string; readonly uid: string };
  /** The first read that failed: nothing is known then. */
  readonly unread?: string;
  /** Number of members in the flags of the StatefulSet, if there is one. */
  readonly statefulSet?: { readonly members: number };
  readonly claims: readonly ClaimEvidence[];
  readonly pods: readonly PodEvidence[];
  /** Names of PersistentVolumes that are kept for such a claim, without the claim. */
  readonly volumes: readonly string[];
  readonly record: Noted<EtcdRecord>;
  /** SHA-256 of the certificates of etcd's CA that are trusted; the one that signs first. */
  readonly authorities: readonly string[];
  /** Whether this Karmada was ready once. */
  readonly wasReady: boolean;
  /** Value of the annotation on the Karmada. */
  readonly startEmpty?: string;
}

/** What the Karmada asks for. */
export interface WantedEtcd {
  readonly replicas: number;
  readonly storage: Storage;
}

export type BirthDecision =
  /** A new cluster. @property gaveUp id of the lost one whose data is given up */
  | { readonly kind: 'new'; readonly members: number; readonly gaveUp?: string }
  /** A cluster with data, with the members that it had. */
  | { readonly kind: 'existing'; readonly members: number }
  | ({ readonly kind: 'hold' } & Problem)
  /** A record of data, and no data. */
  | ({ readonly kind: 'dataLost'; readonly id: string } & Problem);

/** What may be made. Never `new` while anything may hold data, or was not read. */
export function decideEtcdBirth(evidence: EtcdEvidence, wanted: WantedEtcd): BirthDecision {
  const { unread, record, statefulSet, karmada } = evidence;
  const set = `StatefulSet ${instanceName(karmada.name, 'etcd')}`;
  if (unread !== undefined)
    return hold(
      'EtcdEvidenceUnread',
      `${set}: not created, because the operator could not read whether there is etcd data (${unread}); the operator retries`,
    );
  if (record === 'unreadable')
    return hold(
      'EtcdRecordUnreadable',
      `Secret ${instanceName(karmada.name, 'ca-backup')}: its annotation operator.karmada.io/etcd-record is not valid; restore the annotation from a backup`,
    );
  if (statefulSet !== undefined) return { kind: 'existing', members: statefulSet.members };
  const known = { ...evidence, record };
  return ofClaims(known, wanted) ?? ofPods(known, wanted) ?? ofNothing(known, wanted);
}

type Known = EtcdEvidence & { readonly record: EtcdRecord | undefined };

const hold = (reason: string, message: string): BirthDecision => ({
  kind: 'hold',
  reason,
  message,
});

/** Whether the data of that very cluster was given up, and the empty start is still to come. */
function givesUp({ record, startEmpty }: Known, id: string): boolean {
  const isDone = record?.startedEmpty?.includes(id) === true;
  if (isDone) return record.state === 'unborn';
  return startEmpty === id;
}

/** Id of the cluster that the data should be of. */
const lostId = ({ record, karmada }: Known): string | undefined =>
  record?.clusterID ?? (record?.startedEmpty?.includes(karmada.uid) ? undefined : karmada.uid);

function ofClaims(known: Known, wanted: WantedEtcd): BirthDecision | undefined {
  const claims = known.claims.filter(({ isUnbound }) => !isUnbound);
  if (claims.length === 0) return undefined;
  const names = claims.map(({ name }) => name).join(', ');
  const leaving = claims.filter(({ isTerminating }) => isTerminating).map(({ name }) => name);
  if (leaving.length > 0)
    return hold(
      'EtcdClaimsTerminating',
      `PersistentVolumeClaim ${leaving.join(', ')}: is being deleted; etcd is created when it is gone`,
    );
  const refused = foreignClaims(claims, known);
  if (refused !== undefined) return { kind: 'hold', ...refused };
  if (known.record?.clusterID !== undefined && givesUp(known, known.record.clusterID))
    return hold(
      'EtcdClaimsKept',
      `PersistentVolumeClaim ${names}: may hold data of etcd cluster ${known.record.clusterID}, which the annotation ${START_EMPTY_ANNOTATION} gives up; the operator creates the empty etcd when no claim of these names is left, and goes on with their data without the annotation`,
    );
  if (wanted.storage !== 'volumeClaim')
    return hold(
      'EtcdStorageHeld',
      `spec.components.etcd.local.volumeData: asks for ${wanted.storage}, but the etcd data of this control plane is in PersistentVolumeClaim ${names}; set volumeClaim`,
    );
  return { kind: 'existing', members: membersOfClaims(claims, known.record) };
}

/** The members that the claims had, by their own word, then by the record's, then by their names. */
function membersOfClaims(claims: readonly ClaimEvidence[], record: EtcdRecord | undefined): number {
  const counts = claims.flatMap(({ stamp }) =>
    stamp === undefined || stamp === 'unreadable' ? [] : [stamp.members],
  );
  if (counts.length > 0) return Math.max(...counts);
  return record?.members ?? Math.max(...claims.map(({ ordinal }) => ordinal)) + 1;
}

/** Data may be in pods that a StatefulSet left behind. */
function ofPods({ pods, record }: Known, { storage }: WantedEtcd): BirthDecision | undefined {
  const used = pods.filter(({ neverRan }) => !neverRan);
  if (used.length === 0) return undefined;
  const leaving = used.filter(({ isTerminating }) => isTerminating).map(({ name }) => name);
  if (leaving.length > 0 || storage === 'volumeClaim')
    return hold(
      'EtcdPodsLeft',
      `Pod ${(leaving.length > 0 ? leaving : used.map(({ name }) => name)).join(', ')}: is left of an earlier etcd; etcd is created when it is gone`,
    );
  const members = record?.members ?? Math.max(...used.map(({ ordinal }) => ordinal)) + 1;
  return { kind: 'existing', members };
}

function ofNothing(known: Known, { replicas, storage }: WantedEtcd): BirthDecision {
  const { record, volumes, wasReady } = known;
  const anew: BirthDecision = { kind: 'new', members: replicas };
  if (record?.state === 'unborn' && record.startedEmpty !== undefined) return anew;
  const id = record?.state === 'born' || wasReady ? lostId(known) : undefined;
  if (id !== undefined) return ofLost(known, id, { replicas, storage });
  if (volumes.length === 0) return anew;
  return hold(
    'EtcdVolumesFound',
    `PersistentVolume ${volumes.join(', ')}: kept for a claim of this control plane's etcd and may hold its data; to use it, clear its spec.claimRef.uid and spec.claimRef.resourceVersion and create the claim; to start with an empty etcd, clear its spec.claimRef`,
  );
}

/** There was data of that cluster. What is on a node's disk nobody sees from here: members with data start, others do not. */
function ofLost(known: Known, id: string, { replicas, storage }: WantedEtcd): BirthDecision {
  if (givesUp(known, id)) return { kind: 'new', members: replicas, gaveUp: id };
  if (storage === 'hostPath')
    return { kind: 'existing', members: known.record?.members ?? replicas };
  return dataLost(known, id);
}

function dataLost({ record, karmada, volumes }: Known, id: string): BirthDecision {
  const cluster =
    record?.clusterID === undefined
      ? 'the control plane was ready once'
      : `the record in Secret ${instanceName(karmada.name, 'ca-backup')} names etcd cluster ${id} with ${record.members} ${record.members === 1 ? 'member' : 'members'}`;
  const kept = volumes.length > 0 ? `; PersistentVolume ${volumes.join(', ')} may hold it` : '';
  return {
    kind: 'dataLost',
    id,
    reason: 'DataLost',
    message: `etcd: ${cluster}, but there is no data${kept}; restore the PersistentVolumeClaims, or annotate the Karmada with ${START_EMPTY_ANNOTATION}=${id} to start with an empty etcd`,
  };
}
