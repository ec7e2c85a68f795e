/** The upgrade that an instance is in the middle of, as its status tells it: pure. */
import type { KarmadaStatus, UpgradeStatus, Versions } from '../../api/karmada.ts';
import { movedVersions } from '../../api/versions.ts';
import { wantedVersions } from '../../api/wanted-versions.ts';
import { UPGRADE_STAGES } from '../../components/registry.ts';
import type { Step } from '../../components/component.ts';
import type { Assessment } from '../status/assessment.ts';
import { isOpen, type StepStates } from '../steps.ts';

/**
 * From which versions to which the instance goes, and which step it has come to. An upgrade begins when an installed
 * instance is asked for other versions than it runs, and ends when the instance is ready; what it came from is
 * remembered in the status alone.
 * @returns undefined when none is under way
 */
export function upgradeOf(
  { snapshot, states }: Pick<Assessment, 'snapshot' | 'states'>,
  before: KarmadaStatus,
  ready: boolean,
): UpgradeStatus | undefined {
  const to = wantedVersions(snapshot.spec);
  const begun = before.upgrade ?? beginning(before, to);
  if (ready || begun === undefined) return undefined;
  const step = openStep(states) ?? begun.step;
  return { from: begun.from ?? {}, to, ...(step && { step }) };
}

/** An installed instance that is asked for other versions than it runs. */
function beginning(before: KarmadaStatus, to: Versions): UpgradeStatus | undefined {
  const { versions: from = {}, secretRef } = before;
  return secretRef !== undefined && movedVersions(from, to).length > 0 ? { from } : undefined;
}

/** The first step in upgrade order that is not done. */
function openStep(states: StepStates): Step | undefined {
  return UPGRADE_STAGES.flat().find((step) => isOpen(step, states));
}
