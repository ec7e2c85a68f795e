/** Summarizes one reconcile, per component: what is incomplete, what failed and why. Pure functions. */
import type { Problem } from '../../api/problem.ts';
import type { Warning } from '../../api/warning.ts';
import { wantedVersions } from '../../api/wanted-versions.ts';
import type { ComponentName, Step } from '../../components/component.ts';
import { COMPONENTS } from '../../components/registry.ts';
import type { RolloutTurn } from '../operator-rollout/rollout-order.ts';
import { identity, byIdentity } from '../../kubernetes/object.ts';
import { liveKey, type ExecutionResult } from '../../actions/execution-result.ts';
import type { FailedReadiness } from '../../control-plane-access/readiness-gate.ts';
import type { Unfinished } from '../../actions/feature.ts';
import { isPerCluster } from '../components/steps.ts';
import { CONDITION_TYPE } from '../../conditions/condition-types.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import type { Cause } from '../../causes/cause.ts';
import type { BlockedChange } from '../../instance/blocked-change.ts';
import { withObjects, type CertificatesView, type Snapshot } from '../../instance/snapshot.ts';
import type { StepStates } from '../components/steps.ts';
import type { Waiting } from '../components/gate.ts';
import { stoppedProblem } from './stopped-component.ts';
import { reasonOf } from './waiting-steps.ts';

/** Reason of a reconcile in which API calls failed that the next reconcile retries. */
export const FAILED_CALL = 'Error';

/** Reasons of failed calls that the operator repeats. */
export const RETRIED: ReadonlySet<string> = new Set([
  FAILED_CALL,
  'UserWebhookFails',
  'WebhookRefusesObjects',
]);

export interface Assessment {
  readonly snapshot: Snapshot;
  readonly view: CertificatesView | undefined;
  readonly states: StepStates;
  /** By step, why the plan does not write its objects now. */
  readonly waiting: ReadonlyMap<Step, Waiting>;
  readonly unfinished: readonly Unfinished[];
  /** First problem that requires user action or a retry. */
  readonly problem: Problem | undefined;
  /** Why components are not ready, as far as it is known. Uncertain causes are no problems yet. */
  readonly causes: ReadonlyMap<ComponentName, Cause>;
  readonly certificateProblem: Problem | undefined;
  readonly warnings: readonly Warning[];
  /** Condition of the estimators, which do not count for the readiness of the control plane. */
  readonly estimators: readonly ConditionDraft[];
  /** Whether Pods roll, or wait to roll, for a new version of the operator. */
  readonly rollout: RolloutTurn;
  /** First blocked change. */
  readonly blocked: BlockedChange | undefined;
  /** Progress of a control plane that is not ready. `lastAt`: wall clock in milliseconds. */
  readonly progress?: { readonly lastAt: number; readonly isOverdue: boolean };
}

/** Whether no step is incomplete, no problem was found and no change is blocked. */
export function isComplete({ unfinished, problem, blocked }: Assessment): boolean {
  return unfinished.length === 0 && problem === undefined && blocked === undefined;
}

/** Adds the messages of failed readiness checks to the assessment of a control plane with complete steps. */
export function withFailedReadiness(
  assessment: Assessment,
  { sentences, problem = assessment.problem }: Pick<FailedReadiness, 'sentences' | 'problem'>,
): Assessment {
  const unanswered = sentences.map((message) => ({ step: 'serving' as const, message }));
  return { ...assessment, problem, unfinished: [...assessment.unfinished, ...unanswered] };
}

/** Adds the Karmada releases that follow to the assessment: the control plane is not ready before the last one. */
export function withNextReleases(assessment: Assessment): Assessment {
  const { nextReleases = [], spec } = assessment.snapshot;
  if (nextReleases.length === 0) return assessment;
  const { karmada = '' } = wantedVersions(spec);
  const message = `upgrade of Karmada to ${karmada}; ${nextReleases.join(' and ')} follow`;
  const next = { step: 'next-release' as const, message };
  return { ...assessment, unfinished: [...assessment.unfinished, next] };
}

/** Whether a release on the way to the requested one is complete. */
export function completesRelease({
  unfinished,
  problem,
  blocked,
}: Pick<Assessment, 'unfinished' | 'problem' | 'blocked'>): boolean {
  const onlyNext = unfinished.length > 0 && unfinished.every(({ step }) => step === 'next-release');
  return onlyNext && problem === undefined && blocked === undefined;
}

/** Replaces cached objects of the snapshot by the responses of this reconcile's writes, which are newer. */
export function withExecutionResult(snapshot: Snapshot, outcome: ExecutionResult): Snapshot {
  return withObjects(snapshot, (cluster, objects) => {
    const known = new Map(byIdentity(objects));
    for (const [key, object] of outcome.live)
      if (key === liveKey(cluster, identity(object))) known.set(identity(object), object);
    return [...known.values()];
  });
}

/** Returns one condition for each component of the control plane. */
export function componentFindings(assessment: Assessment): readonly ConditionDraft[] {
  const { snapshot, states, waiting, causes } = assessment;
  return COMPONENTS.filter(({ name }) => !isPerCluster(name)).flatMap(
    ({ name }): readonly ConditionDraft[] => {
      const state = states.get(name);
      if (state === undefined) return [];
      const type = CONDITION_TYPE[name];
      const stopped = stoppedProblem(name, snapshot);
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
