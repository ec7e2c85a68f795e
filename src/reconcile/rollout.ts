/** Whether a workload runs what was last asked of it, and nothing else. */
import { isWorkload } from '../components/workload.ts';
import { APPLIED_HASH } from '../kubernetes/compare.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/object.ts';

/** How far one step of an instance is. */
export interface StepState {
  /**
   * `missing`: not there; `outdated`: there, but not as wanted; `progressing`: as wanted, not yet
   * ready; `complete`: as wanted and ready.
   */
  readonly state: 'missing' | 'outdated' | 'progressing' | 'complete';
  /** What is missing, in plain words; empty when complete. */
  readonly message: string;
  /** Whether it is there and works, be it as it was before. */
  readonly serves: boolean;
}

export const COMPLETE: StepState = { state: 'complete', message: '', serves: true };

/** Status of a workload whose controller has not seen it yet; what is zero is left out of a status. */
const UNSEEN = { observedGeneration: 0, replicas: 0, updatedReplicas: 0, availableReplicas: 0 };

/** Whether an object is there and has been applied with this intent. */
export function appliedState(
  live: KubernetesObject | undefined,
  hash: string,
  what: string,
): StepState {
  if (live === undefined)
    return { state: 'missing', message: `${what} is not there yet`, serves: false };
  if (live.metadata.deletionTimestamp !== undefined)
    return { state: 'outdated', message: `${what} is being deleted`, serves: false };
  if (live.metadata.annotations?.[APPLIED_HASH] !== hash)
    return { state: 'outdated', message: `${what} is not yet as the spec wants it`, serves: true };
  return COMPLETE;
}

/**
 * State of a Deployment or StatefulSet: its controller has seen this generation, all its pods are of
 * this revision and available, and no pod of an older one is left.
 */
export function rolloutState(
  live: KubernetesObject | undefined,
  hash: string,
  what: string,
): StepState {
  const applied = appliedState(live, hash, what);
  if (live === undefined) return applied;
  const serves = applied.serves && hasPods(live);
  if (applied.state !== 'complete') return { ...applied, serves };
  const missing = missingPods(live);
  return missing === undefined ? COMPLETE : { state: 'progressing', message: missing, serves };
}

/** Whether as many pods as are wanted serve, of whatever revision they are. */
function hasPods(live: KubernetesObject): boolean {
  const { availableReplicas = 0 } = (live['status'] ?? {}) as Partial<typeof UNSEEN>;
  return availableReplicas >= wantedPods(live);
}

/** Whether it is a workload with all the pods that its present spec asks for, and no others, whatever that spec is. */
export const isRolledOut = (live: KubernetesObject): boolean =>
  isWorkload(live) && missingPods(live) === undefined;

/** What a rollout still lacks, or undefined. */
function missingPods(live: KubernetesObject): string | undefined {
  const status = { ...UNSEEN, ...(live['status'] as Partial<typeof UNSEEN> | undefined) };
  const { observedGeneration, replicas, updatedReplicas: updated, availableReplicas } = status;
  const wanted = wantedPods(live);
  if (observedGeneration < (live.metadata.generation ?? 0))
    return `${nameOf(live)} has changed and its controller has not seen it yet`;
  if (updated < wanted)
    return `${nameOf(live)}: ${updated} of ${wanted} pods are of the new revision`;
  if (replicas > wanted) return `${nameOf(live)}: a pod of the old revision is still there`;
  if (availableReplicas < wanted)
    return `${nameOf(live)}: ${availableReplicas} of ${wanted} pods are ready`;
  return undefined;
}

const wantedPods = (live: KubernetesObject): number =>
  (live['spec'] as { replicas?: number } | undefined)?.replicas ?? 1;
