/**
 * What clients go by that know no Karmada, such as kubectl, Argo CD and Flux: the generation that a status is about, Ready
 * and Stalled (the conditions of kstatus). Pure.
 */
import type { Problem } from '../../api/problem.ts';
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { canonicalJson, sha256 } from '../../kubernetes/intent.ts';
import type { Finding } from './conditions.ts';

/** Type of the condition that is True when nothing goes on until somebody acts, and else absent. */
export const STALLED = 'Stalled';

export const stalled = ({ reason, message }: Problem): Finding => ({
  type: STALLED,
  status: 'True',
  reason,
  message,
});

/** Hash of a spec by which it is known again. Whether it is suspended changes nothing of what is to run. */
export function specHash({ spec }: Pick<Karmada, 'spec'>): string {
  const fields = Object.entries(spec ?? {}).filter(([field]) => field !== 'suspend');
  return sha256(canonicalJson(Object.fromEntries(fields))).slice(0, 16);
}

/** Which spec the control plane is known to run; it stays so until it is ready with another one. */
export function appliedSpec(
  karmada: Pick<Karmada, 'spec'>,
  before: KarmadaStatus,
  ready: boolean,
): Pick<KarmadaStatus, 'appliedSpecHash'> {
  const hash = ready ? specHash(karmada) : before.appliedSpecHash;
  return hash === undefined ? {} : { appliedSpecHash: hash };
}
