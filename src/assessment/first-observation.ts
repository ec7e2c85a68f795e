/** Decides whether the operator knows too little for a new status, such as right after its start. Pure functions. */
import type { KarmadaStatus } from '../api/karmada.ts';
import type { ControlPlaneSnapshot } from '../instance/snapshot.ts';
import type { Assessment } from '../actions/assessment.ts';

/** How much of a control plane this process has read. */
export interface ObservationAge {
  /** Milliseconds since this process started to read it. */
  readonly sinceMs: number;
  /** Whether the CRD archive has not been read, or the operator has not queried the etcd members. */
  readonly isPending: boolean;
  /** Milliseconds since the CRD archive or the etcd members are pending; 0 if they are not. */
  readonly pendingMs: number;
  /** Milliseconds since only the controllers of changed workloads are awaited; 0 if they are not. */
  readonly unobservedMs: number;
  /** Whether a reconcile of this process has used a complete read of it. */
  readonly hasRead: boolean;
}

/** Time in milliseconds for which the operator keeps the previous status while it does not reach the control plane. */
export const FIRST_OBSERVATION_MS = 30_000;

/**
 * The same in milliseconds for what only takes long: a CRD archive, etcd, and reads of which no call has failed. A start of the
 * operator reads all control planes at once. A call that gets no response fails after a minute.
 */
export const PENDING_MS = 180_000;

/**
 * Whether the status stays unchanged because the operator has not finished its first read of the control plane.
 * Otherwise each restart of the operator would report a healthy control plane as not ready. Returns false after the
 * timeout, after a change of the spec, and for any other problem.
 */
export function isBeforeFirstObservation(
  { snapshot, problem }: Pick<Assessment, 'snapshot' | 'problem'>,
  before: KarmadaStatus,
  { sinceMs, isPending, pendingMs, hasRead }: Omit<ObservationAge, 'unobservedMs'>,
): boolean {
  const { controlPlane, karmada } = snapshot;
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.observedGeneration !== karmada.metadata.generation) return false;
  if (isOtherwise(controlPlane, problem)) return false;
  const wasReady = ready?.status === 'True';
  if (wasReady && isPending) return pendingMs < PENDING_MS;
  const limitMs = isUnasked(before, isPending)
    ? FIRST_OBSERVATION_MS
    : readLimitMs(controlPlane, wasReady);
  return !hasRead && sinceMs < limitMs;
}

/** Whether an earlier process has queried the etcd members. What it said stays until this one has done so. */
const isUnasked = ({ etcdCluster }: KarmadaStatus, isPending: boolean): boolean =>
  isPending && etcdCluster !== undefined;

/** Milliseconds for which the first read may take; 0 if its result is known. */
function readLimitMs(controlPlane: ControlPlaneSnapshot, wasReady: boolean): number {
  if (!isUnknown(controlPlane, wasReady)) return 0;
  return wasReady && controlPlane.isReading === true ? PENDING_MS : FIRST_OBSERVATION_MS;
}

/** Whether the assessment has a problem other than the unfinished read. */
const isOtherwise = (
  { unobserved, problem: its }: ControlPlaneSnapshot,
  problem: Assessment['problem'],
): boolean => unobserved !== undefined || problem !== its;

const isUnknown = (controlPlane: ControlPlaneSnapshot, wasReady: boolean): boolean =>
  controlPlane.state === 'syncing' || (wasReady && isSilent(controlPlane));

/** Whether the API server does not answer. The first attempts may precede the network of the operator Pod. */
const isSilent = ({ state, ask, listens }: ControlPlaneSnapshot): boolean =>
  state === 'waiting' && ask === true && listens !== true;
