/** Objects of the model of an etcd. */
import { peerURL, podName } from '../facts.ts';

export interface Disk {
  /** ID of the member that wrote the data; undefined for an empty disk. */
  owner?: string;
  /** Number of log entries. */
  index: number;
  /** Whether the operator annotated it. */
  isAnnotated: boolean;
  /** Whether a Pod has used it. */
  isBound: boolean;
  /** Deleted, but a Pod still uses it. */
  isTerminating: boolean;
  /** Why no member can use it. */
  defect?: 'nodeLost' | 'nodeUnready' | 'corrupt' | 'behind';
}

export interface ModelPod {
  uid: number;
  join: string;
  isRunning: boolean;
  failures: number;
  isScheduled: boolean;
  /** Time since which it has not been ready. */
  downSince?: number;
}

export interface ModelMember {
  id: string;
  ordinal: number;
  isLearner: boolean;
  hasStarted: boolean;
}

/** Grace period of the model. */
export const GRACE_MS = 10;

/** A violated invariant. */
export class Violation extends Error {}

/** StatefulSet of the model. */
export const NAMES = { statefulSet: 'demo-etcd', domain: 'demo-etcd.team.svc.cluster.local' };

/** Sorts a comma-separated list. */
export const sorted = (list: string): string => list.split(',').sort().join(',');

/** Join annotation of a member, sorted: all other members. */
export const joinFor = (members: readonly ModelMember[], member: ModelMember): string =>
  sorted(
    members
      .filter((one) => one !== member)
      .map((one) => `,${podName(NAMES, one.ordinal)}=${peerURL(NAMES, one.ordinal)}`)
      .join(''),
  );

export const newDisk = (): Disk => ({
  index: 0,
  isAnnotated: false,
  isBound: false,
  isTerminating: false,
});

export const newPod = (uid: number, now: number): ModelPod => ({
  uid,
  join: '',
  isRunning: false,
  failures: 0,
  isScheduled: true,
  downSince: now,
});

/** State of the model. */
export interface ModelState {
  readonly wanted: number;
  readonly now: number;
  readonly leader: string | undefined;
  /** Number of acknowledged entries. */
  acknowledged: number;
  readonly members: readonly ModelMember[];
  readonly pods: ReadonlyMap<number, ModelPod>;
  readonly disks: ReadonlyMap<number, Disk>;
  voters(): readonly ModelMember[];
  runs(member: ModelMember): boolean;
  index(member: ModelMember): number;
}
