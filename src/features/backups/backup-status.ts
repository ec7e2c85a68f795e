/** Status of a backup from its Pod: pure. */
import type { Reason } from '../../api/reasons/condition-reasons.ts';
import type { BackupPhase, KarmadaBackup, KarmadaBackupStatus } from '../../api/backup/kinds.ts';
import { jobResultIn, type JobResult } from '../../backup/job/config.ts';
import type { ObjectCondition } from '../../kubernetes/objects/object.ts';
import type { Pod, ContainerStatus, Ended } from '../../kubernetes/objects/pod-kinds.ts';
import { isOriginRecorded, notProvenText } from './backup-origin.ts';
import { nextCondition } from './next-condition.ts';

type PodStatus = NonNullable<Pod['status']>;

/** A fact that a condition reports. */
export interface Report {
  readonly phase: BackupPhase;
  readonly reason: Reason;
  readonly message: string;
}

/** Whether a phase is final. */
export const isFinal = (phase: BackupPhase | undefined): boolean =>
  phase === 'Verified' || phase === 'Failed';

/** Status of a backup without a Pod. */
export const reported = (backup: KarmadaBackup, report: Report, now: string): KarmadaBackupStatus =>
  withConditions(backup, { ...backup.status, phase: report.phase }, { report, now });

/**
 * Status of a backup with its Pod.
 * @param at `folder` is undefined if the store is gone; `now` is RFC 3339
 */
export function statusOfPod(
  backup: KarmadaBackup,
  pod: Pod,
  at: { readonly folder: string | undefined; readonly now: string },
): KarmadaBackupStatus {
  const status = pod.status ?? {};
  const taken = backupIn(status, 'take') ?? backupIn(status, 'fetch');
  const compared = terminatedIn(status, 'compare');
  const report = reportOf(status, taken, compared);
  return withConditions(
    backup,
    {
      ...backup.status,
      ...(status.startTime !== undefined && { startedAt: status.startTime }),
      ...(taken !== undefined && fieldsOf(taken, at.folder)),
      ...endOf(report.phase, compared?.finishedAt ?? at.now),
      phase: report.phase,
    },
    { report, now: at.now },
  );
}

/** How the Pod of a deletion ended; before its end, what the kubelet reports. */
export function endOfPod(pod: Pod): {
  readonly phase: string | undefined;
  readonly message: string;
} {
  const status = pod.status ?? {};
  const { phase } = status;
  if (phase !== 'Failed') return { phase, message: waitingIn(status) };
  const text = failureText(failedIn(status)?.state?.terminated);
  return { phase, message: text ?? status.message ?? status.reason ?? 'see the log of its Pod' };
}

const endOf = (phase: BackupPhase, time: string): KarmadaBackupStatus => ({
  ...(isFinal(phase) && { finishedAt: time }),
  ...(phase === 'Verified' && { verifiedAt: time }),
});

function fieldsOf(
  taken: NonNullable<JobResult['backup']>,
  folder: string | undefined,
): KarmadaBackupStatus {
  const { createdAt, etcd, sizeBytes, storedBytes } = taken;
  const { lockedUntil, manifestSHA256, keyID, caSHA256 } = taken;
  return {
    ...(folder !== undefined && { folder }),
    takenAt: createdAt,
    revision: etcd.revision,
    keys: etcd.keys,
    etcdVersion: etcd.version,
    clusterID: etcd.clusterID,
    hash: etcd.hashes[0]?.hash ?? '',
    sizeBytes,
    storedBytes,
    ...(lockedUntil !== undefined && { lockedUntil }),
    ...(manifestSHA256 !== undefined && { manifestSHA256 }),
    ...(keyID !== undefined && { keyID }),
    ...(caSHA256 !== undefined && { caSHA256 }),
  };
}

const statusesIn = ({
  initContainerStatuses = [],
  containerStatuses = [],
}: PodStatus): readonly ContainerStatus[] => [...initContainerStatuses, ...containerStatuses];

const backupIn = (status: PodStatus, name: string): JobResult['backup'] =>
  resultOf(terminatedIn(status, name))?.backup;

const terminatedIn = (status: PodStatus, name: string): Ended | undefined =>
  statusesIn(status).find((one) => one.name === name)?.state?.terminated;

const VERIFIED: Report = {
  phase: 'Verified',
  reason: 'Verified',
  message: 'the restored data equals that of etcd',
};

