/**
 * A feature: one capability of a control plane, such as its certificates or the members of its etcd. The controller knows
 * features only by this interface; `controllers/karmada/features.ts` registers each of them once.
 */
import type { Reason } from '../api/reasons/condition-reasons.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { Problem } from '../api/reasons/problem.ts';
import type { Warning } from '../api/warnings/warning.ts';
import type { ComponentName, Step } from '../components/component.ts';
import type { Cause } from '../causes/cause.ts';
import type { Redactions } from '../causes/redactions.ts';
import type { ConditionDraft } from '../conditions/conditions.ts';
import type { Clock, Random } from '../kubernetes/time/clock.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { DesiredObject, DesiredObjects } from '../instance/desired-objects.ts';
import type { InstanceCache } from '../instance/instance-cache.ts';
import type { ProbeTarget, Reachability } from '../instance/probes.ts';
import type { RolloutContext, RolloutTurn } from '../instance/rollout-turn.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import type { Action } from './action.ts';
import type { Assessment, Unfinished } from './assessment.ts';
import type { Executors } from './execute-actions.ts';
import type { Done } from './execution-result.ts';
import type { Observers } from './observers.ts';
import type { MemoryChange } from './round.ts';

/** What the executors of one reconcile work with. @typeParam T clients and other tools that they need */
export interface ExecutionContext<T> {
  readonly tools: T;
  readonly instance: InstanceCache;
  /** The snapshot that the actions are based on. */
  readonly snapshot: Snapshot;
  /** Writes a desired object of the host cluster. */
  readonly apply: (target: DesiredObject) => Promise<Done>;
}

/** What a feature may consider to find the time of its next check. */
export interface CheckInput {
  readonly instance: Readonly<InstanceCache>;
  readonly snapshot: Snapshot;
  /** Undefined while there are no certificates. */
  readonly view: CertificatesView | undefined;
  /** Steps that are incomplete. */
  readonly unfinished: readonly Pick<Unfinished, 'step'>[];
  /** Whether the control plane waits until another one has completed its rollout. */
  readonly awaitsTurn: boolean;
  readonly clock: Pick<Clock, 'wall' | 'monotonic'>;
  readonly random: Random;
}

/** What a feature may consider to report about a control plane after the plan was executed. */
export type ReportInput = Pick<
  Assessment,
  'snapshot' | 'view' | 'certificateProblem' | 'outcome' | 'causes'
>;

/** What a feature may consider to report in the status. */
export interface StatusInput extends Assessment {
  /** Status that was written last. */
  readonly before: KarmadaStatus;
  readonly isReady: boolean;
}

/** What a feature may consider to judge the time since earlier reconciles. */
export interface JudgeInput {
  readonly instance: Readonly<InstanceCache>;
  readonly clock: Pick<Clock, 'wall'>;
  /** Time without progress after which a control plane has failed, in milliseconds. */
  readonly progressDeadlineMs: number;
}

/** What a feature reports in the status. */
export interface StatusReport {
  readonly conditions: readonly ConditionDraft[];
  readonly fields: Partial<KarmadaStatus>;
}

/** A plan that is not executed yet. */
type Planned = Pick<Assessment, 'snapshot' | 'states' | 'waiting' | 'rollout'>;

