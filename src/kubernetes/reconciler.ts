import type { WorkQueue } from './queue.ts';
import type { Reconcile } from './worker.ts';

/** What works on the objects of one kind, as the process drives it. */
export interface Reconciler {
  /** Resolves when all caches hold a complete list, or when one of them has had none for too long; never rejects. */
  readonly synced: Promise<void>;
  /** Why the caches are not what is there: they are not filled yet, or do not follow; undefined when they do. */
  unready(): string | undefined;
  /** Begins to watch; every change asks the queue for work on its object (`namespace/name`). */
  start(queue: WorkQueue): void;
  /** Works on one object; what is not ready yet is the next event's business. */
  readonly reconcile: Reconcile;
  /** Objects that may hold each other up have the same name here: those whose work calls the same server. */
  readonly laneOf: (key: string) => string;
  /** There has been no work for a while: lets go of what can be made again. */
  rest(): void;
  /** Ends all watches and connections. */
  stop(): Promise<void>;
}
