/** Warnings about the host cluster of a control plane: pure. */
import type { Warning } from '../../api/warnings/warning.ts';
import { missingPermissionsText } from '../../permissions/missing-permissions-text.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

export const hostWarnings = (snapshot: Snapshot): readonly Warning[] => [
  ...rightsWarnings(snapshot),
  ...namespaceWarnings(snapshot),
];

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
