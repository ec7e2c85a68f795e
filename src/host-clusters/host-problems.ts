/** Condition reasons and messages for unusable host clusters. Pure functions. */
import type { Problem } from '../api/reasons/problem.ts';
import { missingPermissionsText } from '../permissions/missing-permissions-text.ts';
import type { HostReference } from './host-reference.ts';
import { secretOf } from './read-host-secret.ts';

/** Reason for a reachable host cluster whose watches have failed. */
export const HOST_NOT_OBSERVED = 'HostNotObserved';

/** The first check did not complete within `ms` milliseconds. */
export const overdue = (reference: HostReference, ms: number): Problem => ({
  reason: 'HostUnread',
  message: `${secretOf(reference)}: the first check of the host cluster has not ended within ${ms / 1_000} s; check the network between the operator and both API servers`,
});

/** No Karmada may use the Secret. `viewFor` replaces this with the reason of each Karmada. */
export const notAllowed = (reference: HostReference): Problem => ({
  reason: 'SecretNotGranted',
  message: `${secretOf(reference)} is not granted to any Karmada that references it`,
});

/** The host cluster is unreachable. @param at name of the host cluster @param text error */
export const unreachable = (at: string, text: string): Problem => ({
  reason: 'HostUnreachable',
  message: `${at} is unreachable: ${text}; check the address in the Secret of spec.hostCluster.secretRef and the network`,
});

/** The host cluster rejects the credentials. @param at name of the host cluster @param text response */
export const denied = (at: string, text: string): Problem => ({
  reason: 'HostAccessDenied',
  message: `${at} rejects the credentials in the Secret of spec.hostCluster.secretRef: ${text}; renew the credentials, or bind the ClusterRole karmada-operator-remote to their identity (config/remote-host/rights.yaml)`,
});

/** The watches of the host cluster have failed. @param at name of the host cluster @param text failed call */
export const notObserved = (at: string, text: string): Problem => ({
  reason: HOST_NOT_OBSERVED,
  message: `${at} is reachable, but its objects cannot be watched: ${text}; check its API server and the network`,
});

/**
 * The operator lacks RBAC permissions on the host cluster.
 * @param at name of the host cluster
 * @param rights missing permissions without which the operator does nothing
 * @param answer response to a forbidden call
 */
export const lacking = (at: string, rights: readonly string[], answer: string): Problem => ({
  reason: 'HostAccessDenied',
  message: missingPermissionsText(at, rights, { where: 'remote', answer }),
});
