/** Holds an upgrade until its backup is verified: pure. */
import type { ComponentKey, Versions } from '../../api/karmada.ts';
import { backupPolicy } from '../../api/versions/upgrade-policy.ts';
import {
  compareVersions,
  movedVersions,
  parseVersion,
  type MovedVersion,
} from '../../api/versions/versions.ts';
import { wantedVersions } from '../../api/versions/wanted-versions.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import type { ResolvedSpec, ResolveInput } from '../versions/resolve-spec.ts';
import { runningImage, type RunningEvidence } from '../versions/running-image.ts';
import { blockedStepOf, keepVersions } from '../versions/version-guard.ts';
import type { DueUpgrade } from './decide-upgrade-backup.ts';
import {
  hasBegun,
  type BackupDecision,
  type UpgradeBackup,
} from '../../instance/upgrade-backup.ts';

/** Component whose image defines the version of a part. */
const LEADER: Readonly<Record<keyof Versions, ComponentKey | 'etcd'>> = {
  etcd: 'etcd',
  kubernetes: 'karmadaAPIServer',
  karmada: 'karmadaControllerManager',
};

/**
 * Returns the upgrade that is about to start its first step. A rollback is none, and an upgrade that has begun needs no
 * backup any more.
 * @returns undefined if there is none, or no backup is to be taken
 */
export function dueUpgrade(
  { karmada, status, host, now }: ResolveInput,
  { spec, rollback }: Pick<ResolvedSpec, 'spec' | 'rollback'>,
): DueUpgrade | undefined {
  const isExempt = rollback !== undefined || backupPolicy(karmada.spec ?? {}) === 'Never';
  if (isExempt || status.secretRef === undefined || hasBegun(status)) return undefined;
  const to = wantedVersions(spec);
  // A part whose workload has the new version already may only report it late.
  const moved = movedVersions(status.versions ?? {}, to).filter(
    (move) => !isTemplateAt(move, evidenceOf({ status, host })),
  );
  return moved.length === 0 ? undefined : { karmada, status, to, moved, now };
}

/**
 * Without the target of an upgrade: before its first step no component runs it, so the operator recreates a deleted
 * workload in the former version.
 */
const evidenceOf = ({ status, host }: Pick<ResolveInput, 'status' | 'host'>): RunningEvidence => ({
  status: status.versions === undefined ? {} : { versions: status.versions },
  host,
});

/** Whether the operator has already written the new version to the workload of a part. */
function isTemplateAt({ subject, after }: MovedVersion, evidence: RunningEvidence): boolean {
  const { imageTag = '' } = runningImage(evidence, subject, LEADER[subject]) ?? {};
  const [live, wanted] = [parseVersion(imageTag), parseVersion(after)];
  return live !== undefined && wanted !== undefined && compareVersions(live, wanted) === 0;
}

/** Applies a decision: until the first step may start, the running versions replace those of the spec. */
export function withDecision(
  { status, host }: Pick<ResolveInput, 'status' | 'host'>,
  resolved: ResolvedSpec,
  { to, moved }: Pick<DueUpgrade, 'to' | 'moved'>,
  decision: BackupDecision,
): ResolvedSpec & { readonly upgradeBackup: UpgradeBackup } {
  const { spec, blockedVersions, nextReleases } = resolved;
  const upgradeBackup = { decision, to, next: nextReleases };
  if (decision.kind === 'go') return { ...resolved, upgradeBackup };
  const subjects = moved.map(({ subject }) => subject);
  return {
    ...resolved,
    upgradeBackup,
    spec: keepVersions(spec, subjects, evidenceOf({ status, host })),
    nextReleases: [],
    blockedVersions: [...blockedVersions, ...blockedBy(decision, moved)],
  };
}

/** Returns the blocked change of a decision that only the user can change. */
export function blockedBy(
  decision: BackupDecision,
  [first]: readonly MovedVersion[],
): readonly BlockedChange[] {
  if (decision.kind !== 'blocked' || first === undefined) return [];
  const { reason, message } = decision;
  return [{ step: blockedStepOf(first.subject), reason, message }];
}
