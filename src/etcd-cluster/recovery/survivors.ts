/** Members of an etcd without a quorum that still respond, and the confirmation of a recovery from one of them: pure. */
import { NO_LEADER, type EtcdMemberStatus } from '../../etcd/member-status.ts';
import { majorityOf, votersOf, type EtcdView } from '../../etcd/view.ts';
import type { Storage } from '../identity/decide-bootstrap.ts';
import type { EtcdRecord } from '../identity/record.ts';
import { confirmedBackup, refusedBackup } from './confirmed-backup.ts';
import { confirmedMember, valueFor, type ConfirmedMember } from './confirmed-member.ts';
import type { StoredData } from './stored-data.ts';

/**
 * Annotation of a Karmada whose etcd lost its quorum: the member to recover from, as `MEMBER/CLUSTER_ID/REVISION`, or as
 * `MEMBER/CLUSTER_ID/volume` if no member responds and its data is to be read from its PVC. For a KarmadaRestore the
 * operator sets `restore:NAME/CLUSTER_ID/REVISION`.
 */
export const RECOVER_ANNOTATION = 'operator.karmada.io/etcd-recover-from';

/** Data of a member that responds. */
export interface Survivor {
  /** Name of its Pod. */
  readonly pod: string;
  /** IDs are hexadecimal, counters decimal. */
  readonly clusterID: string;
  readonly memberID: string;
  readonly revision: string;
  readonly raftIndex: string;
  /** Size of the database in bytes. */
  readonly dbSize: string;
  /** Time of the response, wall clock in milliseconds. */
  readonly at: number;
}

/** Voting members that respond, those with the newest data first. */
export function survivorsOf({ answers }: Pick<EtcdView, 'answers'>): readonly Survivor[] {
  return votersOf(answers)
    .map(survivorOf)
    .sort((one, other) => (isNewer(one, other) ? -1 : 1));
}

const survivorOf = (answer: EtcdMemberStatus): Survivor => ({
  pod: answer.pod,
  clusterID: answer.clusterId,
  memberID: answer.memberId,
  revision: answer.revision,
  raftIndex: answer.raftIndex,
  dbSize: answer.dbSize,
  at: answer.at,
});

function isNewer(one: Survivor, other: Survivor): boolean {
  const [a, b] = [BigInt(one.raftIndex), BigInt(other.raftIndex)];
  return a === b ? BigInt(one.revision) > BigInt(other.revision) : a > b;
}

/** An etcd of the Go operator that serves, and that a confirmed member replaces. */
export interface Replaced {
  /** Its members never formed one cluster, or its data is in its Pod. */
  readonly cause: 'neverOneCluster' | 'emptyDir';
  /** Image of etcd, if its tools cannot restore the data. */
  readonly unableImage?: string;
}

/** What a confirmation is compared with. */
export interface Present {
  readonly view: EtcdView;
  readonly record: EtcdRecord | undefined;
  readonly storage: Storage;
  /** Members whose PVCs have data of the recorded cluster. */
  readonly stored: readonly StoredData[];
  /** etcd Pods that are ready. */
  readonly ready: readonly string[];
  readonly missingRights: readonly string[];
  /** Why the restored etcd, which runs as root because the Go operator created it, would not start. */
  readonly rootForbidden?: string;
  /** Absent if only an etcd without a quorum may be replaced. */
  readonly replaced?: Replaced;
}

/** Permissions that only a recovery needs. */
const RIGHTS: readonly string[] = ['create pods', 'create persistentvolumeclaims'];

/**
 * Why the operator does not recover etcd from the named survivor.
 * @param value of the annotation
 * @returns undefined if the value describes what is there now
 */
export function refusalOf(value: string, present: Present): string | undefined {
  const backup = confirmedBackup(value);
  if (backup !== undefined) return refusedCluster(present) ?? refusedBackup(backup, present.record);
  const named = confirmedMember(value);
  if (named === undefined)
    return 'its value is not MEMBER/CLUSTER_ID/REVISION or MEMBER/CLUSTER_ID/volume; copy it from the condition EtcdHealthy';
  if (present.replaced !== undefined) return refusedReplacement(named, present, present.replaced);
  const refused = refusedState(present);
  if (refused !== undefined) return refused;
  const { revision } = named;
  return revision === undefined
    ? refusedVolume(named, present)
    : refusedSurvivor({ ...named, revision }, present);
}

/** What no data can be restored into. */
function refusedCluster(present: Present): string | undefined {
  const { view, record, storage } = present;
  if (storage !== 'volumeClaim')
    return `the data is in ${storage} volumes, and only etcd on PersistentVolumeClaims can be recovered in place; restore a snapshot into a new control plane`;
  if (record?.state !== 'born')
    return 'the etcd cluster has no record; restore the CA backup Secret';
  return lackedRight(present) ?? view.splitBrain?.message;
}

