import type { Log } from './clock.ts';
import { ApiError, asError, errorText, isOwnFault } from './errors.ts';
import type { WorkQueue } from './queue.ts';

/** Frames of a stack that tell where a fault is. */
const FRAMES = 8;

/** What a reconcile wants next; nothing: the next event decides. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number;
  /** What went wrong and has been told where users look; as when it is thrown, the key comes back after a growing pause. */
  readonly error?: unknown;
}

/** Work on one key. It does not wait; an error brings the key back after a growing pause. */
export type Reconcile = (key: string, signal: AbortSignal) => Promise<ReconcileResult>;

export interface WorkerOptions {
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  /** Aborted when the work must stop at once, for instance because the leader lease is lost. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Works on the keys of a queue, on as many at the same time as it hands out, until it is shut down; resolves when the
 * last work has ended.
 */
export async function runWorkers(options: WorkerOptions): Promise<void> {
  const { queue, signal } = options;
  const running = new Set<Promise<void>>();
  for (;;) {
    const key = await queue.take();
    if (key === undefined) break;
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
    const result = await reconcile(key, signal);
    if (result.error !== undefined) throw asError(result.error);
    queue.forget(key);
    if (result.requeueAfterMs !== undefined) queue.addAfter(key, result.requeueAfterMs);
  } catch (error) {
    if (signal.aborted) return;
    const pause = pauseAfter(key, error, queue);
    const about = { key, error: errorText(error), retryInMs: Math.round(pause) };
    if (isOwnFault(error)) log.error({ ...about, at: framesOf(error) }, 'reconcile failed');
    else log.warn(about, 'reconcile failed');
  }
}

/** Where it happened, innermost first. */
const framesOf = ({ stack = '' }: Error): readonly string[] =>
  stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, FRAMES);

/** A server that asks for a pause gets it, when it is longer than ours. */
function pauseAfter(key: string, error: unknown, queue: WorkQueue): number {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return queue.addRateLimited(key, asked);
}
