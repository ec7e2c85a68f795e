/** The condition that says why a control plane fails, and whose fault that is. Pure functions. */
import { CONDITION_REASONS } from './condition-reasons.ts';
import type { Condition } from '../karmada.ts';
import type { Fault } from './fault.ts';

/** Conditions that contain the cause, in order of precedence, with the status that reports it. */
const CAUSES: readonly (readonly [type: string, statuses: readonly Condition['status'][]])[] = [
  ['Degraded', ['True']],
  ['Stalled', ['True']],
  ['HostReachable', ['False']],
  ['Ready', ['False', 'Unknown']],
];

const FAULT_OF: ReadonlyMap<string, Fault> = new Map(
  CONDITION_REASONS.map(({ reason, fault }) => [reason, fault]),
);

/** Returns what a reason is about; undefined for a reason of another version of the operator. */
export const faultOf = (reason: string): Fault | undefined => FAULT_OF.get(reason);

/** Returns the condition with the cause of a failure; undefined if there is none, or only progress. */
export function failureIn(conditions: readonly Condition[]): Condition | undefined {
  for (const [type, statuses] of CAUSES) {
    const found = conditions.find((condition) => condition.type === type);
    if (found === undefined || !statuses.includes(found.status)) continue;
    if (faultOf(found.reason) !== 'none') return found;
  }
  return undefined;
}