/** @typeParam T what its executors work with @typeParam R what its observers read with */
export interface Feature<T, R = unknown> {
  readonly name: string;
  /** Reads its part of the snapshot. */
  readonly observers?: Observers<R>;
  /** Adds derived facts to the snapshot, once for all that use them. Pure. */
  readonly derive?: (snapshot: Snapshot) => Snapshot;
  /** Returns why components are not ready, as far as it is known. @param redactions of earlier calls for the same Karmada */
  readonly causes?: (
    snapshot: Snapshot,
    redactions?: Redactions,
  ) => ReadonlyMap<ComponentName, Cause>;
  /** Returns what must exist before anything else of the control plane. Pure. */
  readonly awaits?: (input: ReportInput) => Unfinished | undefined;
  /** Returns what the control plane lacks, besides the steps of its components. Pure. */
  readonly unfinished?: (input: ReportInput) => readonly Unfinished[];
  /** Returns a problem that requires user action or a retry. Features report in their order of registration. Pure. */
  readonly problem?: (input: ReportInput) => Problem | undefined;
  /** Same as `problem`, for one that counts only if nothing else is wrong. Pure. */
  readonly minorProblem?: (input: ReportInput) => Problem | undefined;
  /** Returns warnings for the status, which affect nothing else. @param before the last status. Pure. */
  readonly warnings?: (snapshot: Snapshot, before: KarmadaStatus) => readonly Warning[];
  /** Whether the feature has not read yet what the status needs. Pure. */
  readonly isPending?: (snapshot: Snapshot) => boolean;
  /** Returns why a component does not run although its Deployment is complete; undefined if it runs. Pure. */
  readonly stopped?: (name: ComponentName, snapshot: Snapshot) => Problem | undefined;
  /** Whether the operator continues by itself although a change is blocked, and what Progressing then reports. Pure. */
  readonly continues?: (assessment: Assessment) => 'blocked change' | 'unfinished' | undefined;
  /** Reasons of blocked changes that Ready has instead of `ChangeBlocked`. */
  readonly readyReasons?: readonly Reason[];
  /** Returns another reason than `Progressing` for a control plane that is not complete. Pure. */
  readonly progressReason?: (snapshot: Snapshot) => Reason | undefined;
  /** Returns conditions. Pure. */
  readonly conditions?: (input: StatusInput) => readonly ConditionDraft[];
  /** Returns fields of the status. Pure. */
  readonly statusFields?: (input: StatusInput) => Partial<KarmadaStatus>;
  /** Returns conditions and fields of the status that come of one decision. Pure. */
  readonly report?: (input: StatusInput) => StatusReport;
  /** Returns the desired objects that may be applied now, and why others stay unchanged. Pure. */
  readonly gate?: (
    desired: DesiredObjects,
    snapshot: Snapshot,
    context: RolloutContext,
  ) => { readonly desired: DesiredObjects; readonly rollout: RolloutTurn };
  /** Returns Services to probe before the next decision, and steps that wait for them. @param results of earlier probes. Pure. */
  readonly probes?: (
    states: Assessment['states'],
    snapshot: Snapshot,
    results: Reachability,
  ) => { readonly targets: readonly ProbeTarget[]; readonly closed: ReadonlySet<Step> };
  /** Returns changes that the operator does not apply, besides those of the desired state. Pure. */
  readonly blockedChanges?: (
    snapshot: Snapshot,
    states: Assessment['states'],
  ) => BlockedChange | readonly BlockedChange[];
  /** Decides about writes that are no objects of the desired state. Pure. */
  readonly decide?: (snapshot: Snapshot) => readonly Action[];
  /** Same as `decide`, for writes that depend on the plan. @param before the last status. Pure. */
  readonly decideLast?: (planned: Planned, before: KarmadaStatus) => readonly Action[];
  /** Returns an executor for each kind of action of the feature. */
  readonly executors?: (context: ExecutionContext<T>) => Partial<Executors>;
  /** Returns the assessment with what follows from the time since earlier reconciles. Pure. */
  readonly judge?: (
    input: JudgeInput,
    assessment: Assessment,
    before: KarmadaStatus,
  ) => { readonly assessment: Assessment; readonly remember: MemoryChange };
  /** Returns the delay until a deadline that the new status sets, in milliseconds. @param now wall clock in milliseconds. Pure. */
  readonly msUntilDeadline?: (
    status: KarmadaStatus,
    karmada: Pick<Karmada, 'spec'>,
    now: number,
  ) => number;
  /** Returns the delay until the next reconcile that the feature needs if no watch event arrives, in milliseconds. Pure. */
  readonly msUntilCheck?: (input: CheckInput) => number;
}
