/**
 * Bootstrap decision for an etcd without a StatefulSet: pure. A new cluster requires proof that no data exists. If
 * data may exist, etcd starts with its previous members, or not at all.
 */
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { instanceName } from '../../api/naming.ts';
import { START_EMPTY_ANNOTATION, type EtcdRecord, type Noted } from './record.ts';
import { foreignClaims, type ClaimEvidence } from './foreign-claims.ts';
import { largestOf } from '../../kubernetes/objects/largest.ts';

/** A Pod with the name of an etcd member. */
export interface PodEvidence {
  readonly name: string;
  readonly ordinal: number;
  readonly neverRan: boolean;
  /** Whether it is terminating, or will be deleted with its StatefulSet. */
  readonly isTerminating: boolean;
}

/** Storage type of etcd members. */
export type Storage = 'volumeClaim' | 'hostPath' | 'emptyDir';

/** Existing etcd objects and data, from live reads. */
export interface EtcdEvidence {
  /** `metadata` of the Karmada. */
  readonly karmada: { readonly name: string; readonly uid: string };
  /** First read error. Nothing is known in this case. */
  readonly unread?: string;
  /** Number of members in the flags of an existing StatefulSet. */
  readonly statefulSet?: { readonly members: number };
  readonly claims: readonly ClaimEvidence[];
  readonly pods: readonly PodEvidence[];
  /** Names of released PersistentVolumes that were bound to an etcd PVC of this control plane. */
  readonly volumes: readonly string[];
  readonly record: Noted<EtcdRecord>;
  /** SHA-256 of the trusted etcd CA certificates; the signing CA comes first. */
  readonly authorities: readonly string[];
  /** Whether this Karmada was Ready once. */
  readonly wasReady: boolean;
  /** Value of the annotation etcd-start-empty of the Karmada. */
  readonly startEmpty?: string;
}

/** Desired etcd of the Karmada. */
export interface WantedEtcd {
  readonly replicas: number;
  readonly storage: Storage;
}

export type BootstrapDecision =
  /** Start a new cluster. @property gaveUp id of the lost cluster whose data the user gave up */
  | { readonly kind: 'new'; readonly members: number; readonly gaveUp?: string }
  /** Start with existing data and its previous members. */
  | { readonly kind: 'existing'; readonly members: number }
  | ({ readonly kind: 'blocked' } & Problem)
  /** A record of data exists, but no data. */
  | ({ readonly kind: 'dataLost'; readonly id: string } & Problem);

/** Decides how etcd may start. Never returns `new` while data may exist or was not readable. */
export function decideEtcdBootstrap(evidence: EtcdEvidence, wanted: WantedEtcd): BootstrapDecision {
  const { unread, record, statefulSet, karmada } = evidence;
  const set = `StatefulSet ${instanceName(karmada.name, 'etcd')}`;
  if (unread !== undefined)
    return blockedChange(
      'EtcdEvidenceReadFailed',
      `${set}: not created, because the search for existing etcd data failed (${unread}); the operator retries`,
    );
  if (record === 'unreadable')
    return blockedChange(
      'EtcdRecordUnreadable',
      `Secret ${instanceName(karmada.name, 'ca-backup')}: annotation operator.karmada.io/etcd-record is not valid; restore it from a backup`,
    );
  if (statefulSet !== undefined) return { kind: 'existing', members: statefulSet.members };
  const known = { ...evidence, record };
  return ofClaims(known, wanted) ?? ofPods(known, wanted) ?? ofNothing(known, wanted);
}

type Known = EtcdEvidence & { readonly record: EtcdRecord | undefined };

const blockedChange = (reason: Reason, message: string): BootstrapDecision => ({
  kind: 'blocked',
  reason,
  message,
});

/** Whether the user gave up the data of this cluster, and the empty start is not complete. */
function givesUp({ record, startEmpty }: Known, id: string): boolean {
  const isDone = record?.startedEmpty?.includes(id) === true;
  if (isDone) return record.state === 'unborn';
  return startEmpty === id;
}

/** Id of the cluster that the missing data belongs to. */
const lostId = ({ record, karmada }: Known): string | undefined =>
  record?.clusterID ?? (record?.startedEmpty?.includes(karmada.uid) ? undefined : karmada.uid);

