/**
 * `status.memberClusters`: the member clusters that have joined the control plane. Pure functions. It contains no time that
 * changes while nothing happens, so that member clusters in the steady state cause no writes.
 */
import {
  LISTED_CLUSTERS,
  type MemberClustersStatus,
  type MemberClusterState,
} from '../../api/member-clusters-status.ts';
import type { Warning } from '../../api/warnings/warning.ts';
import type { JoinedCluster, Snapshot } from '../../instance/snapshot.ts';
import { timestamp } from '../status/managed-conditions.ts';
import { parseTime } from '../../kubernetes/time/time.ts';

/** Time before the expiry of credentials from which a warning names them, in milliseconds. */
const EXPIRES_SOON_MS = 14 * 86_400_000;

/** Maximum number of member clusters that a warning names. */
const NAMED = 3;

type Seen = Pick<Snapshot, 'memberClusters' | 'now'>;

/**
 * Returns the status of the member clusters.
 * @param before status that was written last
 * @returns `before` while the member clusters are not known
 */
export function memberClustersStatus(
  { memberClusters, now }: Seen,
  before: MemberClustersStatus | undefined,
): MemberClustersStatus | undefined {
  if (memberClusters === undefined) return before;
  const states = statesOf(memberClusters, before);
  const count = (is: (state: MemberClusterState) => boolean): number => states.filter(is).length;
  const ready = count((state) => state.ready === 'True');
  return {
    summary: `${ready}/${states.length}`,
    total: states.length,
    ready,
    push: count(({ syncMode }) => syncMode === 'Push'),
    pull: count(({ syncMode }) => syncMode === 'Pull'),
    clusters: states.toSorted(byAttention(now)).slice(0, LISTED_CLUSTERS),
  };
}

/** Warning about member clusters whose credentials have expired or expire soon. */
export function memberClusterWarnings(
  { memberClusters, now }: Seen,
  before: MemberClustersStatus | undefined,
): readonly Warning[] {
  const known = memberClusters === undefined ? before?.clusters : statesOf(memberClusters, before);
  const expiring = (known ?? []).filter((state) => expiresSoon(state, now)).toSorted(byExpiry);
  if (expiring.length === 0) return [];
  const named = expiring
    .slice(0, NAMED)
    .map(({ name, credentialExpiry = '' }) => `${name} (${credentialExpiry})`);
  const more = expiring.length - named.length;
  const list = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const message = `member clusters: the credentials in the Secrets of these Clusters expire soon or have expired: ${list}; write a new token or caBundle to the Secret that spec.secretRef of the Cluster names.`;
  return [{ reason: 'MemberCredentialsExpiring', message }];
}

/** The states by name. An expiry that has not been read yet keeps the value that was written last. */
function statesOf(
  clusters: readonly JoinedCluster[],
  before: MemberClustersStatus | undefined,
): readonly MemberClusterState[] {
  const written = new Map(before?.clusters.map((state) => [state.name, state.credentialExpiry]));
  return clusters
    .map((cluster) => stateOf(cluster, written.get(cluster.name)))
    .toSorted((one, other) => compareNames(one.name, other.name));
}

function stateOf(
  { name, syncMode, ready, reason, changedAt, expiry }: JoinedCluster,
  written: string | undefined,
): MemberClusterState {
  const isDown = ready !== 'True';
  const expires = typeof expiry === 'number' ? timestamp(expiry) : undefined;
  const credentialExpiry = expiry === 'pending' ? written : expires;
  return {
    name,
    ...(syncMode && { syncMode }),
    ready,
    ...(isDown && reason !== undefined && { reason }),
    ...(isDown && changedAt !== undefined && { since: timestamp(changedAt) }),
    ...(credentialExpiry !== undefined && { credentialExpiry }),
  };
}

const compareNames = (one: string, other: string): number =>
  one === other ? 0 : one < other ? -1 : 1;

/** Member clusters that are not ready first, then those with expiring credentials. The sort is stable. */
function byAttention(now: number): (one: MemberClusterState, other: MemberClusterState) => number {
  const rank = (state: MemberClusterState): number => {
    if (state.ready !== 'True') return 0;
    return expiresSoon(state, now) ? 1 : 2;
  };
  return (one, other) => rank(one) - rank(other);
}

const expiresSoon = ({ credentialExpiry }: MemberClusterState, now: number): boolean =>
  credentialExpiry !== undefined && parseTime(credentialExpiry) - now <= EXPIRES_SOON_MS;

const byExpiry = (one: MemberClusterState, other: MemberClusterState): number =>
  compareNames(one.credentialExpiry ?? '', other.credentialExpiry ?? '');
