/** Order of a rollback: the reverse of an upgrade, so that no client is newer than its server. Pure functions. */
import type { Step } from '../../components/component.ts';
import { COMPONENTS, UPGRADE_STAGES, isComponent } from '../../components/registry.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import { withUntouched } from '../operator-rollout/rollout-order.ts';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import { byIdentity } from '../../kubernetes/objects/object.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { isIncomplete, isServing } from './steps.ts';
import type { StepStates } from '../../actions/planner.ts';
import { blockedUpgrade } from '../../instance/upgrade-backup.ts';

/** Estimators depend on member clusters, and the control plane is Ready without them. */
const OPTIONAL: ReadonlySet<string> = new Set(
  COMPONENTS.filter(({ perCluster }) => perCluster !== undefined).map(({ name }) => name),
);

/** Whether a step counts for the success of a change. */
export const isRequired = (step: Step): boolean => !OPTIONAL.has(step);

/** Index of the upgrade stage of a step; -1 for a step without one. */
export const stageOf = (step: string | undefined): number =>
  UPGRADE_STAGES.findIndex((stage) => stage.some((name) => name === step));

/**
 * Steps of later stages that return before this one. A step that does not serve waits for nothing, since its clients
 * may need it to become ready. After one more deadline all steps return at once, so that no mixture of versions stays.
 */
export function returnsAfter(
  step: Step,
  states: StepStates,
  { rollback, controlPlane }: Pick<Snapshot, 'rollback' | 'controlPlane'>,
): readonly Step[] {
  if (rollback === undefined || rollback.isOverdue || !isServing(step, states)) return [];
  const isReadable = controlPlane.state === 'ready';
  return UPGRADE_STAGES.slice(stageOf(step) + 1)
    .flat()
    .filter((later) => later !== 'crds' && isRequired(later))
    .filter((later) => isIncomplete(later, states) && (isReadable || isComponent(later)));
}

/**
 * Keeps the CRDs in a rollback, and before an upgrade that waits for a backup. Objects may be stored with the fields and
 * versions of the failed release; the components of the last one work with them, as they do between the steps of an
 * upgrade. An archive in the spec is that of the release after the upgrade.
 */
export function withKeptCrds(
  desired: DesiredObjects,
  snapshot: Pick<Snapshot, 'rollback' | 'controlPlane' | 'upgradeBackup'>,
): DesiredObjects {
  const { rollback, controlPlane } = snapshot;
  if (rollback === undefined && blockedUpgrade(snapshot) === undefined) return desired;
  const live = byIdentity(controlPlane.objects);
  const newer = desired.objects.filter(({ step, id, hash }) => {
    const applied = live.get(id)?.metadata.annotations?.[APPLIED_HASH];
    return step === 'crds' && applied !== undefined && applied !== hash;
  });
  return withUntouched(desired, controlPlane.objects, newer);
}
