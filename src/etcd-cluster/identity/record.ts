/**
 * Annotations with the identity of a local etcd cluster: pure. The CA backup Secret stores the record of the cluster;
 * it outlives the Karmada whenever its PVCs do (ADR 0019). Each PVC stores the member that its data belongs to.
 */
import { isDataVolume } from '../../components/etcd/data-volume.ts';
import { isObject } from '../../kubernetes/objects/compare.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED } from '../../untrusted/limits.ts';
import { ordinalsBelow } from '../../untrusted/ordinals.ts';

/** Annotation of the Secret `N(ca-backup)`: record of the etcd cluster. */
export const RECORD_ANNOTATION = 'operator.karmada.io/etcd-record';
/** Annotation of a PVC: etcd cluster and member that its data belongs to. */
export const CLAIM_ANNOTATION = 'operator.karmada.io/etcd-member';
/** Annotation of a Karmada with lost etcd data: start with an empty etcd. The value is the id of the lost cluster. */
export const START_EMPTY_ANNOTATION = 'operator.karmada.io/etcd-start-empty';

/** Field manager of these annotations; separate from the manager of applied objects. */
export const NOTES_FIELD_MANAGER = 'karmada-operator-etcd';

/** Record of one etcd cluster. */
export interface EtcdRecord {
  /**
   * `unborn`: its members may still have to start with `initial-cluster-state=new`; `born`: its members formed the
   * cluster.
   */
  readonly state: 'unborn' | 'born';
  /** Set if the Go operator created the cluster: its members run as root, because their files belong to root. */
  readonly origin?: typeof GO_OPERATOR;
  /** Set while the Pod template has http between the members: with it, a deleted StatefulSet is created again. */
  readonly peers?: 'http';
  /** Set while members of an etcd of the Go operator are listed with http URLs: until then its steps are not complete. */
  readonly listsHttp?: true;
  /** `--initial-cluster-token`; random, so that a new cluster with the same name gets another cluster id. */
  readonly token: string;
  /** Number of members. */
  readonly members: number;
  /** Hexadecimal, as reported by the members; only for state `born`. */
  readonly clusterID?: string;
  /** SHA-256 of the certificate of etcd's CA. */
  readonly ca: string;
  /** UIDs of the PVCs with the data of the members, or of the Pods with an emptyDir. */
  readonly data?: readonly string[];
  /** Ids of clusters whose data was given up by annotation. */
  readonly startedEmpty?: readonly string[];
  /** Name of the PVC template, if it is not the default. */
  readonly volume?: string;
  /** A recovery in progress. */
  readonly recovery?: Recovery;
  /** Values of the annotation etcd-recover-from that were executed. Each one is executed once. */
  readonly recovered?: readonly string[];
}

/** Value of `origin` in a record. */
export const GO_OPERATOR = 'GoOperator';

const RECOVERY_PHASES = ['loading', 'restoring', 'switching'] as const;

/** Recovery of an etcd that lost its quorum, or restore from a backup. */
export interface Recovery {
  /** Value of the annotation that confirms it. */
  readonly from: string;
  /** `--initial-cluster-token` of the new cluster. */
  readonly token: string;
  /** Name of the PVC template of the new cluster. */
  readonly volume: string;
  /**
   * `loading`: a backup is restored while the former cluster serves; `restoring`: the API servers are stopped, the
   * former cluster is unchanged, and the restored data is not in use; `switching`: the record describes the new
   * cluster, which replaces the former one.
   */
  readonly phase: (typeof RECOVERY_PHASES)[number];
  /** Set if the record was written for it, and is deleted if it is withdrawn. */
  readonly isUnrecorded?: true;
  /** UIDs of the Pods that wrote to etcd when the phase became `restoring`. */
  readonly clients?: readonly string[];
}

/** Etcd cluster and member that the data of a PVC belongs to. */
export interface ClaimAnnotation {
  readonly clusterID: string;
  readonly token: string;
  readonly ordinal: number;
  /** Number of members at the time of the write. */
  readonly members: number;
  /** SHA-256 of the certificate of etcd's CA. */
  readonly ca: string;
}

/** Parsed annotation. `unreadable` is different from a missing annotation. */
export type Noted<T> = T | 'unreadable' | undefined;

/** Parses the record. @param annotations annotations of the CA backup Secret */
export function recordIn(annotations: Annotations): Noted<EtcdRecord> {
  return parsed(annotations?.[RECORD_ANNOTATION], isRecord);
}

/** Parses the annotation of a PVC. @param annotations annotations of the PVC */
export function claimAnnotationIn(annotations: Annotations): Noted<ClaimAnnotation> {
  return parsed(annotations?.[CLAIM_ANNOTATION], isStamp);
}

type Annotations = Readonly<Record<string, string>> | undefined;

function parsed<T>(text: string | undefined, is: (value: unknown) => value is T): Noted<T> {
  if (text === undefined) return undefined;
  try {
    const value = parseJsonWithin(text, { size: UNTRUSTED.record });
    return is(value) ? value : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** 64 bits in hexadecimal, as printed by etcd. */
const ID = /^[0-9a-f]{1,16}$/;
const isId = (value: unknown): boolean => typeof value === 'string' && ID.test(value);
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isCount = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= least;
const isTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isText));

function isRecord(value: unknown): value is EtcdRecord {
  if (!isObject(value)) return false;
  const { state, token, members, clusterID, ca, data, startedEmpty } = value;
  const isState = state === 'born' ? isId(clusterID) : state === 'unborn';
  const isNamed = isText(token) && isText(ca) && isTexts(data) && isTexts(startedEmpty);
  return isState && isNamed && isCount(members, 1) && hasHistory(value);
}

/** Whether the fields that only adoptions and recoveries write are valid. */
function hasHistory(value: Record<string, unknown>): boolean {
  const { origin, peers, listsHttp, volume, recovery, recovered } = value;
  const isRecovery = recovery === undefined || isRecoveryIn(recovery);
  const isOrigin =
    isMissingOr(origin, GO_OPERATOR) && isMissingOr(peers, 'http') && isMissingOr(listsHttp, true);
  return isOrigin && isVolume(volume) && isRecovery && isTexts(recovered);
}

const isMissingOr = (value: unknown, expected: string | boolean): boolean =>
  value === undefined || value === expected;

const isVolume = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && isDataVolume(value));

function isRecoveryIn(value: unknown): value is Recovery {
  if (!isObject(value)) return false;
  const { from, token, volume, phase, clients } = value;
  const isPhase = RECOVERY_PHASES.some((known) => known === phase);
  const isNamed = isText(from) && isText(token) && volume !== undefined && isVolume(volume);
  return isNamed && isPhase && isTexts(clients);
}

function isStamp(value: unknown): value is ClaimAnnotation {
  if (!isObject(value)) return false;
  const { clusterID, token, ordinal, members, ca } = value;
  const isNamed = isId(clusterID) && isText(token) && isText(ca);
  return isNamed && isCount(ordinal, 0) && isCount(members, 1);
}

/** Creates the token of a new cluster. @param random returns a number in [0, 1) */
export function newClusterToken(
  statefulSet: string,
  namespace: string,
  random: () => number,
): string {
  const digits = ordinalsBelow(12).map(() => Math.floor(random() * 36).toString(36));
  return `${statefulSet}.${namespace}.${digits.join('')}`;
}
