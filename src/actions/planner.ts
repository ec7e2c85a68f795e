/** How the objects of a control plane are rendered and planned. The controller knows the planner only by this interface. */
import type { Step } from '../components/component.ts';
import type { Templates } from '../components/render.ts';
import type { StepState } from '../components/rollout.ts';
import type { BlockedChange } from '../instance/blocked-change.ts';
import type { DesiredObjects, Rendered } from '../instance/desired-objects.ts';
import type { CertificatesView, Snapshot } from '../instance/snapshot.ts';
import type { Waiting } from '../instance/waiting.ts';
import type { Action } from './action.ts';

export type StepStates = ReadonlyMap<Step, StepState>;

/** Desired objects, and the changes that are blocked. */
export interface DesiredState {
  readonly desired: DesiredObjects;
  /** To be passed to the next call. */
  readonly rendered: Rendered;
  readonly view: CertificatesView;
  readonly blockedChanges: readonly BlockedChange[];
}

export interface Plan {
  readonly actions: readonly Action[];
  /** Blocked changes. */
  readonly blockedChanges: readonly BlockedChange[];
  /** By step, why the operator does not write its objects now. Absent while nothing is desired. */
  readonly waiting?: ReadonlyMap<Step, Waiting>;
}

export interface PlanInput {
  readonly snapshot: Snapshot;
  readonly desired: DesiredObjects;
  readonly states: StepStates;
  /** Changes that were blocked while the desired state was computed. */
  readonly blockedChanges: readonly BlockedChange[];
  /** Steps that would register a Service that is not reachable yet. */
  readonly closed?: ReadonlySet<Step>;
}

/** Pure functions. */
export interface Planner {
  /** Computes the desired state. Renders again only if an input has changed. @param before result of an earlier call */
  readonly desiredState: (
    templates: Templates,
    snapshot: Snapshot,
    view: CertificatesView,
    before?: Rendered,
  ) => DesiredState;
  /** Returns the state of each step. */
  readonly states: (desired: DesiredObjects, snapshot: Snapshot) => StepStates;
  /** Plans the actions of one reconcile. */
  readonly plan: (input: PlanInput, view: CertificatesView) => Plan;
}
