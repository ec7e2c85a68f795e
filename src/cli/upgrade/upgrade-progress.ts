/** How far an upgrade is, from the status of the Karmada. Pure functions. */
import type { Condition, Karmada, Versions } from '../../api/karmada.ts';

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
  const { observedGeneration = 0, conditions = [], versions = {}, upgrade, phase } = status;
  const condition = (type: string): Condition | undefined =>
    conditions.find((item) => item.type === type);
  if (observedGeneration < generation)
    return { state: 'running', message: 'Waiting for the operator to observe the new version' };
  const ready = condition('Ready');
  if (ready?.status === 'True' && upgrade === undefined)
    return { state: 'complete', message: `Upgrade complete: ${versionText(versions)}` };
  const stalled = condition('Stalled');
  if (stalled?.status === 'True')
    return { state: 'failed', message: `${stalled.reason}: ${stalled.message}` };
  if (upgrade?.phase === 'Halted' || upgrade?.phase === 'RolledBack')
    return {
      state: 'failed',
      message: `upgrade ${upgrade.phase}: ${upgrade.reason ?? ''} ${upgrade.message ?? ''}`.trim(),
    };
  const step = upgrade?.step === undefined ? '' : `, step ${upgrade.step}`;
  return { state: 'running', message: `Phase ${phase ?? 'Pending'}${step}` };
}
