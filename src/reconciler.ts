import type { WorkQueue } from './kubernetes/queue.ts';
import type { Reconcile } from './kubernetes/worker.ts';

/** What turns Karmada objects into control planes, as the operator drives it. */
export interface Reconciler {
  /** Resolves when all caches hold a complete list; never rejects. */
  readonly synced: Promise<void>;
  /** Whether the caches are complete. */
  isSynced(): boolean;
  /** Begins to watch; every change asks the queue for work on its Karmada (`namespace/name`). */
  start(queue: WorkQueue): void;
  /** Works on one Karmada; what is not ready yet is the next event's business. */
  readonly reconcile: Reconcile;
  /** Karmadas that may hold each other up, by name: those whose control planes are on one host. */
  readonly laneOf: (key: string) => string;
  /** There has been no work for a while: lets go of what can be made again. */
  rest(): void;
  /** Ends all watches and connections. */
  stop(): Promise<void>;
}