function ofClaims(known: Known, wanted: WantedEtcd): BootstrapDecision | undefined {
  const claims = known.claims.filter(({ isUnbound }) => !isUnbound);
  if (claims.length === 0) return undefined;
  const names = claims.map(({ name }) => name).join(', ');
  const leaving = claims.filter(({ isTerminating }) => isTerminating).map(({ name }) => name);
  if (leaving.length > 0)
    return blockedChange(
      'EtcdClaimsTerminating',
      `PersistentVolumeClaim ${leaving.join(', ')}: terminating; the operator creates etcd after the deletion`,
    );
  const ordinals = new Set(claims.map(({ ordinal }) => ordinal));
  if (ordinals.size < claims.length)
    return blockedChange(
      'EtcdClaimsOfTwoClusters',
      `PersistentVolumeClaims: contain data of several etcd clusters (${names}), and the record of the current one is missing; restore the Secret ${instanceName(known.karmada.name, 'ca-backup')}, or move the volumes of the former cluster to PVCs with other names`,
    );
  const refused = foreignClaims(claims, known);
  if (refused !== undefined) return { kind: 'blocked', ...refused };
  if (known.record?.clusterID !== undefined && givesUp(known, known.record.clusterID))
    return blockedChange(
      'EtcdClaimsKept',
      `PersistentVolumeClaim ${names}: may contain data of etcd cluster ${known.record.clusterID}, which the annotation ${START_EMPTY_ANNOTATION} gives up; the operator creates the empty etcd when no PersistentVolumeClaim of these names exists, and uses their data without the annotation`,
    );
  if (wanted.storage !== 'volumeClaim')
    return blockedChange(
      'EtcdStorageBlocked',
      `spec.components.etcd.local.volumeData: is ${wanted.storage}, but the etcd data of this control plane is in PersistentVolumeClaim ${names}; set volumeClaim`,
    );
  return { kind: 'existing', members: membersOfClaims(claims, known.record) };
}

/** Number of members: from PVC annotations, else from the record, else from PVC names. */
function membersOfClaims(claims: readonly ClaimEvidence[], record: EtcdRecord | undefined): number {
  const counts = claims.flatMap(({ stamp }) =>
    stamp === undefined || stamp === 'unreadable' ? [] : [stamp.members],
  );
  if (counts.length > 0) return largestOf(counts, -Infinity);
  return record?.members ?? countTo(claims);
}

/** Number of members up to the highest ordinal. */
const countTo = (found: readonly { readonly ordinal: number }[]): number =>
  largestOf(
    found.map(({ ordinal }) => ordinal),
    -Infinity,
  ) + 1;

/** Data may be in Pods that a deleted StatefulSet left. */
function ofPods({ pods, record }: Known, { storage }: WantedEtcd): BootstrapDecision | undefined {
  const used = pods.filter(({ neverRan }) => !neverRan);
  if (used.length === 0) return undefined;
  const leaving = used.filter(({ isTerminating }) => isTerminating).map(({ name }) => name);
  if (leaving.length > 0 || storage === 'volumeClaim')
    return blockedChange(
      'EtcdPodsLeft',
      `Pod ${(leaving.length > 0 ? leaving : used.map(({ name }) => name)).join(', ')}: belongs to an earlier etcd; the operator creates etcd after its deletion`,
    );
  const members = record?.members ?? countTo(used);
  return { kind: 'existing', members };
}

function ofNothing(known: Known, { replicas, storage }: WantedEtcd): BootstrapDecision {
  const { record, volumes, wasReady } = known;
  const anew: BootstrapDecision = { kind: 'new', members: replicas };
  if (record?.state === 'unborn' && record.startedEmpty !== undefined) return anew;
  const id = record?.state === 'born' || wasReady ? lostId(known) : undefined;
  if (id !== undefined) return ofLost(known, id, { replicas, storage });
  if (volumes.length === 0) return anew;
  return blockedChange(
    'EtcdVolumesFound',
    `PersistentVolume ${volumes.join(', ')}: was bound to an etcd PVC of this control plane and may contain its data; to use it, clear its spec.claimRef.uid and spec.claimRef.resourceVersion and create the PVC; to start with an empty etcd, clear its spec.claimRef`,
  );
}

/**
 * Decides when data of this cluster existed. Data on nodes cannot be read through the API: members with data start,
 * others do not.
 */
function ofLost(known: Known, id: string, { replicas, storage }: WantedEtcd): BootstrapDecision {
  if (givesUp(known, id)) return { kind: 'new', members: replicas, gaveUp: id };
  if (storage === 'hostPath')
    return { kind: 'existing', members: known.record?.members ?? replicas };
  return dataLost(known, id);
}

function dataLost({ record, karmada, volumes }: Known, id: string): BootstrapDecision {
  const cluster =
    record?.clusterID === undefined
      ? 'the control plane was Ready once'
      : `the record in Secret ${instanceName(karmada.name, 'ca-backup')} lists etcd cluster ${id} with ${record.members} ${record.members === 1 ? 'member' : 'members'}`;
  const kept = volumes.length > 0 ? `; PersistentVolume ${volumes.join(', ')} may contain it` : '';
  return {
    kind: 'dataLost',
    id,
    reason: 'DataLost',
    message: `etcd: data not found (${cluster}${kept}); restore the PersistentVolumeClaims, or annotate the Karmada with ${START_EMPTY_ANNOTATION}=${id} to start with an empty etcd`,
  };
}
