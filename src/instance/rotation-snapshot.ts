import type { KarmadaStatus } from '../api/karmada.ts';
import type { ComponentName } from '../components/component.ts';
import type { ConditionDraft } from '../conditions/conditions.ts';

/** Rotations of CAs and keys, as this reconcile found them. */
export interface RotationSnapshot {
  readonly conditions: readonly ConditionDraft[];
  /** Field of the status; undefined while there is no rotation. */
  readonly status?: KarmadaStatus['certificateRotation'] | undefined;
  /** Time of the next check without an event, wall clock in milliseconds; Infinity if only an event changes anything. */
  readonly dueAt: number;
  /** Components whose Pods do not restart yet, because a kubelet may still mount the former content of a Secret. */
  readonly unsettled: ReadonlySet<ComponentName>;
  /** Components whose Pods restart although their certificates stay, with the time of the content that they must read. */
  readonly restarts?: ReadonlyMap<ComponentName, number>;
}
