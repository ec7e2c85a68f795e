/** Recognizes crashes that follow from another component of the same control plane: pure. */
import type { ComponentName } from '../../api/component-catalog.ts';
import type { Workload } from '../../components/workload.ts';
import type { Cause } from './cause.ts';

/** Without it, a component ends again and again: all are clients of the API server, which is a client of etcd. */
function neededBy(name: ComponentName): readonly ComponentName[] {
  switch (name) {
    case 'etcd':
      return [];
    case 'karmada-apiserver':
      return ['etcd'];
    default:
      return ['etcd', 'karmada-apiserver'];
  }
}

/** Whether a Pod of the workload serves. An external etcd has none, and its own condition. */
function isServing(workload: Workload | undefined): boolean {
  const { readyReplicas = 0 } = (workload?.['status'] ?? {}) as { readyReplicas?: number };
  return workload === undefined || readyReplicas > 0;
}

/**
 * Returns the cause of a component, which is no failure yet if its container ends while a component that it needs does not serve: that one
 * may only be slow. What the last words of the container name, such as a flag that does not exist, is a failure in any case.
 */
export function withoutConsequence(
  name: ComponentName,
  cause: Cause,
  workloads: ReadonlyMap<ComponentName, Workload | undefined>,
): Cause {
  if (cause.reason !== 'CrashLoopBackOff') return cause;
  const isServed = neededBy(name).every((needed) => isServing(workloads.get(needed)));
  return isServed ? cause : { ...cause, isCertain: false };
}
