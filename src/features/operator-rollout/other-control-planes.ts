/** Rollout states of the other control planes, from the cache of Karmadas and from newer writes. */
import type { Karmada, KarmadaStatus } from '../../api/karmada.ts';
import { keyOf, keyText } from '../../kubernetes/objects/resources.ts';
import type { ManagementCluster } from '../../host-clusters/host.ts';
import type { InstanceCache, InstanceCaches } from '../../instance/instance-cache.ts';
import { HOST_REACHABLE } from '../../conditions/condition-types.ts';
import { currentStatus } from '../status/status-writer.ts';
import type { Sibling } from '../../instance/rollout-turn.ts';
import { ROLLOUT_FAILED } from './rollout-order.ts';
import { OPERATOR_ROLLOUT } from '../../conditions/condition-types.ts';

export interface SiblingTools {
  readonly local: Pick<ManagementCluster, 'karmadas'>;
  readonly instances: Pick<InstanceCaches, 'peek'>;
}

/** Returns the rollout state of each Karmada except the one with this key (`namespace/name`). */
export function otherControlPlanes(
  { local, instances }: SiblingTools,
  key: string,
): readonly Sibling[] {
  return local.karmadas.cache
    .list()
    .map((karmada) => ({ karmada, other: keyText(keyOf(karmada)) }))
    .filter(({ other }) => other !== key)
    .map(({ karmada, other }) => ({ key: other, state: stateOf(karmada, instances.peek(other)) }));
}

function stateOf(karmada: Karmada, instance: InstanceCache | undefined): Sibling['state'] {
  if (isInactive(karmada)) return 'none';
  if (instance?.announcesRollout === true) return 'rolling';
  return rolloutState(instance ? currentStatus(instance, karmada) : (karmada.status ?? {}));
}

/** Returns the rollout state of a Karmada in the cache. */
export const cachedRolloutState = (karmada: Karmada): Sibling['state'] =>
  isInactive(karmada) ? 'none' : rolloutState(karmada.status ?? {});

/** Nothing rolls in a control plane that is being deleted or suspended. */
const isInactive = ({ metadata, spec }: Karmada): boolean =>
  metadata.deletionTimestamp !== undefined || spec?.suspend === true;

/** Returns the rollout state in a status. Nothing rolls on an unreachable host cluster. */
export function rolloutState({ conditions = [] }: KarmadaStatus): Sibling['state'] {
  const away = conditions.some(({ type, status }) => type === HOST_REACHABLE && status === 'False');
  const found = conditions.find(({ type }) => type === OPERATOR_ROLLOUT);
  if (found === undefined || away) return 'none';
  if (found.status !== 'True') return 'waiting';
  return found.reason === ROLLOUT_FAILED ? 'failed' : 'rolling';
}
