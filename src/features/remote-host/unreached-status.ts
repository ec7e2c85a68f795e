/** Status of a Karmada whose host cluster the operator cannot use: pure. */
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import type { Problem } from '../../api/reasons/problem.ts';
import { HOST_REACHABLE } from '../../conditions/condition-types.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';
import { stalled } from '../../conditions/generic-clients.ts';
import { HOST_NOT_OBSERVED } from '../../host-clusters/host-problems.ts';
import { conditionsWith, unseenStatus, type Context } from '../status/unreconciled-status.ts';

/** Reasons for which the operator does not use a host cluster until the user changes something. */
const NEEDS_USER: ReadonlySet<string> = new Set([
  'HostAccessDenied',
  'HostChanged',
  'HostSecretInvalid',
  'HostSecretMissing',
  'HostNamespaceNotGranted',
  'HostServerNotGranted',
  'TooManyHostClusters',
]);

/** Reasons for which the operator does not know whether it can reach the host cluster. */
const UNKNOWN: ReadonlySet<string> = new Set(['Progressing', HOST_NOT_OBSERVED]);

/** Status while the operator cannot use the host cluster. The control plane may still run: Ready becomes Unknown. */
export function unreachedStatus(karmada: Karmada, cause: Problem, context: Context): KarmadaStatus {
  const status = UNKNOWN.has(cause.reason) ? 'Unknown' : 'False';
  const reachable: ConditionDraft = { type: HOST_REACHABLE, status, ...cause };
  const others = NEEDS_USER.has(cause.reason) ? [reachable, stalled(cause)] : [reachable];
  return unseenStatus(karmada, cause, { ...context, others, phase: 'Installing' });
}

/** Adds to the present status that the operator cannot use the host cluster. */
export function withUnreachedHost(
  karmada: Karmada,
  cause: Problem,
  context: Context,
): KarmadaStatus {
  const finding: ConditionDraft = { type: HOST_REACHABLE, status: 'False', ...cause };
  return { ...context.before, conditions: conditionsWith(karmada, [finding], context) };
}
