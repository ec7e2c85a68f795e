/** Conditions that need attention, with the action from the table of reasons. Pure functions. */
import { CATALOG } from '../../api/component-catalog.ts';
import {
  CONDITION_REASONS,
  CONDITION_TYPES,
  type DocumentedReason,
} from '../../api/reasons/condition-reasons.ts';
import type { Condition } from '../../api/karmada.ts';
import { faultText } from '../../api/reasons/fault.ts';
import type { ReportedIn } from '../../api/reasons/reason.ts';
import { warningsIn } from '../../api/warnings/warning-condition.ts';

export interface StatusProblem {
  /** Condition types with this reason and message. */
  readonly types: readonly string[];
  readonly reason: string;
  readonly message: string;
  /** What the user does; absent for a reason of a newer operator. */
  readonly action?: string;
  /** Whose fault it is, such as `cluster (quota)`; absent if unknown, and for progress. */
  readonly fault?: string;
  /** Time since which the first of the conditions has its status, RFC 3339. */
  readonly since?: string;
  /** Section of the documentation. */
  readonly page?: string;
  /** `blocked`: a change that the operator does not apply; `warning`: the control plane works. */
  readonly severity: 'error' | 'blocked' | 'progress' | 'warning';
}

const COMPONENT_TYPES: ReadonlySet<string> = new Set(CATALOG.map(({ condition }) => condition));

/** Condition types that report no failure of the control plane. */
const WARNINGS: ReadonlySet<string> = new Set([
  'Adopted',
  'ComponentIdentities',
  'EtcdAdopted',
  'OperatorRollout',
  'RepairPaused',
  'Suspended',
  'Warning',
]);

/** Conditions that are False while something is not complete, and absent afterwards. */
const NEWLY_ADOPTED: ReadonlySet<string> = new Set([
  'Adopted',
  'ComponentIdentities',
  'EtcdAdopted',
]);

const HEALTHY = new Map<string, string>(
  CONDITION_TYPES.map(({ type, healthy }) => [type, healthy]),
);

function isHealthy({ type, status }: Condition): boolean {
  const expected = HEALTHY.get(type);
  if (expected === undefined) return true;
  return expected === 'absent'
    ? status === 'False' && !NEWLY_ADOPTED.has(type)
    : status === expected;
}

/** The condition `Warning` contains all warnings; each one is a problem of its own. */
const singleWarnings = (condition: Condition): readonly Condition[] =>
  condition.type === 'Warning'
    ? warningsIn(condition).map((warning) => ({ ...condition, ...warning }))
    : [condition];

/** The rows of the components have these messages. */
const isWaitingComponent = ({ type, reason }: Condition): boolean =>
  COMPONENT_TYPES.has(type) && reason === 'Progressing';

/** Returns what needs attention: errors first, then blocked changes, progress and warnings. */
export function findProblems(conditions: readonly Condition[]): readonly StatusProblem[] {
  const unhealthy = conditions
    .filter((condition) => !isHealthy(condition) && !isWaitingComponent(condition))
    .flatMap(singleWarnings);
  const groups = Map.groupBy(unhealthy, ({ reason, message }) => JSON.stringify([reason, message]));
  const all = [...groups.values()].map((group) => problemOf(group, conditions));
  const details = all.filter(({ types }) => types.join() !== 'Ready');
  // Ready summarizes the other conditions, so it is only listed if none of them explains it.
  const listed = details.some(({ severity }) => severity !== 'warning') ? details : all;
  return listed.toSorted((one, other) => rank(one) - rank(other));
}

const RANKS: readonly StatusProblem['severity'][] = ['error', 'blocked', 'progress', 'warning'];

const rank = ({ severity }: StatusProblem): number => RANKS.indexOf(severity);

function problemOf(group: readonly Condition[], all: readonly Condition[]): StatusProblem {
  const types = group.map(({ type }) => type);
  const { reason = '', message = '' } = group[0] ?? {};
  return {
    types,
    reason,
    message,
    ...explanation(reason, types),
    ...sinceOf(group),
    severity: severityOf(types, all),
  };
}

function severityOf(
  types: readonly string[],
  all: readonly Condition[],
): StatusProblem['severity'] {
  if (types.every((type) => WARNINGS.has(type))) return 'warning';
  const value = (type: string): Condition | undefined => all.find((item) => item.type === type);
  const isStalled = types.includes('Stalled') || value('Degraded')?.status === 'True';
  if (!isStalled) return 'progress';
  return types.includes('Stalled') && value('Ready')?.reason === 'ChangeBlocked'
    ? 'blocked'
    : 'error';
}

/** `Warning` lists all warnings, so its time is that of the first one. */
function sinceOf(group: readonly Condition[]): Pick<StatusProblem, 'since'> {
  const times = group.filter(({ type }) => type !== 'Warning');
  const [since] = times.map(({ lastTransitionTime }) => lastTransitionTime).sort();
  return since === undefined ? {} : { since };
}

/** Action, fault and page of a reason; empty for a reason of a newer operator. */
function explanation(
  reason: string,
  types: readonly string[],
): Pick<StatusProblem, 'action' | 'fault' | 'page'> {
  const row = rowFor(reason, types);
  if (row === undefined) return {};
  const { action, fault, page } = row;
  return { action, page, ...(fault !== 'none' && { fault: faultText(fault) }) };
}

function rowFor(reason: string, types: readonly string[]): DocumentedReason | undefined {
  const places = types.flatMap((type): readonly string[] =>
    COMPONENT_TYPES.has(type) ? [type, 'components'] : [type],
  );
  const known = CONDITION_REASONS.filter((entry) => entry.reason === reason);
  const fits = (type: ReportedIn): boolean => places.includes(type);
  return known.find((entry) => entry.types.some(fits)) ?? known[0];
}
