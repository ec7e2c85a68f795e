/** Decides what a KarmadaBackupStore reports and when it is probed: pure. */
import type { KarmadaBackupStore, KarmadaBackupStoreStatus } from '../../../api/backup/kinds.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import { conditionOf, isTerminating } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../../kubernetes/time/time.ts';
import { endOfPod } from '../../../features/backups/backup-status.ts';
import { nextCondition } from '../../../features/backups/next-condition.ts';
import { timeText } from '../../../features/backups/time.ts';
import { PROBE_ANNOTATION } from './probe-pod.ts';

/** What a store is decided on. */
export interface StoreFacts {
  /** What is missing or wrong in the Secrets of the store. */
  readonly problem?: Problem;
  /** Whether the PVC exists in the management cluster; false for a bucket. */
  readonly hasClaim: boolean;
  /** Hash of the generation and of the versions of the Secrets. */
  readonly hash: string;
  /** Pod of a probe. */
  readonly pod: Pod | undefined;
  /** Whether the operator knows its own image. */
  readonly hasImage: boolean;
  /** Wall clock in milliseconds. */
  readonly now: number;
}

export interface StorePlan {
  readonly status: KarmadaBackupStoreStatus;
  /** What happens to the Pod of the probe after the status was written. `configure`: its Secret must exist. */
  readonly pod?: 'create' | 'configure' | 'delete';
  /** Time until the next decision in milliseconds. */
  readonly afterMs: number;
}

const MINUTE_MS = 60_000;
/** Pauses until the next decision: while a Pod runs, after a problem, and otherwise. Secrets have no watch. */
const POD_MS = 2_000;
const PROBLEM_MS = 15_000;
const IDLE_MS = MINUTE_MS;
/** Pauses until the next probe, after a success and after a failure. */
const PROBE_MS = 24 * 60 * MINUTE_MS;
const RETRY_MS = 10 * MINUTE_MS;

interface Finding extends Problem {
  readonly status: 'True' | 'False' | 'Unknown';
}

/** Plans a store. */
export function planStore(store: KarmadaBackupStore, facts: StoreFacts): StorePlan {
  const { pod } = facts;
  const finding = unprobed(store, facts);
  if (finding === undefined) return probed(store, facts);
  const status = reported(store, finding, facts.now);
  const afterMs = finding.status === 'False' ? PROBLEM_MS : IDLE_MS;
  return { status, afterMs, ...(pod && { pod: 'delete' }) };
}

/** What is reported without a probe; undefined if the store must be probed. */
function unprobed({ spec }: KarmadaBackupStore, facts: StoreFacts): Finding | undefined {
  const { problem, hasClaim, hasImage } = facts;
  if (problem !== undefined) return { status: 'False', ...problem };
  if (spec.volume !== undefined) return claimState(spec.volume.claimName, hasClaim);
  if (spec.probe === 'Never')
    return {
      status: 'Unknown',
      reason: 'ProbeDisabled',
      message: 'spec.probe is Never; the Secrets of the store are valid',
    };
  return hasImage
    ? undefined
    : {
        status: 'Unknown',
        reason: 'NoImage',
        message:
          'the operator runs without the flag --backup-image, so it does not probe the store',
      };
}

const claimState = (claim: string, isThere: boolean): Finding =>
  isThere
    ? {
        status: 'True',
        reason: 'ClaimFound',
        message: `PersistentVolumeClaim ${claim} exists; a volume is not probed`,
      }
    : {
        status: 'Unknown',
        reason: 'ClaimNotFound',
        message: `spec.volume.claimName: PersistentVolumeClaim ${claim} not found in the management cluster; create it, unless the control planes are in remote host clusters, where the operator does not look for it`,
      };

function probed(store: KarmadaBackupStore, facts: StoreFacts): StorePlan {
  const { pod } = facts;
  if (pod === undefined) return withoutPod(store, facts);
  const status = probing(store, facts);
  if (isTerminating(pod)) return { status, afterMs: POD_MS };
  if (pod.metadata.annotations?.[PROBE_ANNOTATION] !== facts.hash)
    return { status, pod: 'delete', afterMs: POD_MS };
  const { phase, message } = endOfPod(pod);
  if (phase !== 'Succeeded' && phase !== 'Failed')
    return { status: probing(store, facts, message), pod: 'configure', afterMs: POD_MS };
  const finding: Finding =
    phase === 'Succeeded'
      ? { status: 'True', reason: 'ProbeSucceeded', message: SUCCESS }
      : { status: 'False', reason: 'ProbeFailed', message };
  return { status: afterProbe(store, facts, finding), pod: 'delete', afterMs: POD_MS };
}

const afterProbe = (
  store: KarmadaBackupStore,
  { now, hash }: StoreFacts,
  finding: Finding,
): KarmadaBackupStoreStatus => ({
  ...reported(store, finding, now),
  probedAt: timeText(now),
  probedHash: hash,
});

/** Status after the API server refused the Pod of a probe, which counts as a failed probe. */
export const refusedProbe = (
  store: KarmadaBackupStore,
  facts: StoreFacts,
  { message }: Problem,
): KarmadaBackupStoreStatus =>
  afterProbe(store, facts, { status: 'False', reason: 'ProbeFailed', message });

const SUCCESS = 'a Pod has written, listed, read and deleted an object';

function withoutPod(store: KarmadaBackupStore, facts: StoreFacts): StorePlan {
  const dueMs = untilDue(store, facts);
  const status = probing(store, facts);
  return dueMs <= 0
    ? { status, pod: 'create', afterMs: POD_MS }
    : { status, afterMs: Math.min(dueMs, IDLE_MS) };
}

/** Whether the condition is that of a probe of the present spec and Secrets. */
const isCurrent = (store: KarmadaBackupStore, { hash }: StoreFacts): boolean =>
  store.status?.probedHash === hash &&
  /^Probe(Succeeded|Failed)$/.test(conditionOf(store, 'Ready')?.reason ?? '');

function untilDue(store: KarmadaBackupStore, facts: StoreFacts): number {
  if (!isCurrent(store, facts)) return 0;
  const pause = conditionOf(store, 'Ready')?.status === 'True' ? PROBE_MS : RETRY_MS;
  const before = parseTime(store.status?.probedAt);
  return Number.isFinite(before) ? before + pause - facts.now : 0;
}

/** A repeated probe keeps the condition of the last one until it has ended. */
function probing(
  store: KarmadaBackupStore,
  facts: StoreFacts,
  detail = '',
): KarmadaBackupStoreStatus {
  if (store.status !== undefined && isCurrent(store, facts)) return store.status;
  const message = `a Pod probes the store${detail}`;
  return reported(store, { status: 'Unknown', reason: 'Probing', message }, facts.now);
}

function reported(
  store: KarmadaBackupStore,
  finding: Finding,
  now: number,
): KarmadaBackupStoreStatus {
  const condition = nextCondition(store, { type: 'Ready', ...finding }, timeText(now));
  return { ...store.status, conditions: [condition] };
}
