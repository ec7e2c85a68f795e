/** Whether a pass has come too early to say anything, as right after the operator's start: pure. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { ControlPlaneSnapshot, Snapshot } from '../snapshot.ts';
import type { Assessment } from './assessment.ts';
import { etcdHealth } from './etcd-health.ts';

/** How far this process has come in reading a control plane. */
export interface Reading {
  /** Milliseconds since it was to be read. */
  readonly sinceMs: number;
  /** Milliseconds since when its archive or its etcd are to be read; 0 when they are. */
  readonly pendingMs: number;
  /** Whether it has been read completely once. */
  readonly hasRead: boolean;
}

/** How long the status stays as it is while nothing is known, in milliseconds. */
export const FIRST_LOOK_MS = 30_000;

/** How long it does so for what an instance needs besides: longer than a download may take. */
export const PENDING_MS = 180_000;

/**
 * Whether an instance has merely not been read to the end: to know nothing yet is no reason to say something else than
 * before. It is one when the time for it has passed, when the spec has changed, or when something else is wrong.
 */
export function isUnread(
  { snapshot, problem }: Pick<Assessment, 'snapshot' | 'problem'>,
  before: KarmadaStatus,
  { sinceMs, pendingMs, hasRead }: Reading,
): boolean {
  const { controlPlane, karmada } = snapshot;
  const ready = before.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.observedGeneration !== karmada.metadata.generation) return false;
  if (isOtherwise(controlPlane, problem)) return false;
  const wasReady = ready?.status === 'True';
  if (wasReady && isPending(snapshot)) return pendingMs < PENDING_MS;
  return !hasRead && sinceMs < FIRST_LOOK_MS && isUnknown(controlPlane, wasReady);
}

/** Whether there is something to say besides that it has not been read. */
const isOtherwise = (
  { unobserved, problem: its }: ControlPlaneSnapshot,
  problem: Assessment['problem'],
): boolean => unobserved !== undefined || problem !== its;

/** Whether its archive has not been read, or its etcd's members have not been asked. */
export const isPending = (
  snapshot: Pick<Snapshot, 'archive' | 'host' | 'spec' | 'etcd'>,
): boolean => 'pending' in snapshot.archive || etcdHealth(snapshot).state === 'pending';

const isUnknown = (controlPlane: ControlPlaneSnapshot, wasReady: boolean): boolean =>
  controlPlane.state === 'syncing' || (wasReady && isSilent(controlPlane));

/** Whether its API server does not answer: the first attempts may come before the operator's own network is there. */
const isSilent = ({ state, ask, listens }: ControlPlaneSnapshot): boolean =>
  state === 'waiting' && ask === true && listens !== true;
