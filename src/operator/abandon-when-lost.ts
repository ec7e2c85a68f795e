import type { Log } from '../kubernetes/time/clock.ts';
import {
  LeaseLostError,
  NOT_RENEWED,
  RenewalOverdueError,
  type LeaderTerm,
} from '../kubernetes/time/term.ts';

/**
 * Ends the election when a call finds that a renew deadline has passed. A renewal that was under way may succeed afterwards,
 * but no call of this process would. The election logs only a loss that it notices itself.
 */
export function abandonWhenLost(
  election: AbortController,
  { term: { signal }, log }: { readonly term: LeaderTerm; readonly log: Pick<Log, 'error'> },
): void {
  const abandon = (): void => {
    const { reason } = signal;
    if (reason instanceof RenewalOverdueError) log.error({ why: NOT_RENEWED }, 'leader lease lost');
    if (reason instanceof LeaseLostError) election.abort(reason);
  };
  signal.addEventListener('abort', abandon, { once: true });
}
