/** Why a host cannot be worked on, in the words of conditions: pure. */
import type { Problem } from '../api/problem.ts';
import { missingRightsText } from '../rights/missing-rights-text.ts';
import type { HostReference } from './host-reference.ts';
import { secretOf } from './read-access.ts';

/** Reason of a host that answers while nothing is known of what is in it any more. */
export const HOST_NOT_OBSERVED = 'HostNotObserved';

/** Nothing is known of it after so many milliseconds. */
export const overdue = (reference: HostReference, ms: number): Problem => ({
  reason: 'HostUnread',
  message: `${secretOf(reference)}: the first check of the host cluster has not ended within ${ms / 1_000} s; check the network between the operator and both API servers`,
});

/** Each Karmada is told the reason that applies to it. */
export const notAllowed = (reference: HostReference): Problem => ({
  reason: 'SecretNotGranted',
  message: `${secretOf(reference)} may not be used by any Karmada that names it`,
});

/** @param at names the host @param text what came in the place of an answer */
export const away = (at: string, text: string): Problem => ({
  reason: 'HostUnreachable',
  message: `${at} does not answer: ${text}; check the address in the Secret of spec.hostCluster.secretRef and the network`,
});

/** @param at names the host @param text what it answered */
export const denied = (at: string, text: string): Problem => ({
  reason: 'HostAccessDenied',
  message: `${at} refuses the identity in the Secret of spec.hostCluster.secretRef: ${text}; renew its credentials, or grant it the ClusterRole karmada-operator-remote (config/remote-host/rights.yaml)`,
});

/** @param at names the host @param text the call by which it was followed */
export const notObserved = (at: string, text: string): Problem => ({
  reason: HOST_NOT_OBSERVED,
  message: `${at} answers, but its objects cannot be followed: ${text}; check its API server and the network`,
});

/** @param rights that the operator needs before it does anything @param answer to a call that was forbidden */
export const lacking = (at: string, rights: readonly string[], answer: string): Problem => ({
  reason: 'HostAccessDenied',
  message: missingRightsText(at, rights, { where: 'remote', answer }),
});
