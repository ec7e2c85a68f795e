/** Derives `status.upgrade`, the upgrade in progress. Pure functions. */
import type { KarmadaStatus, UpgradeStatus, Versions } from '../../api/karmada.ts';
import { movedVersions } from '../../api/versions/versions.ts';
import { wantedVersions } from '../../api/versions/wanted-versions.ts';
import { UPGRADE_STAGES } from '../../components/registry.ts';
import type { Step } from '../../components/component.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { completesRelease } from '../../assessment/assessment.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isIncomplete } from '../components/steps.ts';
import type { StepStates } from '../../actions/planner.ts';
import { isOtherSpec, progressOf, rolledBackVersions } from '../rollback/rollback-status.ts';
import {
  BACKUP_STEP,
  backupFields,
  blockedUpgrade,
  type UpgradeBackup,
} from '../../instance/upgrade-backup.ts';

/**
 * Returns source and target versions of an upgrade and its first incomplete step. An upgrade begins when the spec of an
 * installed control plane has other versions than those that run, and ends when the control plane is ready. An upgrade
 * over several minor versions of Karmada consists of several upgrades. Only the status stores the source versions.
 * @returns undefined if no upgrade is in progress
 */
export function upgradeOf(
  assessment: Pick<
    Assessment,
    'snapshot' | 'states' | 'waiting' | 'rollout' | 'unfinished' | 'problem' | 'blocked'
  >,
  before: KarmadaStatus,
  ready: boolean,
): UpgradeStatus | undefined {
  const { snapshot } = assessment;
  const { rollback } = snapshot;
  const { to, next } = targetOf(snapshot);
  if (completesRelease(assessment)) return following(to, next);
  const begun = withoutBackupStep(before.upgrade ?? beginning(snapshot, before, to));
  if (ready || begun === undefined) return undefined;
  return {
    ...(rollback ? rolledBackVersions(rollback) : { from: begun.from ?? {}, to }),
    ...nextOf(next),
    ...backupFields(snapshot, before),
    ...currentStep(assessment, before, begun),
  };
}

/** Versions of the upgrade. Until its backup is verified, the spec has the running ones. */
function targetOf(snapshot: Snapshot): Pick<UpgradeBackup, 'to' | 'next'> {
  const { spec, nextReleases = [] } = snapshot;
  return blockedUpgrade(snapshot) ?? { to: wantedVersions(spec), next: nextReleases };
}

/** First incomplete step, and with `onFailure: Rollback` its progress. */
function currentStep(
  assessment: Parameters<typeof upgradeOf>[0],
  before: KarmadaStatus,
  begun: UpgradeStatus,
): UpgradeStatus {
  const { snapshot, states } = assessment;
  const progress: UpgradeStatus =
    progressOf(assessment, before, begun) ?? stepOf(openStep(states) ?? begun.step);
  return blockedUpgrade(snapshot) === undefined ? progress : beforeFirstStep(progress);
}

/** The time of a step does not count before its start. */
const beforeFirstStep = ({ phase }: UpgradeStatus): UpgradeStatus => ({
  step: BACKUP_STEP,
  ...(phase && { phase }),
});

/** The step of the backup is never the last one that is known. */
const withoutBackupStep = (begun: UpgradeStatus | undefined): UpgradeStatus | undefined =>
  begun?.step === BACKUP_STEP ? withoutStep(begun) : begun;

const withoutStep = ({ step: _, ...upgrade }: UpgradeStatus): UpgradeStatus => upgrade;

const stepOf = (step: string | undefined): Pick<UpgradeStatus, 'step'> =>
  step === undefined ? {} : { step };

const nextOf = (next: readonly string[]): Pick<UpgradeStatus, 'next'> =>
  next.length > 0 ? { next } : {};

/** The upgrade that follows a completed one. */
function following(from: Versions, [karmada, ...next]: readonly string[]): UpgradeStatus {
  return { from, to: { ...from, ...(karmada && { karmada }) }, ...nextOf(next) };
}

/**
 * A new upgrade, if the spec of an installed control plane has other versions than those that run, or if the operator
 * would roll the change of the spec back.
 */
function beginning(
  snapshot: Snapshot,
  { versions: from = {}, secretRef }: KarmadaStatus,
  to: Versions,
): UpgradeStatus | undefined {
  const isMoved = secretRef !== undefined && movedVersions(from, to).length > 0;
  return isMoved || isOtherSpec(snapshot) ? { from } : undefined;
}

/** First incomplete step in upgrade order. */
function openStep(states: StepStates): Step | undefined {
  return UPGRADE_STAGES.flat().find((step) => isIncomplete(step, states));
}
