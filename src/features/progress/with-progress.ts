/** Adds the progress of a control plane to its assessment: pure. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { COMPONENTS } from '../../components/registry.ts';
import type { JudgeInput } from '../../actions/feature.ts';
import type { MemoryChange } from '../../actions/round.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { isComplete } from '../../assessment/assessment.ts';
import { judgeProgress } from './deadline.ts';
import { stagesOf } from './stages.ts';

interface ProgressInput extends Omit<JudgeInput, 'instance'> {
  readonly instance: Pick<InstanceCache, 'progress'>;
}

/**
 * Adds the time of the last progress, and a problem if it is too long ago.
 * @param before status that was written last
 */
export function withProgress(
  { instance, clock, progressDeadlineMs: deadlineMs }: ProgressInput,
  assessment: Assessment,
  before: KarmadaStatus,
): { readonly assessment: Assessment; readonly remember: MemoryChange } {
  if (isComplete(assessment)) return { assessment, remember: { progress: undefined } };
  const { snapshot } = assessment;
  const { memo, reportedAt, isOverdue } = judgeProgress({
    stages: stagesOf(assessment),
    memo: instance.progress,
    before,
    deadlineMs,
    epoch: epochOf(assessment),
    generation: snapshot.karmada.metadata.generation ?? 0,
    now: clock.wall(),
  });
  const progress = { lastAt: reportedAt, isOverdue };
  const problem = isOverdue ? overdueProblem(assessment, deadlineMs) : undefined;
  return {
    assessment: { ...assessment, progress, ...(problem && { problem }) },
    remember: { progress: memo },
  };
}

/** Changes with the spec, with each release on the way, and with a rollback. */
const epochOf = ({ snapshot: { karmada, nextReleases = [], rollback } }: Assessment): string =>
  [karmada.metadata.generation, nextReleases.length, rollback !== undefined].join();

/**
 * Problem of a control plane without progress: the cause that was only suspected, or what it waits for. Other states that
 * only the user ends are reported already.
 */
function overdueProblem(assessment: Assessment, deadlineMs: number): Problem | undefined {
  const { problem, blocked, causes, unfinished, snapshot } = assessment;
  if (problem !== undefined || blocked !== undefined) return undefined;
  if (snapshot.controlPlane.unobserved !== undefined || unfinished.length === 0) return undefined;
  const [cause] = COMPONENTS.flatMap(({ name }) => causes.get(name) ?? []);
  const since = `no progress for ${durationText(deadlineMs)}`;
  if (cause !== undefined) return { reason: cause.reason, message: `${since}: ${cause.message}` };
  const waiting = unfinished.map(({ message }) => message).join('; ');
  return {
    reason: 'ProgressDeadlineExceeded',
    message: `${since}: ${waiting}; check the objects that this message names${permissionText(assessment)}`,
  };
}

const permissionText = ({ snapshot }: Assessment): string =>
  snapshot.events?.isAllowed === false
    ? ', and allow the operator to list Events, so that it can name the cause'
    : '';

const durationText = (ms: number): string => {
  const seconds = Math.round(ms / 1_000);
  return seconds % 60 === 0 ? `${String(seconds / 60)} minutes` : `${String(seconds)} seconds`;
};