function lackedRight({ missingRights, rootForbidden }: Present): string | undefined {
  const lacked = RIGHTS.filter((right) => missingRights.includes(right));
  return lacked.length === 0
    ? rootForbidden
    : `the operator lacks the permission to ${lacked.join(' and ')}; apply the current role`;
}

/** The cluster serves, so its revision grows after the user has read it. Those of two clusters are not comparable. */
function refusedReplacement(
  { pod, clusterID, revision }: ConfirmedMember,
  present: Present,
  { unableImage }: Replaced,
): string | undefined {
  if (present.storage !== 'volumeClaim')
    return `spec.components.etcd.local.volumeData: is ${present.storage}, and the data can only be moved to a PersistentVolumeClaim; set volumeClaim`;
  if (unableImage !== undefined)
    return `the image ${unableImage} has no etcdutl of etcd 3.6, which restores the data; restore a snapshot into a new control plane`;
  const survivor = survivorsOf(present.view).find((one) => one.pod === pod);
  if (survivor === undefined) return `member ${pod} does not respond`;
  if (survivor.clusterID !== clusterID)
    return `member ${pod} belongs to cluster ${survivor.clusterID}, not ${clusterID}; copy the value from status.etcdCluster of the Karmada`;
  if (revision === undefined)
    return `member ${pod} responds; name it with its revision instead: ${valueFor(survivor)}`;
  if (BigInt(survivor.revision) < BigInt(revision))
    return `member ${pod} has revision ${survivor.revision}, which is lower than ${revision}; name the member that had this revision`;
  return lackedRight(present);
}

function refusedState(present: Present): string | undefined {
  const { view } = present;
  const refused = refusedCluster(present);
  if (refused !== undefined) return refused;
  if (view.quorum)
    return 'etcd has a quorum, so nothing is lost; take the annotation off the Karmada';
  // A member is Ready only with a quorum, which the operator may not reach.
  const [ready] = present.ready;
  if (ready !== undefined)
    return `Pod ${ready} is Ready, so etcd may have a quorum; the operator continues if it is not Ready any more`;
  return refusedQuorum(view);
}

/** A member without a leader has all the data that it will ever have. */
export const hasLeader = ({ answers }: Pick<EtcdView, 'answers'>): boolean =>
  answers.some(({ leaderId }) => leaderId !== NO_LEADER);

/** Without a leader, the members that respond may still elect one. */
function refusedQuorum(view: EtcdView): string | undefined {
  if (hasLeader(view))
    return 'a member reports a leader, so etcd may have a quorum; the operator continues without a leader';
  const voters = votersOf(view.members).length;
  const count = survivorsOf(view).length;
  if (count === 0 || count < majorityOf(voters)) return undefined;
  return `${String(count)} of ${String(voters)} members respond, which is enough for a quorum; correct the connections between them`;
}

/** A member that responds tells its revision, which the user can confirm. */
function refusedVolume(named: ConfirmedMember, { view, stored }: Present): string | undefined {
  const [newest] = survivorsOf(view);
  if (newest !== undefined)
    return `member ${newest.pod} responds; name it with its revision instead: ${valueFor(newest)}`;
  const found = stored.find(({ pod }) => pod === named.pod);
  if (found === undefined)
    return `there is no PersistentVolumeClaim of member ${named.pod} with data of the recorded cluster`;
  return found.clusterID === named.clusterID
    ? undefined
    : `member ${named.pod} has data of cluster ${found.clusterID}, not ${named.clusterID}; copy the value from the condition EtcdHealthy`;
}

function refusedSurvivor(
  named: ConfirmedMember & { readonly revision: string },
  { view, record, stored }: Present,
): string | undefined {
  const survivors = survivorsOf(view);
  const survivor = survivors.find(({ pod }) => pod === named.pod);
  if (survivor === undefined)
    return survivors.length === 0
      ? silentText(named, stored)
      : `member ${named.pod} does not respond; ${survivors.map(({ pod }) => pod).join(', ')} does`;
  if (survivor.clusterID !== named.clusterID || record?.clusterID !== named.clusterID)
    return `member ${named.pod} belongs to cluster ${survivor.clusterID}, not ${named.clusterID}; copy the value from the condition EtcdHealthy`;
  if (survivor.revision !== named.revision)
    return `member ${named.pod} has revision ${survivor.revision}, not ${named.revision}; copy the value from the condition EtcdHealthy`;
  const newer = survivors.find((other) => other !== survivor && isNewer(other, survivor));
  if (newer !== undefined)
    return `member ${newer.pod} has newer data (revision ${newer.revision}, raft index ${newer.raftIndex}); name it instead: ${valueFor(newer)}`;
  return undefined;
}

function silentText({ pod }: ConfirmedMember, stored: readonly StoredData[]): string {
  const found = stored.find((data) => data.pod === pod);
  const other = found && `; to read its data from its PVC, use ${valueFor(found)}`;
  return `member ${pod} does not respond${other ?? ''}`;
}
