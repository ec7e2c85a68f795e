import { InvalidArgumentError } from 'commander';
import type { RolloutLimit } from './reconcile/operator-rollout/turn.ts';

/** `3` or `10%`, as in a Deployment's maxUnavailable. */
export function parseRolloutLimit(text: string): RolloutLimit {
  const [, digits, share] = /^(\d{1,6})(%?)$/.exec(text) ?? [];
  const value = Number(digits);
  if (value >= 1 && share === '') return { count: value };
  if (value >= 1 && value <= 100) return { percent: value };
  throw new InvalidArgumentError('give a whole number above 0, or a share from 1% to 100%.');
}
