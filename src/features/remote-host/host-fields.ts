/** Status of a remote host cluster. Pure functions. */
import type { KarmadaStatus } from '../../api/karmada.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { HOST_REACHABLE } from '../../conditions/condition-types.ts';
import type { ConditionDraft } from '../../conditions/conditions.ts';

/** Identity of a remote host cluster; empty for the management cluster. */
export function placeIn({
  remote,
}: Snapshot): Pick<KarmadaStatus, 'hostUID' | 'hostSecret' | 'hostEndpoint'> {
  if (remote?.uid === undefined) return {};
  return { hostUID: remote.uid, hostSecret: remote.secret, hostEndpoint: remote.endpoint };
}

/** Condition of a remote host cluster. */
export function hostFindings({ remote }: Snapshot): readonly ConditionDraft[] {
  if (remote === undefined) return [];
  return [{ type: HOST_REACHABLE, status: 'True', reason: 'Reached', message: remote.server }];
}
