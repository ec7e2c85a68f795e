/** Creates the executors of all actions for one Karmada, from those of the features. */
import type { Action } from '../../actions/action.ts';
import type { Executors } from '../../actions/execute-actions.ts';
import type { Done } from '../../actions/execution-result.ts';
import { recordedExecutors } from '../../actions/recorded-executors.ts';
import type { ReconcileRecord } from '../../actions/reconcile-record.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { FEATURES, featureTools, type ExecutedKind, type GivenTools } from './features.ts';

export type ExecutorTools = GivenTools & {
  /** Receives failures and repairs, for metrics. */
  readonly record?: ReconcileRecord;
};

/**
 * Creates the executors of one reconcile.
 * @param snapshot the snapshot that the actions are based on
 */
export function executorsFor(
  tools: ExecutorTools,
  instance: InstanceCache,
  snapshot: Snapshot,
): Executors {
  const apply = (target: DesiredObject): Promise<Done> =>
    executors.apply({ kind: 'apply', target });
  const context = { tools: featureTools(tools), instance, snapshot, apply };
  const parts = FEATURES.flatMap((feature) => Object.entries(feature.executors?.(context) ?? {}));
  // The type of the kinds that features execute proves that there is an executor for each kind of action.
  const executors: Executors = Object.fromEntries(parts) as Pick<Executors, ExecutedKind>;
  return recordedExecutors<Action>(executors, tools.record);
}
