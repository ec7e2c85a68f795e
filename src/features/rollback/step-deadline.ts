/** Deadline of the step of a change. Pure functions. */
import type { Condition, Karmada, KarmadaStatus, UpgradeStatus } from '../../api/karmada.ts';
import { COMPONENT } from '../../api/labels.ts';
import { stepDeadline, stepDeadlineMs } from '../../api/versions/upgrade-policy.ts';
import type { Step } from '../../components/component.ts';
import { UPGRADE_STAGES, isComponent } from '../../components/registry.ts';
import { lackOfArchive } from '../../crd-archives/outcome.ts';
import { largestOf } from '../../kubernetes/objects/largest.ts';
import { conditionOf } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { RolloutTurn } from '../../instance/rollout-turn.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { CONDITION_TYPE } from '../../conditions/condition-types.ts';
import { isIncomplete } from '../components/steps.ts';
import type { StepStates } from '../../actions/planner.ts';
import type { Waiting } from '../../instance/waiting.ts';
import { isRequired, stageOf } from '../components/order.ts';
import type { FailedChange } from '../../instance/ready-record.ts';

/** The functional checks, after all steps. */
export const READINESS_CHECK = 'serving';

/** State of a change, before or after its actions are executed. */
export interface ChangeState {
  readonly snapshot: Pick<Snapshot, 'karmada' | 'now' | 'host' | 'archive' | 'controlPlane'>;
  readonly states: StepStates;
  /** By step, why the plan does not write its objects now. */
  readonly waiting: ReadonlyMap<Step, Waiting>;
  readonly rollout: RolloutTurn;
}

interface OpenStep {
  readonly step: string;
  /** Whether the operator does not execute the step, so that its time does not count. */
  readonly isBlocked: boolean;
}

/** Returns the first incomplete step in upgrade order; in its stage, one that is not blocked. */
export function openStep(change: ChangeState): OpenStep | undefined {
  for (const stage of UPGRADE_STAGES) {
    const steps = stage.filter((step) => isRequired(step) && isIncomplete(step, change.states));
    const running = steps.find((step) => !isBlocked(step, change));
    const [step = undefined] = running === undefined ? steps : [running];
    if (step !== undefined) return { step, isBlocked: running === undefined };
  }
  return undefined;
}

/** Whether the operator does not execute a step, or cannot see it. Waiting for other steps is part of their time. */
function isBlocked(step: Step, { snapshot, waiting, rollout }: ChangeState): boolean {
  const reason = waiting.get(step)?.reason;
  if (rollout.turn === 'wait' || snapshot.controlPlane.unobserved !== undefined) return true;
  if (step === 'crds' && lackOfArchive(snapshot.archive) !== undefined) return true;
  return reason !== undefined && (step === 'etcd' || reason !== 'Progressing');
}

/**
 * Whether the status describes this step of this spec. The stages count, because the steps of a stage start together.
 * A changed spec starts anew.
 */
export function isSameStep(
  step: string,
  { upgrade, observedGeneration }: KarmadaStatus,
  { karmada }: Pick<Snapshot, 'karmada'>,
): boolean {
  return (
    observedGeneration === karmada.metadata.generation &&
    upgrade?.step !== undefined &&
    (upgrade.step === step || (stageOf(step) >= 0 && stageOf(upgrade.step) === stageOf(step)))
  );
}

/**
 * Returns the step that was not complete within its deadline, with its cause.
 * @param before status that was written last
 */
export function failedStep(
  change: ChangeState,
  before: KarmadaStatus,
): Omit<FailedChange, 'specHash'> | undefined {
  const { upgrade } = before;
  const { karmada, now } = change.snapshot;
  const open = openStep(change) ?? lastCheck(upgrade);
  if (upgrade?.startedAt === undefined || open === undefined || open.isBlocked) return undefined;
  if (!isSameStep(open.step, before, change.snapshot)) return undefined;
  const since = progressedAt(open.step, parseTime(upgrade.startedAt), change.snapshot.host.pods);
  if (now - since < stepDeadlineMs(karmada.spec ?? {})) return undefined;
  return {
    step: open.step,
    at: new Date(now).toISOString(),
    ...causeOf(open.step, change, before),
  };
}

/**
 * Returns the time until the deadline of the present step.
 * @param now wall clock in milliseconds
 * @returns milliseconds; Infinity if no deadline is ahead
 */
export function msUntilDeadline(
  { upgrade }: KarmadaStatus,
  { spec = {} }: Pick<Karmada, 'spec'>,
  now: number,
): number {
  if (upgrade?.startedAt === undefined || upgrade.phase !== 'Progressing') return Infinity;
  const left = parseTime(upgrade.startedAt) + stepDeadlineMs(spec) - now;
  return left > 0 ? left : Infinity;
}

const lastCheck = (upgrade: UpgradeStatus | undefined): OpenStep | undefined =>
  upgrade?.step === READINESS_CHECK ? { step: READINESS_CHECK, isBlocked: false } : undefined;

/**
 * Start of the step, or the time when its last new Pod became ready: a step with many Pods makes progress. A Pod that is
 * not ready any more does not count, so a crash loop is no progress.
 */
function progressedAt(step: string, startedAt: number, pods: readonly Pod[]): number {
  const times = pods
    .filter(({ metadata }) => metadata.labels?.[COMPONENT] === step)
    .filter(({ metadata }) => parseTime(metadata.creationTimestamp) >= startedAt - 1_000)
    .map((pod) => conditionOf(pod, 'Ready'))
    .filter((ready) => ready?.status === 'True')
    .map((ready) => parseTime(ready?.lastTransitionTime) || 0);
  return largestOf(times, startedAt);
}

/** Longest cause in a record, in characters: the message of a condition has more parts. */
const MAX_CAUSE_LENGTH = 500;

function causeOf(
  step: string,
  { snapshot, states }: ChangeState,
  before: KarmadaStatus,
): Pick<FailedChange, 'reason' | 'message'> {
  const found = reportedCause(step, before);
  const state = [...states].find(([name]) => name === step)?.[1].message;
  const late = `not complete after ${stepDeadline(snapshot.karmada.spec ?? {})}`;
  const message = (found?.message ?? '') || (state ?? late);
  return { reason: found?.reason ?? 'Progressing', message: message.slice(0, MAX_CAUSE_LENGTH) };
}

/** Condition that reports why the step is not complete: that of its component, or Ready. */
function reportedCause(step: string, { conditions = [] }: KarmadaStatus): Condition | undefined {
  const own = isComponent(step) ? CONDITION_TYPE[step] : '';
  const type = step === READINESS_CHECK ? 'Ready' : own;
  return conditions.find((condition) => condition.type === type && condition.status !== 'True');
}
