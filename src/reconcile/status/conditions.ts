/** Conditions: how they are merged, and what is worth an Event. Pure. */
import type { Condition } from '../../api/karmada.ts';

/** A condition before its times are known. */
export type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Longest message the CRD takes is 32768; nobody reads beyond this. */
const LONGEST_MESSAGE = 1_024;

/**
 * The conditions to write: a transition time changes with the status alone. Conditions of types we do
 * not know stay, except that ours which are not found any more go.
 * @param now RFC 3339
 */
export function mergeConditions(
  before: readonly Condition[],
  findings: readonly Finding[],
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

/** Conditions for which `True` is bad news. */
const BAD_WHEN_TRUE: ReadonlySet<string> = new Set([
  'Degraded',
  'RepairPaused',
  'Stalled',
  'Warning',
]);
/** Conditions that tell nothing that another one does not tell. */
const SILENT: ReadonlySet<string> = new Set(['Progressing', 'Stalled']);

/** What has changed between two lists of conditions, as it is told in Events. */
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

/** Whether a condition says something that was not so before. */
function isNews(old: Condition | undefined, condition: Condition, bad: boolean): boolean {
  if (SILENT.has(condition.type)) return false;
  if (old === undefined) return bad ? isFailure(condition) : !QUIET_AT_FIRST.has(condition.type);
  const otherFailure = bad && SEVERAL.has(condition.type) && old.reason !== condition.reason;
  return old.status !== condition.status || otherFailure;
}

/** Conditions that are bad for one reason after the other; of several warnings the first one gives the reason. */
const SEVERAL: ReadonlySet<string> = new Set(['Ready', 'Warning']);

/** What has never been otherwise is no news. */
const QUIET_AT_FIRST: ReadonlySet<string> = new Set(['Degraded', 'Warning', 'EtcdHealthy']);

const isFailure = ({ type, reason }: Condition): boolean =>
  type === 'Warning' || (type === 'Ready' && reason !== 'Progressing');

/** Upstream's reasons for Ready; for the others the type says what it is about. */
function eventReason({ type, reason }: Condition, bad: boolean): string {
  if (type === 'Ready') return reason;
  if (type.endsWith('Ready')) return bad ? `${type.slice(0, -5)}NotReady` : type;
  return reason;
}
