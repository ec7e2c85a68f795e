/** Objects that a reconcile has just changed for a new spec: pure. */
import type { Step } from '../components/component.ts';
import { APPLIED_HASH } from '../kubernetes/objects/compare.ts';
import { nameOf } from '../kubernetes/objects/object.ts';
import { ofKind } from '../actions/action.ts';
import type { Plan } from '../actions/planner.ts';
import type { Snapshot } from '../instance/snapshot.ts';

/**
 * Describes the objects that the plan changes for a generation of the spec that the status does not contain yet. `Ready`
 * is False in that reconcile, also if no Pod restarts: clients that wait for a change of `Ready`, such as those of the
 * Go operator, then see it.
 */
export function appliedChanges(
  { karmada: { metadata, status } }: Pick<Snapshot, 'karmada'>,
  { actions }: Pick<Plan, 'actions'>,
): readonly { readonly step: Step; readonly message: string }[] {
  if (status?.observedGeneration === metadata.generation) return [];
  return ofKind(actions, 'apply')
    .filter(({ target, cached }) => cached?.metadata.annotations?.[APPLIED_HASH] !== target.hash)
    .map(({ target: { step, object } }) => ({ step, message: `${nameOf(object)}: changed` }));
}
