/**
 * What a Cluster object reports about its member cluster. Pure functions. Other programs write Cluster objects, so every
 * value is checked before it may reach the status of a Karmada.
 */
import { isObject } from '../kubernetes/objects/compare.ts';
import type { MemberClusterState } from '../api/member-clusters-status.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { parseTime } from '../kubernetes/time/time.ts';

/** State of a member cluster that has joined. */
export interface ClusterState extends Pick<
  MemberClusterState,
  'name' | 'syncMode' | 'ready' | 'reason'
> {
  /** Time of the last change of the condition Ready, wall clock in milliseconds. */
  readonly changedAt?: number;
}

/** Used fields of the condition Ready. */
interface ReadyCondition {
  readonly type: 'Ready';
  readonly status: MemberClusterState['ready'];
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

/** Form of a condition reason in metav1.Condition, with a smaller length. */
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]{0,126}[A-Za-z0-9_])?$/;

/** Returns the checked fields of the condition Ready. Undefined if the Cluster has none. */
export function readyCondition({ status }: KubernetesObject): ReadyCondition | undefined {
  const conditions = isObject(status) ? status['conditions'] : undefined;
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  const found = all.filter(isObject).find(({ type }) => type === 'Ready');
  if (found === undefined) return undefined;
  const { status: value, reason, lastTransitionTime } = found;
  return {
    type: 'Ready',
    status: value === 'True' || value === 'False' ? value : 'Unknown',
    ...(typeof reason === 'string' && REASON.test(reason) && { reason }),
    ...(isTime(lastTransitionTime) && { lastTransitionTime }),
  };
}

/** Years before 1970 are no times of an event. */
const isTime = (value: unknown): value is string => parseTime(value) >= 0;

/** Returns the state of the member cluster of a Cluster, or of a reduced one. */
export function clusterState(cluster: KubernetesObject): ClusterState {
  const { status = 'Unknown', reason, lastTransitionTime } = readyCondition(cluster) ?? {};
  const mode = isObject(cluster['spec']) ? cluster['spec']['syncMode'] : undefined;
  return {
    name: cluster.metadata.name,
    ...((mode === 'Push' || mode === 'Pull') && { syncMode: mode }),
    ready: status,
    ...(reason !== undefined && { reason }),
    ...(lastTransitionTime !== undefined && { changedAt: parseTime(lastTransitionTime) }),
  };
}
