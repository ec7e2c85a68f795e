/**
 * Status fields for generic clients such as kubectl, Argo CD and Flux: the conditions of kstatus, and the hash by which
 * the operator recognizes an applied spec. Pure functions.
 */
import type { Problem } from '../api/reasons/problem.ts';
import type { Karmada, KarmadaStatus } from '../api/karmada.ts';
import { canonicalJson, sha256 } from '../kubernetes/objects/intent.ts';
import type { ConditionDraft } from './conditions.ts';

/** Type of the condition that is True while only a user action allows progress, and absent otherwise. */
export const STALLED = 'Stalled';

export const stalled = ({ reason, message }: Problem): ConditionDraft => ({
  type: STALLED,
  status: 'True',
  reason,
  message,
});

/** Hash of a spec without `suspend`, which does not change the desired objects. */
export function specHash({ spec }: Pick<Karmada, 'spec'>): string {
  const fields = Object.entries(spec ?? {}).filter(([field]) => field !== 'suspend');
  return sha256(canonicalJson(Object.fromEntries(fields))).slice(0, 16);
}

/**
 * Returns the hash of the spec that the control plane runs. It changes only when the control plane is ready.
 * @param ready whether the control plane is ready with the spec of `karmada`
 */
export function appliedSpec(
  karmada: Pick<Karmada, 'spec'>,
  before: KarmadaStatus,
  ready: boolean,
): Pick<KarmadaStatus, 'appliedSpecHash'> {
  const hash = ready ? specHash(karmada) : before.appliedSpecHash;
  return hash === undefined ? {} : { appliedSpecHash: hash };
}
