import type { Flow } from '../fairness/fair-order.ts';
import type { WorkQueue } from './queue.ts';
import type { Reconcile } from './worker.ts';

/** Interface between the operator process and the reconciler of one kind. */
export interface Reconciler {
  /** Resolves when all caches have a complete list, or when one has been without a list for too long. Never rejects. */
  readonly synced: Promise<void>;
  /** Reason why the caches are not usable (not filled yet, or stale); undefined if they are. */
  unready(): string | undefined;
  /** Starts the watches. Each change adds its object (`namespace/name`) to the queue. */
  start(queue: WorkQueue): void;
  /** Reconciles one object without waiting; later events continue with objects that are not ready yet. */
  readonly reconcile: Reconcile;
  /** Share of an object in the queue. The group is the host cluster with its API server, the tenant the namespace. */
  readonly flowOf: (key: string) => Flow;
  /** Releases memory that can be recreated, after an idle period. */
  rest(): void;
  /** Stops all watches and closes all connections. */
  stop(): Promise<void>;
}
