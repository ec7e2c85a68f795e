/** Delay until the next reconcile of a control plane when no watch event arrives: pure. */
import type { CheckInput } from '../../actions/feature.ts';
import type { Assessment } from '../../actions/assessment.ts';
import { FEATURES } from './features.ts';

const RESYNC_MS = 600_000;
/** Delay while a control plane is not ready. */
const UNREADY_MS = 15_000;

/**
 * Returns the delay until the next reconcile without an event, in milliseconds: the shortest of all features.
 * @param statusDelayMs delay until the status may be written; 0 if it is written
 */
export function requeueAfterMs(
  { instance, clock, random }: Pick<CheckInput, 'instance' | 'clock' | 'random'>,
  { snapshot, view, unfinished, rollout }: Assessment,
  statusDelayMs: number,
): number {
  const awaitsTurn = rollout.turn === 'wait';
  const input = { instance, snapshot, view, unfinished, awaitsTurn, clock, random };
  return Math.min(
    RESYNC_MS * (1 + random() / 5),
    unfinished.length > 0 ? UNREADY_MS : Infinity,
    statusDelayMs > 0 ? statusDelayMs : Infinity,
    ...FEATURES.map((feature) => feature.msUntilCheck?.(input) ?? Infinity),
  );
}
