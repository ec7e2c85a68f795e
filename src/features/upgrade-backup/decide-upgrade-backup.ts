/** Decides about the backup before an upgrade: pure. */
import {
  createdAt,
  karmadaBackups,
  UPGRADE_LABEL,
  type KarmadaBackup,
  type KarmadaBackupSchedule,
} from '../../api/backup/kinds.ts';
import type { Karmada, KarmadaStatus, Versions } from '../../api/karmada.ts';
import { backupPolicy } from '../../api/versions/upgrade-policy.ts';
import type { MovedVersion } from '../../api/versions/versions.ts';
import { sha256 } from '../../kubernetes/objects/intent.ts';
import { isTerminating } from '../../kubernetes/objects/object.ts';
import { apiVersionOf } from '../../kubernetes/objects/resources.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import { isFinal } from '../backups/backup-status.ts';
import { deadlineOf } from '../backups/job-pod.ts';
import { unsupported } from '../backups/supported.ts';
import type { BackupDecision } from '../../instance/upgrade-backup.ts';

/** What the operator read about backups in the namespace of the Karmada. */
export type BackupReading =
  | { readonly state: 'notInstalled' }
  /** The read failed. */
  | { readonly state: 'unknown'; readonly error: string }
  | {
      readonly state: 'read';
      /** Those with the label of the upgrade. */
      readonly backups: readonly KarmadaBackup[];
      readonly schedules: readonly KarmadaBackupSchedule[];
      /** Names of the KarmadaBackupStores. */
      readonly stores: readonly string[];
    };

/** An upgrade that is about to start. */
export interface DueUpgrade {
  readonly karmada: Karmada;
  /** Status that was written last. */
  readonly status: KarmadaStatus;
  readonly to: Versions;
  /** At least one. */
  readonly moved: readonly MovedVersion[];
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/** A verified backup is used again after a crash of the operator, but not for a later attempt. */
const FRESH_MS = 3_600_000;
const MAX_NAME_LENGTH = 52;
const NEVER = 'set spec.upgrade.backup to Never';

/** Decides whether the first step of an upgrade may start, and which backup is taken before. */
export function decideUpgradeBackup(upgrade: DueUpgrade, reading: BackupReading): BackupDecision {
  const { karmada } = upgrade;
  const refused = unsupported(karmada);
  if (refused !== undefined)
    return withoutBackup(karmada, `${refused}; back it up by other means, then ${NEVER}`);
  if (reading.state === 'notInstalled')
    return withoutBackup(karmada, `the CRDs of backups are not installed; apply them, or ${NEVER}`);
  if (reading.state === 'unknown')
    return {
      kind: 'wait',
      message: `the operator cannot read the backups in the namespace (${reading.error}); it tries again`,
    };
  const own = backupsOf(upgrade, reading.backups);
  const current = own.find((backup) => isCurrent(backup, upgrade));
  if (current !== undefined) return stateOf(current, upgrade.now);
  const target = backupTarget(karmada, reading);
  if ('problem' in target)
    return target.isAmbiguous ? missing(target.problem) : withoutBackup(karmada, target.problem);
  const create = backupFor(upgrade, target.template, own[0]?.metadata.uid);
  const { name } = create.metadata;
  return { kind: 'wait', name, create, message: `KarmadaBackup ${name} is created` };
}

const missing = (message: string): BackupDecision => ({
  kind: 'blocked',
  reason: 'UpgradeBackupMissing',
  message: `no backup before the upgrade: ${message}`,
});

/** No backup is possible: the policy decides. */
const withoutBackup = ({ spec = {} }: Karmada, message: string): BackupDecision =>
  backupPolicy(spec) === 'Required' ? missing(message) : { kind: 'go' };

/** Label of the backups before an upgrade to these versions. */
export const upgradeLabel = ({ karmada, kubernetes, etcd }: Versions): string =>
  [karmada, kubernetes, etcd].map((version) => version ?? 'none').join('_');

/** Backups of this upgrade, the newest first. Those of an earlier Karmada with this name do not count. */
function backupsOf(
  { karmada: { metadata }, to }: DueUpgrade,
  backups: readonly KarmadaBackup[],
): readonly KarmadaBackup[] {
  const { creationTimestamp: since = '' } = metadata;
  return backups
    .filter(({ spec }) => spec.karmadaRef.name === metadata.name)
    .filter((backup) => backup.metadata.labels?.[UPGRADE_LABEL] === upgradeLabel(to))
    .filter((backup) => createdAt(backup) >= since)
    .toSorted((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1));
}

/** RFC 3339 in UTC, so that texts can be compared. */

/** Whether a backup belongs to this attempt, and not to an earlier upgrade to the same versions. */
function isCurrent(backup: KarmadaBackup, { status, now }: DueUpgrade): boolean {
  if (isTerminating(backup)) return false;
  const { phase, verifiedAt = '' } = backup.status ?? {};
  const isNamed = status.upgrade?.backup === backup.metadata.name;
  if (phase === 'Failed') return isNamed;
  if (isNamed && status.upgrade?.phase === 'RolledBack') return false;
  return phase !== 'Verified' || now - parseTime(verifiedAt) < FRESH_MS;
}

function stateOf(backup: KarmadaBackup, now: number): BackupDecision {
  const { name } = backup.metadata;
  const { phase } = backup.status ?? {};
  if (phase === 'Verified') return { kind: 'go', name };
  const state = stateText(backup);
  const seconds = deadlineOf(backup);
  const isLate = now - parseTime(createdAt(backup)) > seconds * 1_000;
  if (!isFinal(phase) && !isLate)
    return { kind: 'wait', name, message: `waits for KarmadaBackup ${name} (${state})` };
  const late = isFinal(phase) ? '' : `, and not verified after ${String(seconds)} s`;
  return {
    kind: 'blocked',
    name,
    reason: 'UpgradeBackupFailed',
    message: `KarmadaBackup ${name} before the upgrade: ${state}${late}; delete it to take another one, or ${NEVER}`,
  };
}

/** Phase of a backup, with what its condition says. */
function stateText({ status = {} }: KarmadaBackup): string {
  const { phase = 'Pending', conditions = [] } = status;
  const message = conditions.find(({ type }) => type === 'Verified')?.message ?? '';
  return message === '' ? phase : `${phase}: ${message}`;
}

/** Where the backup is stored, or why none is selected. */
type BackupTarget =
  | { readonly template: Omit<KarmadaBackup['spec'], 'karmadaRef'> }
  | { readonly problem: string; readonly isAmbiguous?: true };

function backupTarget(
  { metadata: { name } }: Karmada,
  { schedules, stores }: Extract<BackupReading, { readonly state: 'read' }>,
): BackupTarget {
  const [schedule] = schedules
    .filter(({ spec }) => spec.template.karmadaRef.name === name)
    .filter((one) => !isTerminating(one))
    .toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1));
  if (schedule !== undefined) return { template: schedule.spec.template };
  const [store, ...others] = [...stores].sort();
  const how = `create a KarmadaBackupSchedule for this Karmada, which may be suspended, or ${NEVER}`;
  if (store === undefined)
    return {
      problem: `the namespace has neither a KarmadaBackupStore nor a KarmadaBackupSchedule for this Karmada; create one, or ${NEVER}`,
    };
  if (others.length > 0)
    return {
      problem: `the namespace has several KarmadaBackupStores (${[store, ...others].join(', ')}), and none is selected; ${how}`,
      isAmbiguous: true,
    };
  return { template: { storeRef: { name: store } } };
}

