/** An etcd of the Go operator that serves, and that a member which the user names replaces: pure. */
import { parseVersion } from '../../api/versions/versions.ts';
import type { EtcdView } from '../../etcd/view.ts';
import { neverFormed } from '../../etcd-cluster/members/never-formed.ts';
import { membersIn } from '../../etcd-cluster/pods/membership.ts';
import { isDurable, specOf } from '../../etcd-cluster/pods/stateful-set.ts';
import { confirmedMember } from '../../etcd-cluster/recovery/confirmed-member.ts';
import type { Replaced } from '../../etcd-cluster/recovery/survivors.ts';
import type { StatefulSet } from '../../kubernetes/objects/kinds.ts';
import { hasGoTemplate } from '../adoption/adopted-etcd.ts';

/** A recovery that the user asked for. */
interface Asked {
  /** Value of the annotation. */
  readonly from?: string | undefined;
  /** Whether the recovery of members that never formed one cluster has begun. */
  readonly isBegun?: boolean;
}

/**
 * Returns what a recovery replaces although it serves.
 * @returns undefined if only an etcd without a quorum may be replaced
 */
export function replacedEtcd(
  live: StatefulSet | undefined,
  view: Pick<EtcdView, 'splitBrain' | 'members' | 'clusters'>,
  asked: Asked = {},
): Replaced | undefined {
  if (live === undefined || !hasGoTemplate(live)) return undefined;
  const isNeverOne = isStillNeverOne(view, asked) || neverFormed(view, membersIn(live));
  if (!isNeverOne && isDurable(specOf(live))) return undefined;
  return { cause: isNeverOne ? 'neverOneCluster' : 'emptyDir', ...unableImage(live) };
}

/** Whether a recovery of members that never formed one cluster goes on, although those that respond do not show it. */
function isStillNeverOne(
  { clusters }: Pick<EtcdView, 'clusters'>,
  { from, isBegun = false }: Asked,
): boolean {
  // While the operator reaches no member, it knows nothing that withdraws the recovery.
  if (isBegun && clusters.length === 0) return true;
  const named = from === undefined ? undefined : confirmedMember(from);
  // The named member may be away for a moment while those of the other cluster respond.
  return named !== undefined && clusters.some(({ id }) => id !== named.clusterID);
}

/** Only etcdutl of 3.6 raises the revision of the data that it restores. */
function unableImage(live: StatefulSet): Pick<Replaced, 'unableImage'> {
  const { image = '' } = specOf(live).template?.spec?.containers?.[0] ?? {};
  const version = parseVersion(image.slice(image.lastIndexOf(':') + 1));
  const isAble = version !== undefined && (version.major > 3 || version.minor >= 6);
  return isAble ? {} : { unableImage: image };
}
