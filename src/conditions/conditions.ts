/** Merges status conditions and selects the transitions that are reported as Events. Pure functions. */
import { CONDITION_TYPES } from '../api/reasons/condition-reasons.ts';
import { faultOf } from '../api/reasons/failure.ts';
import type { Condition, Karmada, KarmadaStatus } from '../api/karmada.ts';
import { classOf, type FaultClass } from '../api/reasons/fault.ts';
import { warningsIn } from '../api/warnings/warning-condition.ts';
import { firstBy } from '../kubernetes/objects/first-by.ts';

/** A condition without transition time and generation. */
export type ConditionDraft = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Returns the condition with a type in the status of a Karmada. */
export const conditionIn = (
  { status }: Pick<Karmada, 'status'>,
  wanted: string,
): Condition | undefined => status?.conditions?.find(({ type }) => type === wanted);

/** Returns the condition that was written last, until a new check has a result; Unknown without one. */
export function lastCondition(
  wanted: string,
  status: KarmadaStatus,
  pending: string,
): ConditionDraft {
  const said = conditionIn({ status }, wanted);
  if (said === undefined)
    return { type: wanted, status: 'Unknown', reason: 'Pending', message: pending };
  const { type, reason, message } = said;
  return { type, status: said.status, reason, message };
}

/** Longest message that the operator writes, in characters. The CRD allows 32768. */
const MAX_MESSAGE_LENGTH = 1_024;

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
      message: shortened(finding),
      lastTransitionTime: kept ? old.lastTransitionTime : context.now,
      observedGeneration: context.generation,
    };
  });
  const types = new Set(findings.map(({ type }) => type));
  const foreign = before.filter(({ type }) => !types.has(type) && !context.ours.has(type));
  return [...found, ...foreign];
}

/** The message of `Warning` has a limit of its own, because it lists all warnings. */
function shortened({ type, message }: ConditionDraft): string {
  if (type === 'Warning') return message;
  return message.length > MAX_MESSAGE_LENGTH
    ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…`
    : message;
}

export interface Transition {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  /** Whose fault it is, if the Event is a warning. */
  readonly fault?: FaultClass;
  /** True for the condition of a component, which Ready and Degraded summarize. */
  readonly isDetail?: true;
}

const FACTS: ReadonlyMap<string, (typeof CONDITION_TYPES)[number]> = firstBy(
  CONDITION_TYPES,
  ({ type }) => type,
);

/** Returns the Events for the transitions between two lists of conditions. */
export function transitions(
  before: readonly Condition[],
  after: readonly Condition[],
): readonly Transition[] {
  const known = new Map(before.map((condition) => [condition.type, condition]));
  return after.flatMap((condition): readonly Transition[] => {
    if (condition.type === 'Warning') return newWarnings(known.get('Warning'), condition);
    const bad = isBad(condition);
    if (!isNews(known.get(condition.type), condition, bad)) return [];
    const { type, status, message } = condition;
    const note = message === '' ? `${type} is ${status}` : message;
    const detail = isOfComponent(condition) && ({ isDetail: true } as const);
    const event = { reason: eventReason(condition, bad), note, ...detail };
    return [
      bad ? { ...event, type: 'Warning', ...blamed(condition) } : { ...event, type: 'Normal' },
    ];
  });
}

/** Class of the fault that a reason reports; nothing for a summary of other conditions. */
function blamed({ reason }: Pick<Condition, 'reason'>): Pick<Transition, 'fault'> {
  const fault = classOf(faultOf(reason) ?? 'none');
  return fault === undefined ? {} : { fault };
}

/** One Event for each warning whose reason is new. */
function newWarnings(old: Condition | undefined, condition: Condition): readonly Transition[] {
  const before = new Set(old?.reason.split(','));
  return warningsIn(condition)
    .filter(({ reason }) => !before.has(reason))
    .map(({ reason, message }) => ({
      type: 'Warning',
      reason,
      note: message,
      ...blamed({ reason }),
    }));
}

const isBad = ({ type, status }: Condition): boolean =>
  (status === 'True') === (FACTS.get(type)?.isBadWhenTrue === true);

/** Whether a condition differs from before in a way that an Event reports. */
function isNews(old: Condition | undefined, condition: Condition, bad: boolean): boolean {
  const { events } = FACTS.get(condition.type) ?? {};
  if (events === 'never') return false;
  if (events === 'faults') return blames(condition) && old?.message !== condition.message;
  if (old === undefined) return bad ? isFailure(condition) : events === undefined;
  return old.status !== condition.status || (bad && isOtherFailure(old, condition));
}

/** For Ready, a change of the reason alone causes an Event. */
const isOtherFailure = (old: Condition, { type, reason }: Condition): boolean =>
  type === 'Ready' && old.reason !== reason;

const blames = ({ reason }: Condition): boolean => (faultOf(reason) ?? 'none') !== 'none';

const isFailure = ({ type, reason }: Condition): boolean =>
  type === 'Ready' && reason !== 'Progressing';

const isOfComponent = ({ type }: Condition): boolean => type !== 'Ready' && type.endsWith('Ready');

/** Reason of an Event. Ready keeps its condition reason, which is the upstream one; others need their type in it. */
function eventReason(condition: Condition, bad: boolean): string {
  const { type, reason } = condition;
  if (!isOfComponent(condition)) return reason;
  return bad ? `${type.slice(0, -5)}NotReady` : type;
}
