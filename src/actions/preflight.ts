/**
 * Preflight checks: whether the operator works on a control plane at all, before its first write of a reconcile. Features
 * register them in `controllers/karmada/features.ts`.
 */
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import type { PresentSecrets } from '../instance/present-secrets.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Action } from './action.ts';

export interface PreflightSubject {
  /** `namespace/name` of the Karmada. */
  readonly key: string;
  readonly karmada: Karmada;
  /** Status that was written last. */
  readonly before: KarmadaStatus;
  /** Objects of the control plane in its host cluster. */
  readonly owned: readonly KubernetesObject[];
  /** Secrets in the host cluster, read once for all checks. */
  readonly present: PresentSecrets;
}

/** The operator writes only this status. */
export interface Obstacle {
  /** Pure. @param context now: wall clock in milliseconds */
  readonly status: (context: {
    readonly before: KarmadaStatus;
    readonly now: number;
  }) => KarmadaStatus;
  /** Whether no event signals its end, so that background work ends and the checks are repeated after a while. */
  readonly endsWithoutEvent?: true;
}

/** The control plane belongs to another operator. Its objects are adopted first, in rounds of actions. */
interface Adoption {
  readonly adoption: readonly (readonly Action[])[];
}

export type PreflightResult = Obstacle | Adoption | undefined;

/** Reads, and writes nothing. @returns undefined if nothing is in the way @throws ApiError, NetworkError */
export type PreflightCheck<T> = (
  tools: T,
  subject: PreflightSubject,
) => PreflightResult | Promise<PreflightResult>;
