/** The condition `Warning` of a control plane that the operator reconciles. Pure functions. */
import type { KarmadaStatus } from '../../../api/karmada.ts';
import { warningContent } from '../../../api/warning-condition.ts';
import { warnings, type Warning } from '../../../api/warnings.ts';
import { missingPermissionsText } from '../../../permissions/missing-permissions-text.ts';
import { adoptedEtcdWarnings } from '../../../features/adoption/adopted-etcd.ts';
import { etcdWarnings } from './etcd-conditions.ts';
import { estimatorWarnings } from '../../../features/member-access/estimators.ts';
import type { Snapshot } from '../../../instance/snapshot.ts';
import type { ConditionDraft } from '../../../conditions/conditions.ts';
import { memberClusterWarnings } from './member-clusters-status.ts';

/** Returns the condition with all warnings; none without a warning. */
export function warningFindings(
  snapshot: Snapshot,
  before: KarmadaStatus,
): readonly ConditionDraft[] {
  const found = [
    ...rightsWarnings(snapshot),
    ...namespaceWarnings(snapshot),
    ...warnings(snapshot.karmada, snapshot.spec, snapshot.host),
    ...etcdWarnings(snapshot),
    ...adoptedEtcdWarnings(snapshot),
    ...archiveWarnings(snapshot),
    ...secretWarnings(snapshot),
    ...memberClusterWarnings(snapshot, before.memberClusters),
    ...estimatorWarnings(snapshot),
  ];
  const content = warningContent(found);
  return content === undefined ? [] : [{ type: 'Warning', status: 'True', ...content }];
}

/** Warning about an archive of another patch release. */
function archiveWarnings({ archive }: Snapshot): readonly Warning[] {
  const warning = 'warning' in archive ? archive.warning : undefined;
  return warning === undefined ? [] : [{ ...warning, message: `${warning.message}.` }];
}

/** Warnings about Secrets whose copy stays in use although the operator may no longer read them. */
const secretWarnings = ({ secretWarnings = [] }: Snapshot): readonly Warning[] =>
  secretWarnings.map(({ reason, message }) => ({
    reason,
    message: `${message}. The control plane keeps using the values that the operator read before.`,
  }));

/** Warning about a namespace in the host cluster that the control plane uses without the label of its owner. */
const namespaceWarnings = ({ remote }: Snapshot): readonly Warning[] =>
  remote?.namespaceWarning === undefined
    ? []
    : [
        {
          ...remote.namespaceWarning,
          message: `${remote.namespaceWarning.message}. The control plane keeps running there.`,
        },
      ];

/** Warnings about RBAC permissions that a role from an older version of the operator lacks. */
function rightsWarnings({ remote, missingRights = [] }: Snapshot): readonly Warning[] {
  if (missingRights.length === 0) return [];
  const where = remote === undefined ? 'own' : 'remote';
  const place =
    remote === undefined ? 'the cluster of the operator' : `the host cluster at ${remote.server}`;
  const message = missingPermissionsText(place, missingRights, { where });
  return [{ reason: 'HostRightsMissing', message }];
}
