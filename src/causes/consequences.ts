/** Recognizes crashes that follow from another component of the same control plane: pure. */
import type { ComponentName } from '../api/component-catalog.ts';
import type { Workload } from '../components/workload.ts';
import type { Cause, Surroundings } from './cause.ts';

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
  const { readyReplicas = 0 } = workload?.status ?? {};
  return workload === undefined || readyReplicas > 0;
}

/** Whether all that a component needs serves. Otherwise, it may end only because another component is slow. */
export const isServed = (
  name: ComponentName,
  workloads: ReadonlyMap<ComponentName, Workload | undefined>,
): boolean => neededBy(name).every((needed) => isServing(workloads.get(needed)));

/**
 * Returns the cause of a container of a component. If it ends while the component is not served, it is no failure yet. What its last
 * words name, such as a flag that does not exist, is a failure in any case.
 */
export const withoutConsequence = (
  cause: Cause | undefined,
  { isServed: served = true }: Pick<Surroundings, 'isServed'>,
): Cause | undefined =>
  cause?.reason === 'CrashLoopBackOff' && !served ? { ...cause, isCertain: false } : cause;
