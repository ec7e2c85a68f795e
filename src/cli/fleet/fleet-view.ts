/** The state of many control planes as `fleet -o json` prints it: from their Karmada objects alone. Pure functions. */
import type { Karmada, UpgradeStatus, Versions } from '../../api/karmada.ts';
import { OPERATOR_ROLLOUT } from '../../conditions/condition-types.ts';
import { optionalField } from '../../kubernetes/objects/records.ts';
import { findProblems, type StatusProblem } from '../status/problems.ts';
import { conditionIn } from '../../conditions/conditions.ts';
import { slowestOf, type SlowControlPlane } from './slowest.ts';

/** How many control planes have a value. */
interface Count {
  readonly value: string;
  readonly count: number;
}

/** Rollout of a new version of the operator, in waves: as many control planes at a time as the operator allows. */
interface RolloutView {
  /** Control planes without a pending change. */
  readonly withoutChange: number;
  /** The others by the reason of their condition `OperatorRollout`. */
  readonly reasons: readonly Count[];
  /** Waves that follow, if each has as many control planes as the present one; absent while none rolls. */
  readonly wavesLeft?: number;
}

/** Upgrades that users have requested, from and to the same versions. */
interface UpgradeGroup {
  readonly from: Versions;
  readonly to: Versions;
  readonly count: number;
  /** First steps that are not complete. */
  readonly steps: readonly Count[];
  readonly phases: readonly Count[];
}

/** Control planes with the same failure or blocked change. */
interface FailureGroup extends Pick<StatusProblem, 'reason' | 'severity' | 'action' | 'page'> {
  /** Namespace and name of each. */
  readonly karmadas: readonly string[];
}

interface VersionGroup extends Versions {
  readonly count: number;
}

export interface FleetView {
  readonly total: number;
  readonly ready: number;
  readonly phases: readonly Count[];
  readonly operatorRollout: RolloutView;
  readonly upgrades: readonly UpgradeGroup[];
  readonly failures: readonly FailureGroup[];
  readonly versions: readonly VersionGroup[];
  readonly slowest: readonly SlowControlPlane[];
}

/** Builds the view. */
export function fleetView(karmadas: readonly Karmada[]): FleetView {
  return {
    total: karmadas.length,
    ready: karmadas.filter((one) => conditionIn(one, 'Ready')?.status === 'True').length,
    phases: counted(karmadas.map(({ status }) => status?.phase ?? 'Pending')),
    operatorRollout: rolloutView(karmadas),
    upgrades: upgradeGroups(karmadas.flatMap(({ status }) => status?.upgrade ?? [])),
    failures: failureGroups(karmadas),
    versions: versionGroups(karmadas),
    slowest: slowestOf(karmadas),
  };
}

/** Counts equal values, the most frequent first. */
function counted(values: readonly string[]): readonly Count[] {
  const groups = [...Map.groupBy(values, (value) => value)];
  return byCount(groups.map(([value, all]) => ({ value, count: all.length })));
}

const byCount = <T extends { readonly count: number }>(groups: readonly T[]): readonly T[] =>
  groups.toSorted((one, other) => other.count - one.count);

/** Reason of the control planes of the present wave. */
const ROLLING = 'Progressing';
/** Reasons of those that a later wave changes. */
const LATER: ReadonlySet<string> = new Set(['Waiting', 'Stopped', 'RolloutsPaused']);

function rolloutView(karmadas: readonly Karmada[]): RolloutView {
  const pending = karmadas.flatMap((one) => conditionIn(one, OPERATOR_ROLLOUT) ?? []);
  const reasons = counted(pending.map(({ reason }) => reason));
  const sum = (isCounted: (reason: string) => boolean): number =>
    reasons.reduce((total, { value, count }) => total + (isCounted(value) ? count : 0), 0);
  const [rolling, later] = [sum((one) => one === ROLLING), sum((one) => LATER.has(one))];
  return {
    withoutChange: karmadas.length - pending.length,
    reasons,
    ...(rolling > 0 && { wavesLeft: Math.ceil(later / rolling) }),
  };
}

function upgradeGroups(upgrades: readonly UpgradeStatus[]): readonly UpgradeGroup[] {
  const groups = Map.groupBy(upgrades, ({ from, to }) => JSON.stringify([from, to]));
  return byCount(
    [...groups.values()].map((group) => ({
      from: group[0]?.from ?? {},
      to: group[0]?.to ?? {},
      count: group.length,
      steps: counted(group.flatMap(({ step }) => step ?? [])),
      phases: counted(group.flatMap(({ phase }) => phase ?? [])),
    })),
  );
}

/** Severities of problems that do not end by waiting. */
const FAILURES: ReadonlySet<StatusProblem['severity']> = new Set(['error', 'blocked']);

function failureGroups(karmadas: readonly Karmada[]): readonly FailureGroup[] {
  const all = karmadas.flatMap(({ metadata, status }) =>
    findProblems(status?.conditions ?? [])
      .filter(({ severity }) => FAILURES.has(severity))
      .map((problem) => ({ key: `${metadata.namespace ?? ''}/${metadata.name}`, problem })),
  );
  const groups = Map.groupBy(all, ({ problem }) =>
    JSON.stringify([problem.severity, problem.reason]),
  );
  const found = [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined
      ? []
      : [
          failureGroup(
            first.problem,
            group.map(({ key }) => key),
          ),
        ];
  });
  return found.toSorted((one, other) => other.karmadas.length - one.karmadas.length);
}

const failureGroup = (
  { reason, severity, action, page }: StatusProblem,
  keys: readonly string[],
): FailureGroup => ({
  reason,
  severity,
  ...optionalField('action', action),
  ...optionalField('page', page),
  // A control plane can have the same reason in several conditions.
  karmadas: [...new Set(keys)],
});

function versionGroups(karmadas: readonly Karmada[]): readonly VersionGroup[] {
  const all = karmadas.map(({ status }) => status?.versions ?? {});
  const groups = Map.groupBy(all, ({ karmada, kubernetes, etcd }) =>
    JSON.stringify([karmada, kubernetes, etcd]),
  );
  return byCount(
    [...groups.values()].map((group) => ({ ...(group[0] ?? {}), count: group.length })),
  );
}
