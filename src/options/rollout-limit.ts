import { InvalidArgumentError } from 'commander';
import type { Share } from '../instance/rollout-turn.ts';

/**
 * Parses a number or a percentage such as `3` or `10%`, as in `maxUnavailable` of a Deployment.
 * @throws InvalidArgumentError when it is neither a number nor a percentage from 1% to 100%
 */
export function parseShare(text: string): Share {
  const [, digits, share] = /^(\d{1,6})(%?)$/.exec(text) ?? [];
  const value = Number(digits);
  if (value >= 0 && share === '') return { count: value };
  if (value >= 1 && value <= 100) return { percent: value };
  throw new InvalidArgumentError('must be an integer, or a percentage from 1% to 100%.');
}
