/** Flags that limit how many Karmada objects the operator changes at the same time, and how long they may take. */
import type { Command } from 'commander';
import { parseDuration } from './duration.ts';
import { positive } from './flag-values.ts';
import { DEFAULT_ROLLOUT_LIMIT } from '../features/operator-rollout/rollout-order.ts';
import type { RolloutLimit, Share } from '../instance/rollout-turn.ts';
import { parseShare } from './rollout-limit.ts';

export interface BoundsFlags {
  concurrentKarmadaSyncs: number;
  operatorRolloutLimit: Share;
  operatorRolloutFailures: Share;
  /** In milliseconds. */
  progressDeadline: number;
}

/** Settings from these flags. */
export interface Bounds {
  readonly concurrentSyncs: number;
  /** Limits of the rollouts of a new operator version. */
  readonly rolloutLimit: RolloutLimit;
  /** Time without progress after which a control plane has failed, in milliseconds. */
  readonly progressDeadlineMs: number;
}

/** Returns the settings of a command line. */
export const bounds = (flags: BoundsFlags): Bounds => ({
  concurrentSyncs: flags.concurrentKarmadaSyncs,
  rolloutLimit: { atOnce: flags.operatorRolloutLimit, failures: flags.operatorRolloutFailures },
  progressDeadlineMs: flags.progressDeadline,
});

/** Adds these flags to a command. */
export function addBounds(command: Command): Command {
  return command
    .option(
      '--concurrent-karmada-syncs <n>',
      'maximum number of Karmada objects per host cluster that are reconciled concurrently; their namespaces take turns',
      positive,
      5,
    )
    .option(
      '--operator-rollout-limit <n>',
      'maximum number or percentage (such as 10%) of control planes that a new operator version updates at once; 0 pauses these updates',
      parseShare,
      DEFAULT_ROLLOUT_LIMIT.atOnce,
    )
    .option(
      '--operator-rollout-failures <n>',
      'number or percentage (such as 1%) of control planes in which the update of a new operator version may fail before it updates no further one',
      parseShare,
      DEFAULT_ROLLOUT_LIMIT.failures,
    )
    .option(
      '--progress-deadline <time>',
      'duration without progress after which a control plane that is not ready counts as failed',
      parseDuration,
      300_000,
    );
}
