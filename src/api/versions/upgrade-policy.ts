/** Policy for upgrades, and for a change whose step is not complete in time (`spec.upgrade`). Pure functions. */
import { durationMs } from '../duration.ts';
import type { KarmadaSpec } from '../karmada.ts';

/** Whether a backup is taken before an upgrade. */
type BackupPolicy = NonNullable<NonNullable<KarmadaSpec['upgrade']>['backup']>;

/** Policy of backups before an upgrade, as the spec or its default says. */
export const backupPolicy = ({ upgrade }: Pick<KarmadaSpec, 'upgrade'>): BackupPolicy =>
  upgrade?.backup ?? 'IfConfigured';

/** Default of `spec.upgrade.stepDeadline`. */
const DEFAULT_STEP_DEADLINE = '10m';

/** Time that a step of a change has, as the spec or its default says. */
export const stepDeadline = ({ upgrade }: Pick<KarmadaSpec, 'upgrade'>): string =>
  upgrade?.stepDeadline || DEFAULT_STEP_DEADLINE;

/** The same in milliseconds. */
export const stepDeadlineMs = (spec: Pick<KarmadaSpec, 'upgrade'>): number =>
  durationMs(stepDeadline(spec)) ?? Infinity;

/** Whether the operator rolls a failed change back. */
export const rollsBack = ({ upgrade }: Pick<KarmadaSpec, 'upgrade'>): boolean =>
  upgrade?.onFailure === 'Rollback';
