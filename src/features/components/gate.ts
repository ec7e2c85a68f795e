/** A gate: a condition for a write of a desired object. Types, and answers of gates. */
import type { Step } from '../../components/component.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { Waiting } from '../../instance/waiting.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { EtcdPlan } from '../etcd-plan/etcd-actions.ts';
import { stepName } from './step-names.ts';
import type { StepStates } from '../../actions/planner.ts';

export interface GateInput {
  readonly snapshot: Pick<
    Snapshot,
    'controlPlane' | 'host' | 'installed' | 'etcd' | 'etcdBootstrap' | 'rollback' | 'upgradeBackup'
  >;
  readonly states: StepStates;
  /** Actions and blocked changes of a local etcd. */
  readonly etcd: EtcdPlan;
  /** The object in the cache; undefined if it does not exist. */
  readonly cached: KubernetesObject | undefined;
  /** Steps with a blocked change that does not delay later stages. */
  readonly nonBlocking: ReadonlySet<string>;
  /** Steps that would register a Service that is not reachable yet. */
  readonly closed: ReadonlySet<Step>;
  /** See `budgetOwners`. */
  readonly owners: ReadonlyMap<string, object>;
  /** Components with a NetworkPolicy that does not exist yet. */
  readonly unprotected: ReadonlySet<Step>;
  /**
   * Whether this is the first rollout of the API server. Nothing depends on it yet, so objects in the Karmada API may
   * be written before its Pod is Ready. In an upgrade they wait for the complete rollout.
   */
  readonly isFirstRollout: boolean;
}

/** @returns undefined if the gate allows the write */
export type Gate = (target: DesiredObject, input: GateInput) => Waiting | undefined;

/** Answer of a gate that waits for steps. @returns undefined if there are none */
export const waitFor = (step: Step, awaits: readonly Step[]): Waiting | undefined =>
  awaits.length === 0
    ? undefined
    : later(`${step} waits for ${awaits.map(stepName).join(', ')}`, awaits);

/** Reason of a write that follows without the user. */
export const later = (message: string, awaits: readonly Step[] = []): Waiting => ({
  reason: 'Progressing',
  message,
  awaits,
});
