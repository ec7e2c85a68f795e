/** How far an upgrade is, from the status of the Karmada. Pure functions. */
import type {
  Condition,
  Karmada,
  KarmadaStatus,
  UpgradeStatus,
  Versions,
} from '../../api/karmada.ts';
import { BACKUP_STEP } from '../../instance/upgrade-backup.ts';

export interface UpgradeProgress {
  readonly state: 'running' | 'complete' | 'failed';
  readonly message: string;
}

const versionText = ({ karmada = '', kubernetes = '' }: Versions): string =>
  `Karmada ${karmada}, Kubernetes ${kubernetes}`;

/**
 * Returns the progress. A blocked or failed upgrade counts as failed, because it needs the user.
 * @param generation of the object after the patch
 */
export function upgradeProgress({ status = {} }: Karmada, generation: number): UpgradeProgress {
  const { observedGeneration = 0, conditions = [], versions = {}, upgrade } = status;
  if (observedGeneration < generation)
    return { state: 'running', message: 'Waiting for the operator to observe the new version' };
  const isReady = conditions.some(
    ({ type, status: value }) => type === 'Ready' && value === 'True',
  );
  if (isReady && upgrade === undefined)
    return { state: 'complete', message: `Upgrade complete: ${versionText(versions)}` };
  const failure = failureOf(conditions, upgrade);
  return failure === undefined
    ? { state: 'running', message: runningText(status) }
    : { state: 'failed', message: failure };
}

function failureOf(
  conditions: readonly Condition[],
  upgrade: UpgradeStatus | undefined,
): string | undefined {
  const stalled = conditions.find(({ type, status }) => type === 'Stalled' && status === 'True');
  if (stalled !== undefined) return `${stalled.reason}: ${stalled.message}`;
  const { phase, reason = '', message = '' } = upgrade ?? {};
  if (phase !== 'Halted' && phase !== 'RolledBack') return undefined;
  return `upgrade ${phase}: ${reason} ${message}`.trim();
}

function runningText({ phase = 'Pending', upgrade }: KarmadaStatus): string {
  const { step, backup } = upgrade ?? {};
  const name = step === BACKUP_STEP && backup !== undefined ? ` (KarmadaBackup ${backup})` : '';
  return `Phase ${phase}${step === undefined ? '' : `, step ${step}${name}`}`;
}
