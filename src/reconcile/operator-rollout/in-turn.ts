/** Keeps workloads unchanged until the control plane may roll for a new version of the operator: pure. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Wish } from '../wish.ts';
import { rolloutState } from './siblings.ts';
import {
  turnOf,
  unaskedChanges,
  withUntouched,
  type RolloutLimit,
  type Sibling,
  type Turn,
} from './turn.ts';

/** What decides whether a control plane may roll now, besides its own objects. */
export interface RolloutContext {
  readonly before: KarmadaStatus;
  /** Whether the spec has changed since the operator last wrote the status. */
  readonly asked: boolean;
  /** The other control planes of this operator; called only if Pods would be replaced. */
  readonly siblings: () => readonly Sibling[];
  readonly limit: RolloutLimit;
}

export interface InTurn {
  readonly wish: Wish;
  readonly rollout: Turn;
}

/** Returns the part of the desired state that may be applied now. */
export function inTurn(wish: Wish, snapshot: Snapshot, context: RolloutContext): InTurn {
  const { before, asked, limit } = context;
  const changes = unaskedChanges(wish.desired, snapshot, before, asked);
  const marked = ['rolling', 'failed'].includes(rolloutState(before));
  const siblings = changes.length === 0 || marked ? [] : context.siblings();
  const rollout = turnOf({ changes, marked, siblings, limit });
  if (rollout.turn === 'go') return { wish, rollout };
  return { wish: { ...wish, desired: withUntouched(wish.desired, snapshot, changes) }, rollout };
}
