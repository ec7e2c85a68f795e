/**
 * What the operator notes about an etcd cluster that it runs: pure. One record of the cluster is on the Secret with the
 * backup of the CAs, which outlives the Karmada whenever its PersistentVolumeClaims do (ADR 0019), and one on each claim.
 */
import { isObject } from '../../../kubernetes/compare.ts';

/** Annotation of the Secret `N(ca-backup)`: the record of the cluster. */
export const RECORD_ANNOTATION = 'operator.karmada.io/etcd-record';
/** Annotation of a PersistentVolumeClaim: whose data it holds. */
export const CLAIM_ANNOTATION = 'operator.karmada.io/etcd-member';
/** Annotation of a Karmada whose etcd data is lost: start without it. The value is the lost cluster's id. */
export const START_EMPTY_ANNOTATION = 'operator.karmada.io/etcd-start-empty';

/** Owner of the annotations with records and stamps, apart from what the operator applies. */
export const NOTES_FIELD_MANAGER = 'karmada-operator-etcd';

/** One etcd cluster. */
export interface EtcdRecord {
  /** `unborn`: its members may still have to start with `initial-cluster-state=new`. */
  readonly state: 'unborn' | 'born';
  /** `--initial-cluster-token`; random, so that a cluster never has the id of an earlier one of the same name. */
  readonly token: string;
  /** Number of members. */
  readonly members: number;
  /** Hexadecimal, as the members said; only of a born cluster. */
  readonly clusterID?: string;
  /** SHA-256 of the certificate of etcd's CA. */
  readonly ca: string;
  /** Uids of the claims with the members' data, or of the pods whose emptyDir it is in. */
  readonly data?: readonly string[];
  /** Clusters whose data was given up by annotation. */
  readonly startedEmpty?: readonly string[];
}

/** Whose data a claim holds. */
export interface ClaimStamp {
  readonly clusterID: string;
  readonly token: string;
  readonly ordinal: number;
  /** Number of members when it was written. */
  readonly members: number;
  /** SHA-256 of the certificate of etcd's CA. */
  readonly ca: string;
}

/** A note that is there and cannot be read: never the same as none. */
export type Noted<T> = T | 'unreadable' | undefined;

/** @param annotations of the Secret with the backup of the CAs */
export function recordIn(annotations: Annotations): Noted<EtcdRecord> {
  return parsed(annotations?.[RECORD_ANNOTATION], isRecord);
}

/** @param annotations of a PersistentVolumeClaim */
export function stampIn(annotations: Annotations): Noted<ClaimStamp> {
  return parsed(annotations?.[CLAIM_ANNOTATION], isStamp);
}

type Annotations = Readonly<Record<string, string>> | undefined;

function parsed<T>(text: string | undefined, is: (value: unknown) => value is T): Noted<T> {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? value : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** 64 bits in hexadecimal, as etcd prints them. */
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
  return isState && isNamed && isCount(members, 1);
}

function isStamp(value: unknown): value is ClaimStamp {
  if (!isObject(value)) return false;
  const { clusterID, token, ordinal, members, ca } = value;
  const isNamed = isId(clusterID) && isText(token) && isText(ca);
  return isNamed && isCount(ordinal, 0) && isCount(members, 1);
}

/** The token of a cluster that is to be made. @param random a number in [0, 1) */
export function birthToken(statefulSet: string, namespace: string, random: () => number): string {
  const digits = Array.from({ length: 12 }, () => Math.floor(random() * 36).toString(36));
  return `${statefulSet}.${namespace}.${digits.join('')}`;
}
