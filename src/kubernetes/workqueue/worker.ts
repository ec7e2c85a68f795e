import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../time/clock.ts';
import { ApiError, errorText, isInternalError } from '../client/errors.ts';
import type { WorkQueue } from './queue.ts';

/** Number of stack frames in the log of an internal error. */
const FRAMES = 8;
/** A reconcile after a longer time, in milliseconds, continues nothing: it only compares everything again. */
const RESYNC_MS = 60_000;

/** Result of a reconcile. If it is empty, the next event triggers the next reconcile. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number;
}

/** Reconciles one key without waiting for other objects. A thrown error requeues the key with backoff. */
export type Reconcile = (key: string, signal: AbortSignal) => Promise<ReconcileResult>;

export interface WorkerOptions {
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  /** Aborted when all reconciles must stop at once, for example because the leader lease is lost. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Reconciles the keys of a queue concurrently until the queue is shut down. The queue limits the concurrency. In each turn
 * of the event loop at most one reconcile starts: reconciles that find everything in caches wait for nothing, and hundreds of
 * them in one turn would keep the lease from being renewed.
 * Resolves when the last reconcile has ended.
 */
export async function runWorkers(options: WorkerOptions): Promise<void> {
  const { queue, signal } = options;
  const running = new Set<Promise<void>>();
  for (;;) {
    const key = await queue.take();
    if (key === undefined) break;
    await nextTurn();
    const worked = (signal.aborted ? Promise.resolve() : work(key, options)).finally(() => {
      queue.done(key);
      running.delete(worked);
    });
    running.add(worked);
  }
  await Promise.all(running);
}

async function work(key: string, options: WorkerOptions): Promise<void> {
  const { queue, reconcile, signal, log } = options;
  try {
    const { requeueAfterMs } = await reconcile(key, signal);
    queue.forget(key);
    if (requeueAfterMs !== undefined)
      queue.addAfter(key, requeueAfterMs, requeueAfterMs < RESYNC_MS ? 'normal' : 'low');
  } catch (error) {
    if (signal.aborted) return;
    const pause = pauseAfter(key, error, queue);
    const about = { key, error: errorText(error), retryInMs: Math.round(pause) };
    if (isInternalError(error)) log.error({ ...about, at: framesOf(error) }, 'reconcile failed');
    else log.warn(about, 'reconcile failed');
  }
}

/** Stack frames of an error, innermost first. */
const framesOf = ({ stack = '' }: Error): readonly string[] =>
  stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, FRAMES);

/** Requeues the key with backoff, or after Retry-After if that is longer. @returns the pause in milliseconds */
function pauseAfter(key: string, error: unknown, queue: WorkQueue): number {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return queue.addRateLimited(key, asked);
}
