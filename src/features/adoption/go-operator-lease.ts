/** Detects a running Go operator by its leader Lease. */
import type { ManagementCluster } from '../../host-clusters/host.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import { specOf } from '../../kubernetes/objects/lease.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { parseTime } from '../../kubernetes/time/time.ts';
import type { RunningGoOperator } from './decide-adoption.ts';

export interface LeaseTools {
  readonly local: Pick<ManagementCluster, 'client'>;
  readonly clock: Clock;
  /** Leader Lease of this operator; the Go operator has one of the same name in its own namespace. */
  readonly ownLease?: { readonly namespace: string; readonly name: string } | undefined;
}

/** Name of the leader Lease of the Go operator, its default and that of its chart. */
const GO_LEASE = 'karmada-operator';

/** Finds the Lease of a Go operator that runs. Without permission to list Leases the result is undefined. */
export async function readGoOperator({
  local,
  clock,
  ownLease,
}: LeaseTools): Promise<RunningGoOperator | undefined> {
  try {
    const { items } = await local.client.list(resources.Lease, {
      fieldSelector: `metadata.name=${GO_LEASE}`,
    });
    const now = clock.wall();
    const lease = items.find((item) => !isOwn(item, ownLease) && isHeld(item, now));
    if (lease === undefined) return undefined;
    const { namespace = '', name } = lease.metadata;
    return { lease: `${namespace}/${name}`, holder: specOf(lease).holderIdentity ?? '' };
  } catch (error) {
    if (isStatus(error, 403)) return undefined;
    throw error;
  }
}

const isOwn = ({ metadata }: KubernetesObject, own: LeaseTools['ownLease']): boolean =>
  metadata.namespace === own?.namespace && metadata.name === own?.name;

const SECOND_MS = 1000;

/** Whether a process holds the Lease and has renewed it within its duration. */
function isHeld(lease: KubernetesObject, now: number): boolean {
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 0 } = specOf(lease);
  if (holderIdentity === '' || renewTime === undefined) return false;
  return now - parseTime(renewTime) < leaseDurationSeconds * SECOND_MS;
}
