/** Decides whether a control plane has made no progress for too long: pure. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { ProgressMemo } from '../../instance/progress-memo.ts';
import type { StageProgress } from './stages.ts';
import { parseTime } from '../../kubernetes/time/time.ts';

interface ProgressInput {
  readonly stages: readonly StageProgress[];
  readonly epoch: string;
  readonly memo: ProgressMemo | undefined;
  readonly before: KarmadaStatus;
  /** Generation of the Karmada. */
  readonly generation: number;
  /** Wall clock in milliseconds. */
  readonly now: number;
  readonly deadlineMs: number;
}

export interface Progress {
  readonly memo: ProgressMemo;
  /** Time to report, wall clock in milliseconds. */
  readonly reportedAt: number;
  /** Whether there was no progress for the time of the deadline. */
  readonly isOverdue: boolean;
}

/** The status has the time of the last progress with this accuracy in milliseconds, so that it is rarely written. */
const ACCURACY_MS = 30_000;

/** Least time in milliseconds between the start of the operator and a failure. */
const FIRST_MS = 60_000;

/** Most states of a stage that are remembered. Further ones are no progress. */
const MAX_STATES = 200;

/** Judges the progress since the last call. */
export function judgeProgress(input: ProgressInput): Progress {
  const { stages, now, deadlineMs } = input;
  const memo = nextMemo(input);
  const recorded = recordedAt(input);
  const isKept = recorded !== undefined && memo.progressAt - recorded < ACCURACY_MS;
  const isAtWork = stages.some((stage) => stage.isAtWork);
  return {
    memo,
    reportedAt: isKept ? recorded : memo.progressAt,
    isOverdue: !isAtWork && now - Math.max(memo.progressAt, memo.workAt) >= deadlineMs,
  };
}

function nextMemo({ stages, epoch, memo, ...input }: ProgressInput): ProgressMemo {
  const { now } = input;
  const workAt = stages.some(({ isAtWork }) => isAtWork) ? now : (memo?.workAt ?? 0);
  const states = statesWith(memo?.epoch === epoch ? memo.states : new Map(), stages);
  if (memo === undefined) return { epoch, states, workAt, progressAt: firstAt(input) };
  const isNew = memo.epoch !== epoch || states !== memo.states;
  return { epoch, states, workAt, progressAt: isNew ? now : memo.progressAt };
}

/**
 * Time of the last progress for a process that has just started: the recorded one, with its inaccuracy. A restart of the
 * operator is no progress. After a longer absence the control plane gets time to continue.
 */
function firstAt({
  now,
  deadlineMs,
  ...input
}: Omit<ProgressInput, 'stages' | 'epoch' | 'memo'>): number {
  const recorded = recordedAt(input);
  if (recorded === undefined) return now;
  return Math.min(now, Math.max(recorded + ACCURACY_MS, now - deadlineMs + FIRST_MS));
}

function recordedAt({
  before,
  generation,
}: Pick<ProgressInput, 'before' | 'generation'>): number | undefined {
  const at = parseTime(before.lastProgressTime);
  return before.observedGeneration !== generation || Number.isNaN(at) ? undefined : at;
}

/** Adds the states of the stages. @returns the same map if none is new */
function statesWith(
  known: ProgressMemo['states'],
  stages: readonly StageProgress[],
): ProgressMemo['states'] {
  const isNew = ({ stage, state }: StageProgress): boolean => {
    const seen = known.get(stage);
    return seen?.has(state) !== true && (seen?.size ?? 0) < MAX_STATES;
  };
  const fresh = stages.filter(isNew);
  if (fresh.length === 0) return known;
  const states = new Map(known);
  for (const { stage, state } of fresh)
    states.set(stage, new Set([...(states.get(stage) ?? []), state]));
  return states;
}
