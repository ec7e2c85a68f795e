/** Containers of a Pod as the kubelet reports them: pure. */
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { ContainerStatus, Ended, Pod } from '../kubernetes/objects/pod-kinds.ts';
import { parseTime } from '../kubernetes/time/time.ts';
import type { Subject } from './cause.ts';

export interface Container extends ContainerStatus {
  /**
   * `main`: the operator chose its image and flags; `sidecar`: the user or an admission webhook added it; `init`: an
   * admission webhook added it.
   */
  readonly role: 'main' | 'sidecar' | 'init';
}

/** Returns the containers of a Pod. Only the first container of the workload is chosen by the operator. */
export function containersOf(
  pod: Pod,
  { workload }: Pick<Subject, 'workload'>,
): readonly Container[] {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const main = workload?.spec.template.spec.containers[0]?.name;
  const isOwn = workload !== undefined && isControlledBy(pod, workload);
  return [
    ...initContainerStatuses.map((status) => ({ ...status, role: 'init' as const })),
    ...containerStatuses.map((status) => ({
      ...status,
      role: isOwn && status.name === main ? ('main' as const) : ('sidecar' as const),
    })),
  ];
}

/** Whether a workload controls a Pod. A ReplicaSet has the name of its Deployment and the hash of its Pod template. */
function isControlledBy(
  { metadata }: KubernetesObject,
  { kind, metadata: { name, uid } }: KubernetesObject,
): boolean {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return false;
  if (kind === 'StatefulSet') return owner.kind === kind && owner.uid === uid;
  const hash = metadata.labels?.['pod-template-hash'];
  return owner.kind === 'ReplicaSet' && hash !== undefined && owner.name === `${name}-${hash}`;
}

/** Time in milliseconds for which an exit explains why a container that runs again is not ready. */
const RECENT_MS = 600_000;

/**
 * Returns how a container ended that is not ready: in its present state, or before its last start. A container that
 * has started again proves nothing yet, unless it was ready since.
 * @param now wall clock in milliseconds
 */
export function endOf(
  { state = {}, lastState, ready }: Pick<Container, 'state' | 'lastState' | 'ready'>,
  now: number,
): Ended | undefined {
  if (ready === true) return undefined;
  if (state.terminated !== undefined) return state.terminated;
  const last = lastState?.terminated;
  if (last === undefined || state.running === undefined) return last;
  return now - parseTime(last.finishedAt) < RECENT_MS ? last : undefined;
}
