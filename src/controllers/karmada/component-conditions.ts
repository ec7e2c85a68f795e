import type { Assessment } from '../../actions/assessment.ts';
import { COMPONENTS, isPerCluster } from '../../components/registry.ts';
import { CONDITION_TYPE } from '../../conditions/condition-types.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { reasonOf } from '../../assessment/waiting-steps.ts';
import { FEATURES } from './features.ts';

/** Returns one condition for each component of the control plane. Pure function. */
export function componentConditions(
  assessment: Pick<Assessment, 'snapshot' | 'states' | 'waiting' | 'causes'>,
): readonly ConditionDraft[] {
  const { snapshot, states, waiting, causes } = assessment;
  return COMPONENTS.filter(({ name }) => !isPerCluster(name)).flatMap(
    ({ name }): readonly ConditionDraft[] => {
      const state = states.get(name);
      if (state === undefined) return [];
      const type = CONDITION_TYPE[name];
      const [stopped] = FEATURES.flatMap((feature) => feature.stopped?.(name, snapshot) ?? []);
      if (stopped !== undefined) return [{ type, status: 'False', ...stopped }];
      if (state.state === 'complete')
        return [{ type, status: 'True', reason: 'Available', message: '' }];
      const { reason, message } = causes.get(name) ?? {
        reason: 'Progressing',
        message: reasonOf(state, waiting.get(name)),
      };
      return [{ type, status: 'False', reason, message }];
    },
  );
}
