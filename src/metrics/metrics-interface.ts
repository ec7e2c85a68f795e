import type { Priority } from '../kubernetes/fairness/fair-order.ts';
import type { ClusterKind, FinishedCall } from '../kubernetes/client/finished-call.ts';
import type { QueueState } from '../kubernetes/workqueue/queue-state.ts';
import type { BackupFacts } from '../controllers/backups/schedule/backup-facts.ts';
import type { ControlPlaneFacts } from '../features/control-plane/control-plane-facts.ts';
import type { ReconcileRecord } from '../actions/reconcile-record.ts';
import type { DroppedNamespace, WatchState } from '../features/status/watch-states.ts';

/** Metrics of the operator process. */
export interface Metrics extends ReconcileRecord {
  /** Sets what each scrape reads. The parts of the operator exist only after its metrics. */
  read(sources: Partial<MetricSources>): void;
  /** Metrics in the Prometheus text format, in parts, with the content type. */
  expose(): Promise<{ body: readonly Uint8Array[]; type: string }>;
  reconciled(outcome: 'success' | 'error', seconds: number): void;
  /** A worker took a key. @param seconds that the key waited for a worker */
  taken(seconds: number): void;
  /** A call to an API server has ended. */
  readonly called: (cluster: ClusterKind, call: FinishedCall) => void;
  /** The rate limit has let a call proceed. */
  readonly limited: (waitedMs: number, priority: Priority) => void;
  leading(leads: boolean): void;
  /** Whether this process waits until another operator installation stops. */
  waiting(waits: boolean): void;
  /** Number of fields and validation rules that are missing in the served CRD. */
  crdLacks(count: number): void;
  /** Number of control planes without a Karmada object. */
  orphans(count: number): void;
}

/** What the metrics read at each scrape. All functions read only memory. */
export interface MetricSources {
  readonly watches: () => readonly WatchState[];
  readonly droppedNamespaces: () => readonly DroppedNamespace[];
  readonly controlPlanes: () => readonly ControlPlaneFacts[];
  /** Backups of control planes; the same objects while nothing changes. */
  readonly backups: () => readonly BackupFacts[];
  /** State of the work queue. */
  readonly queue: () => QueueState;
}
