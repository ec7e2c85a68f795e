import type { KarmadaStatus } from '../api/karmada.ts';

/**
 * Decision about the rollout of a control plane.
 * - go: the operator may write everything
 * - announce: the operator writes the condition first, so that a restarted operator counts this control plane as rolling
 * - wait: the workloads stay unchanged
 */
export type RolloutTurn =
  | { readonly turn: 'go' | 'announce' }
  | {
      readonly turn: 'wait';
      readonly reason: 'Waiting' | 'Stopped' | 'RolloutsPaused';
      readonly message: string;
    };

/** A number of control planes, or a share of all. */
export type Share = { readonly count: number } | { readonly percent: number };

/** Limits of the rollouts of all control planes. */
export interface RolloutLimit {
  /** How many control planes may roll at the same time; 0 pauses the rollouts. */
  readonly atOnce: Share;
  /** How many rollouts may have failed before no further one starts. */
  readonly failures: Share;
}

/** Another control plane of this operator. */
export interface Sibling {
  /** `namespace/name` of its Karmada. */
  readonly key: string;
  readonly state: 'rolling' | 'failed' | 'waiting' | 'none';
}

/** What decides whether a control plane may roll now, besides its own objects. */
export interface RolloutContext {
  readonly before: KarmadaStatus;
  /** Whether the spec has changed since the operator last wrote the status. */
  readonly isRequested: boolean;
  /** The other control planes of this operator; called only if Pods would be replaced. */
  readonly siblings: () => readonly Sibling[];
  readonly limit: RolloutLimit;
}
