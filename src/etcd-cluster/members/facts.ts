/** Facts about a running local etcd that the next change of its members is decided on. Plain values. */
import type { EtcdView } from '../../etcd/view.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import type { Storage } from '../identity/decide-bootstrap.ts';
import type { PeerScheme } from '../../components/etcd/peer-flags.ts';

/** Pod of an etcd StatefulSet. */
export interface MemberPod {
  readonly ordinal: number;
  readonly name: string;
  readonly uid: string;
  /** Node, volumes and quota allow it to run. */
  readonly isScheduled: boolean;
  readonly isTerminating: boolean;
  /** Whether a user has paused its repair by annotation. */
  readonly isPaused: boolean;
  /** Whether its template reads the join annotation, and reports a learner as not ready. */
  readonly canJoin: boolean;
  /** Value of the join annotation: the other members of the cluster that it may join. */
  readonly join?: string;
  /** Whether the data of its member is gone: the Pod failed, and its volume was never used by this cluster. */
  readonly hasLostData: boolean;
  /** Whether its container failed several times, so that the kubelet waits longer before each restart. */
  readonly isBackingOff: boolean;
  /** Whether it accepts other members only over http. */
  readonly listensHttp?: boolean;
  /** Whether it has no certificate for connections to members that accept only https. */
  readonly lacksPeerCertificate?: boolean;
  /** Whether a member with its data in this very Pod was part of the cluster. */
  readonly wasMember: boolean;
  /** Since when the Pod has not been ready, wall clock in milliseconds; absent while it is ready. */
  readonly downSince?: number;
  /** Why its member cannot start again with its data, as known from facts; absent if it can. */
  readonly defect?: string;
  /** Node that it needs, and that exists but is not ready. */
  readonly unreadyNode?: string;
}

/** PVC with the name of an etcd member. */
export interface MemberClaim {
  readonly ordinal: number;
  readonly name: string;
  readonly uid: string;
  readonly isTerminating: boolean;
  /** Whether a user has paused its repair by annotation. */
  readonly isPaused: boolean;
  /** Whether no volume was ever bound to it. */
  readonly isUnbound: boolean;
  /** Cluster that its annotation names. `unknown`: no readable annotation, so its content is unknown. */
  readonly content: 'thisCluster' | 'otherCluster' | 'unknown';
}

/** Facts about the members of one etcd. */
export interface MemberFacts {
  /** Desired number of members. */
  readonly wanted: number;
  /** Number of Pods in the flags of the StatefulSet. */
  readonly replicas: number;
  /** Whether members without data cannot start a new cluster, and the cluster is recorded. */
  readonly isFormed: boolean;
  /** Whether new Pods read the join annotation. */
  readonly templateCanJoin: boolean;
  /** Whether the client Service excludes Pods that are not ready. */
  readonly excludesUnready: boolean;
  /** Reason why the desired release of etcd cannot get more members. */
  readonly cannotGrow?: Problem;
  readonly storage: Storage;
  /** Whether the PVC of a removed member is deleted (`persistentVolumeClaimRetentionPolicy.whenScaled`). */
  readonly deletesClaims: boolean;
  /** Time that a member with a defect must be down before it is replaced, in milliseconds. */
  readonly graceMs: number;
  /** Wall clock in milliseconds. */
  readonly now: number;
  readonly view: EtcdView;
  readonly pods: readonly MemberPod[];
  readonly claims: readonly MemberClaim[];
  /** Scheme of the peer listener in the Pod template. Defaults to `https`. */
  readonly peers?: PeerScheme;
  /** Whether the Go operator created the cluster, and its members still use http somewhere. */
  readonly isAdopting?: boolean;
  /** Whether members that accept http must keep it, because the user has not agreed to another scheme. */
  readonly keepsHttp?: boolean;
  /** Name of the StatefulSet, and DNS domain of its Pods. */
  readonly statefulSet: string;
  readonly domain: string;
}

/** Peer URL of the member with an ordinal, with the scheme of the Pod template. */
export const peerURL = (
  { statefulSet, domain, peers = 'https' }: Pick<MemberFacts, 'statefulSet' | 'domain' | 'peers'>,
  ordinal: number,
): string => `${peers}://${podName({ statefulSet }, ordinal)}.${domain}:2380`;

/** Name of the Pod, and of the member, with an ordinal. */
export const podName = (
  { statefulSet }: Pick<MemberFacts, 'statefulSet'>,
  ordinal: number,
): string => `${statefulSet}-${String(ordinal)}`;
