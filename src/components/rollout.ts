/** Rollout state of workloads. */
import type { Replicated } from '../kubernetes/objects/kinds.ts';
import { isWorkload } from './workload.ts';
import { APPLIED_HASH } from '../kubernetes/objects/compare.ts';
import { nameOf, type KubernetesObject } from '../kubernetes/objects/object.ts';

/** State of one step of a control plane. */
export interface StepState {
  /**
   * `missing`: not created; `outdated`: does not match the desired state; `progressing`: matches, but is not ready;
   * `complete`: matches and is ready.
   */
  readonly state: 'missing' | 'outdated' | 'progressing' | 'complete';
  /** What is missing, for the status; empty if complete. */
  readonly message: string;
  /** Whether it serves requests, even if an update is pending. */
  readonly serves: boolean;
  /**
   * Whether only the controller of the workload is awaited, which has not observed the latest generation: all Pods of the
   * former one are available.
   */
  readonly isUnobserved?: true;
}

/** Annotation of the Deployment controller: number of changes of the Pod template. */
export const REVISION = 'deployment.kubernetes.io/revision';

export const COMPLETE: StepState = { state: 'complete', message: '', serves: true };

/** Status of a workload that its controller has not observed. The API omits zero values from a status. */
const UNSEEN = { observedGeneration: 0, replicas: 0, updatedReplicas: 0, availableReplicas: 0 };

/** Hash of an object that the operator has never applied and keeps as it is. */
export const UNAPPLIED = '';

/** Compares the applied intent of an object with the desired one. */
export function appliedState(
  live: KubernetesObject | undefined,
  hash: string,
  what: string,
): StepState {
  if (live === undefined)
    return { state: 'missing', message: `${what}: not created yet`, serves: false };
  if (live.metadata.deletionTimestamp !== undefined)
    return {
      state: 'outdated',
      message: `${what}: terminating; recreated after its deletion`,
      serves: false,
    };
  if ((live.metadata.annotations?.[APPLIED_HASH] ?? UNAPPLIED) !== hash)
    return { state: 'outdated', message: `${what}: update pending`, serves: true };
  return COMPLETE;
}

/**
 * State of a Deployment or StatefulSet. Complete if the controller has observed the generation, all Pods are updated
 * and available, and no Pod of an earlier revision is left.
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
  if (missing === undefined) return COMPLETE;
  const isUnobserved = serves && !isObserved(live) && lackingPods(live) === undefined;
  const state = { state: 'progressing', message: missing, serves } as const;
  return isUnobserved ? { ...state, isUnobserved } : state;
}

/** Whether the controller of a workload has observed its latest generation. */
export function isObserved({ metadata, status = {} }: Replicated): boolean {
  const { observedGeneration = 0 } = status;
  return observedGeneration >= (metadata.generation ?? 0);
}

/** Whether enough Pods are available, of any revision. */
function hasPods(live: Replicated): boolean {
  const { availableReplicas = 0 } = live.status ?? {};
  return availableReplicas >= wantedPods(live);
}

/** Whether a workload has completed the rollout of its current spec, whether or not that spec is desired. */
export const isRolledOut = (live: KubernetesObject): boolean =>
  isWorkload(live) && missingPods(live) === undefined;

/** Describes what a rollout still lacks; undefined if it is complete. */
const missingPods = (live: Replicated): string | undefined =>
  isObserved(live)
    ? lackingPods(live)
    : `${nameOf(live)}: the latest generation is not observed by its controller yet`;

/** The same for the generation that the controller has observed. */
function lackingPods(live: Replicated): string | undefined {
  const status = { ...UNSEEN, ...live.status };
  const { replicas, updatedReplicas: updated, availableReplicas } = status;
  const wanted = wantedPods(live);
  if (updated < wanted) return `${nameOf(live)}: ${updated} of ${wanted} Pods updated`;
  if (replicas > wanted)
    return availableReplicas < replicas
      ? `${nameOf(live)}: the rolling update waits for an updated Pod; ${availableReplicas} of ${replicas} Pods available`
      : `${nameOf(live)}: a Pod of the previous revision still exists`;
  if (availableReplicas < wanted)
    return `${nameOf(live)}: ${availableReplicas} of ${wanted} Pods available`;
  return undefined;
}

const wantedPods = (live: Replicated): number => live.spec?.replicas ?? 1;
