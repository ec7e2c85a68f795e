/** The control planes that change for the longest time. Pure functions. */
import type { Karmada } from '../../api/karmada.ts';
import { conditionIn } from '../../conditions/conditions.ts';
import { OPERATOR_ROLLOUT } from '../../conditions/condition-types.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { findProblems } from '../status/problems.ts';

/** Number of control planes in the list. */
export const SLOWEST = 10;

export interface SlowControlPlane {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  /** What is not complete: an operator rollout, a step of an upgrade, a deletion, or readiness. */
  readonly activity: 'OperatorRollout' | 'Upgrade' | 'Deletion' | 'NotReady';
  /** First step of the upgrade that is not complete. */
  readonly step?: string;
  /** RFC 3339. */
  readonly since: string;
  readonly reason: string;
  readonly message: string;
}

type Activity = Pick<SlowControlPlane, 'activity' | 'step' | 'since'>;

/** Returns the control planes that are in an activity for the longest time, the longest first. */
export function slowestOf(karmadas: readonly Karmada[]): readonly SlowControlPlane[] {
  const slow = karmadas.flatMap((karmada) => {
    const [longest] = activitiesOf(karmada).toSorted(byTime);
    return longest === undefined ? [] : [slowControlPlane(karmada, longest)];
  });
  return slow.toSorted(byTime).slice(0, SLOWEST);
}

const byTime = (one: Pick<Activity, 'since'>, other: Pick<Activity, 'since'>): number =>
  Date.parse(one.since) - Date.parse(other.since);

function slowControlPlane(karmada: Karmada, activity: Activity): SlowControlPlane {
  const { metadata, status = {} } = karmada;
  const [cause = conditionIn(karmada, 'Ready')] = findProblems(status.conditions ?? []);
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    phase: status.phase ?? 'Pending',
    ...activity,
    reason: cause?.reason ?? '',
    message: cause?.message ?? '',
  };
}

/** A suspended control plane changes nothing. */
function activitiesOf(karmada: Karmada): readonly Activity[] {
  const { metadata, status = {} } = karmada;
  const { upgrade, phase } = status;
  if (phase === 'Suspended') return [];
  return [
    ...at('Deletion', metadata.deletionTimestamp),
    ...at('OperatorRollout', rollingSince(karmada)),
    ...at('Upgrade', upgrade?.startedAt, upgrade?.step),
    ...at('NotReady', notReadySince(karmada)),
  ].filter(({ since }) => !Number.isNaN(Date.parse(since)));
}

const at = (
  activity: Activity['activity'],
  since: string | undefined,
  step?: string,
): readonly Activity[] =>
  since === undefined ? [] : [{ activity, since, ...optionalField('step', step) }];

/** @returns undefined also while it waits for a later wave */
function rollingSince(karmada: Karmada): string | undefined {
  const rollout = conditionIn(karmada, OPERATOR_ROLLOUT);
  return rollout?.status === 'True' ? rollout.lastTransitionTime : undefined;
}

function notReadySince(karmada: Karmada): string | undefined {
  const ready = conditionIn(karmada, 'Ready');
  if (ready === undefined) return karmada.metadata.creationTimestamp;
  return ready.status === 'True' ? undefined : ready.lastTransitionTime;
}