function reportOf(
  status: PodStatus,
  taken: JobResult['backup'],
  compared: Ended | undefined,
): Report {
  if (isProven(compared)) return isSameManifest(taken, compared) ? VERIFIED : REPLACED;
  const failed = failedIn(status);
  const isEnded = status.phase === 'Failed' || status.phase === 'Succeeded';
  if (failed !== undefined || isEnded) return failure(status, failed, taken !== undefined);
  return progress(status, taken !== undefined);
}

const isProven = (compared: Ended | undefined): boolean =>
  compared?.exitCode === 0 && resultOf(compared)?.isProven === true;

/** The proof must be one of the manifest that was stored. */
const isSameManifest = (taken: JobResult['backup'], compared: Ended | undefined): boolean =>
  taken !== undefined && taken.manifestSHA256 === resultOf(compared)?.manifestSHA256;

const REPLACED: Report = {
  phase: 'Failed',
  reason: 'ProofFailed',
  message:
    'the store returned another manifest than the one that was stored; find out who can write to it',
};

/** First container that failed. The scratch etcd is a sidecar, whose exit code has no meaning. */
const failedIn = (status: PodStatus): ContainerStatus | undefined =>
  statusesIn(status).find(
    ({ name, state }) => name !== 'etcd' && (state?.terminated?.exitCode ?? 0) !== 0,
  );

function progress(status: PodStatus, isTaken: boolean): Report {
  const detail = waitingIn(status);
  return isTaken
    ? { phase: 'Verifying', reason: 'Verifying', message: `the backup is restored${detail}` }
    : { phase: 'Running', reason: 'Running', message: `the backup is taken${detail}` };
}

/** What the kubelet reports about a container that cannot start; otherwise empty. */
function waitingIn(status: PodStatus): string {
  const found = statusesIn(status).find(({ state }) => state?.waiting?.message !== undefined);
  const { reason = '', message = '' } = found?.state?.waiting ?? {};
  return found === undefined ? '' : `: ${reason} ${message}`;
}

function failure(status: PodStatus, failed: ContainerStatus | undefined, isTaken: boolean): Report {
  const where = failed === undefined ? (status.reason ?? 'PodFailed') : `container ${failed.name}`;
  const text = failureText(failed?.state?.terminated) ?? status.message ?? '';
  return isTaken
    ? {
        phase: 'Failed',
        reason: 'ProofFailed',
        message: `the backup is stored, but its proof failed in ${where}: ${text}`,
      }
    : { phase: 'Failed', reason: 'BackupFailed', message: `${where}: ${text}` };
}

const failureText = (ended: Ended | undefined): string | undefined =>
  resultOf(ended)?.error ?? ended?.message ?? ended?.reason;

const resultOf = (terminated: Ended | undefined): JobResult | undefined =>
  jobResultIn(terminated?.message);

function withConditions(
  backup: KarmadaBackup,
  status: KarmadaBackupStatus,
  { report, now }: { readonly report: Report; readonly now: string },
): KarmadaBackupStatus {
  const { phase, reason, message } = report;
  const condition = (type: string, isTrue: boolean): ObjectCondition => {
    const value = isTrue ? 'True' : isFinal(phase) ? 'False' : 'Unknown';
    return nextCondition(backup, { type, status: value, reason, message }, now);
  };
  const isStored = status.revision !== undefined;
  const origin = originOf(backup, status);
  return {
    ...status,
    conditions: [
      condition('Stored', isStored),
      condition('Verified', phase === 'Verified'),
      ...(origin === undefined ? [] : [nextCondition(backup, origin, now)]),
    ],
  };
}

/** The condition OriginProven; undefined before the manifest is known. */
function originOf(
  { metadata: { name }, spec }: KarmadaBackup,
  status: KarmadaBackupStatus,
): Parameters<typeof nextCondition>[1] | undefined {
  if (status.manifestSHA256 === undefined) return undefined;
  const type = 'OriginProven';
  return isOriginRecorded({ spec, status })
    ? {
        type,
        status: 'True',
        reason: 'OriginRecorded',
        message: 'the operator took the backup, and status.manifestSHA256 identifies its files',
      }
    : {
        type,
        status: 'False',
        reason: 'OriginNotRecorded',
        message: notProvenText(name, { spec }),
      };
}
