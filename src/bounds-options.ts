/** Flags that limit how many Karmada objects the operator changes at the same time. */
import type { Command } from 'commander';
import { positive } from './flag-values.ts';
import { parseRolloutLimit } from './rollout-limit.ts';

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
      'maximum number or percentage (such as 10%) of control planes that a new operator version updates at once',
      parseRolloutLimit,
      { percent: 10 },
    );
}
