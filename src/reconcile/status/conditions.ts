/** Merges status conditions and selects the transitions that are reported as Events. Pure functions. */
import type { Condition } from '../../api/karmada.ts';

/** A condition without transition time and generation. */
export type ConditionDraft = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Longest message that the operator writes, in characters. The CRD allows 32768. */
const LONGEST_MESSAGE = 1_024;

/**
 * Merges new conditions into the present ones. The transition time changes only with the status, as the API
 * conventions demand. Conditions of other controllers stay; conditions of this operator that are not among the
 * findings are removed.
 * @param context now: RFC 3339; generation: of the Karmada; ours: condition types that this operator writes
 */
export function mergeConditions(
  before: readonly Condition[],
  findings: readonly ConditionDraft[],
  context: {
    readonly now: string;
    readonly generation: number;
    readonly ours: ReadonlySet<string>;
  },
): readonly Condition[] {
  const known = new Map(before.map((condition) => [condition.type, condition]));
  const found = findings.map((finding): Condition => {
    const old = known.get(finding.type);
    const kept = old !== undefined && old.status === finding.status;
    return {
      ...finding,
      message: shortened(finding.message),
      lastTransitionTime: kept ? old.lastTransitionTime : context.now,
      observedGeneration: context.generation,
    };
  });
  const types = new Set(findings.map(({ type }) => type));
  const foreign = before.filter(({ type }) => !types.has(type) && !context.ours.has(type));
  return [...found, ...foreign];
}

function shortened(message: string): string {
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}…` : message;
}

export interface Transition {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** Condition types for which `True` is the abnormal state. */
const BAD_WHEN_TRUE: ReadonlySet<string> = new Set([
  'Degraded',
  'RepairPaused',
  'Stalled',
  'Warning',
]);
/** Condition types that never cause an Event, since another condition reports the same. */
const SILENT: ReadonlySet<string> = new Set(['Progressing', 'Stalled']);

/** Returns the Events for the transitions between two lists of conditions. */
export function transitions(
  before: readonly Condition[],
  after: readonly Condition[],
): readonly Transition[] {
  const known = new Map(before.map((condition) => [condition.type, condition]));
  return after.flatMap((condition) => {
    const bad = isBad(condition);
    if (!isNews(known.get(condition.type), condition, bad)) return [];
    const { type, status, message } = condition;
    const note = message === '' ? `${type} is ${status}` : message;
    return [{ type: bad ? 'Warning' : 'Normal', reason: eventReason(condition, bad), note }];
  });
}

const isBad = ({ type, status }: Condition): boolean =>
  (status === 'True') === BAD_WHEN_TRUE.has(type);

/** Whether a condition differs from before in a way that an Event reports. */
function isNews(old: Condition | undefined, condition: Condition, bad: boolean): boolean {
  if (SILENT.has(condition.type)) return false;
  if (old === undefined) return bad ? isFailure(condition) : !QUIET_AT_FIRST.has(condition.type);
  const otherFailure = bad && SEVERAL.has(condition.type) && old.reason !== condition.reason;
  return old.status !== condition.status || otherFailure;
}

/** Types whose change of reason alone causes an Event. The first of several warnings gives the reason. */
const SEVERAL: ReadonlySet<string> = new Set(['Ready', 'Warning']);

/** Types that cause no Event when they appear for the first time in their normal state. */
const QUIET_AT_FIRST: ReadonlySet<string> = new Set(['Degraded', 'Warning', 'EtcdHealthy']);

const isFailure = ({ type, reason }: Condition): boolean =>
  type === 'Warning' || (type === 'Ready' && reason !== 'Progressing');

/** Reason of an Event. Ready keeps its condition reason, which is the upstream one; others need their type in it. */
function eventReason({ type, reason }: Condition, bad: boolean): string {
  if (type === 'Ready') return reason;
  if (type.endsWith('Ready')) return bad ? `${type.slice(0, -5)}NotReady` : type;
  return reason;
}
