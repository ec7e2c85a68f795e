/** Creates the executors of all actions for one Karmada, from those of the features. */
import type { Action } from '../../actions/action.ts';
import type { Executors } from '../../actions/execute-actions.ts';
import { recordedExecutors } from '../../actions/recorded-executors.ts';
import type { ReconcileRecord } from '../../actions/reconcile-record.ts';
import {
  connectControlPlane,
  type ConnectTools,
} from '../../features/control-plane/connect-control-plane.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { FEATURES, type ExecutedKind, type FeatureTools } from './features.ts';

export type ExecutorTools = Omit<FeatureTools, 'connect'> &
  ConnectTools & {
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
  const connected: FeatureTools = {
    ...tools,
    connect: (to, credentials) => connectControlPlane(tools, to, credentials),
  };
  const context = { tools: connected, instance, snapshot };
  const executors: Executors = merged((apply) =>
    FEATURES.map((feature) => feature.executors?.({ ...context, apply }) ?? {}),
  );
  return recordedExecutors<Action>(executors, tools.record);
}

type Apply = Parameters<NonNullable<(typeof FEATURES)[number]['executors']>>[0]['apply'];

/** Merges the executors of features. `ExecutedKind` proves that there is one for each kind of action. */
function merged(
  partsOf: (apply: Apply) => readonly Partial<Executors>[],
): Pick<Executors, ExecutedKind> {
  const parts = partsOf((target) => all.apply({ kind: 'apply', target }));
  const all = Object.fromEntries(parts.flatMap((part) => Object.entries(part))) as Executors;
  return all;
}