/** Schedules that are not suspended come first. */
const rankOf = ({ metadata, spec }: KarmadaBackupSchedule): string =>
  `${spec.suspend === true ? 'b' : 'a'} ${metadata.name}`;

/** @param previous UID of the newest backup of an earlier attempt, so that each attempt has its own name */
function backupFor(
  { karmada, to, moved }: DueUpgrade,
  { storeRef, deletionPolicy, activeDeadlineSeconds }: Omit<KarmadaBackup['spec'], 'karmadaRef'>,
  previous = '',
): KarmadaBackup {
  const { name, namespace = '', uid = '' } = karmada.metadata;
  const label = upgradeLabel(to);
  const hash = sha256(JSON.stringify([uid, label, previous])).slice(0, 8);
  const suffix = `-${targetText(moved)}-${hash}`;
  const start = name.slice(0, MAX_NAME_LENGTH - suffix.length).replace(/(?<![.-])[.-]+$/, '');
  return {
    apiVersion: apiVersionOf(karmadaBackups),
    kind: karmadaBackups.kind,
    metadata: { name: `${start}${suffix}`, namespace, labels: { [UPGRADE_LABEL]: label } },
    spec: {
      karmadaRef: { name },
      storeRef: { name: storeRef.name },
      ...(deletionPolicy && { deletionPolicy }),
      ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
    },
  };
}

/** Such as `v1-18-2`, or `kubernetes-v1-35-4` if the Karmada release stays. */
function targetText(moved: readonly MovedVersion[]): string {
  const karmada = moved.find(({ subject }) => subject === 'karmada');
  const { subject = '', after = '' } = karmada ?? moved[0] ?? {};
  return `${karmada === undefined ? `${subject}-` : ''}${after.replaceAll('.', '-')}`;
}
