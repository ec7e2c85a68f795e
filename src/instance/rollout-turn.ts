/**
 * Decision about the rollout of a control plane.
 * - go: the operator may write everything
 * - claim: the operator writes the condition first, so that a restarted operator counts this control plane as rolling
 * - wait: the workloads stay unchanged
 */
export type RolloutTurn =
  | { readonly turn: 'go' | 'claim' }
  | {
      readonly turn: 'wait';
      readonly reason: 'Waiting' | 'Stopped' | 'RolloutsPaused';
      readonly message: string;
    };
