/** What all reconciles of backups share: their tools, the Pods of a backup, and the write of a status. */
import { isDeepStrictEqual } from 'node:util';
import type { PatchBackupObject } from '../../../actions/backup-action.ts';
import type { ReconcileRecord } from '../../../actions/reconcile-record.ts';
import { karmadaBackups, type KarmadaBackup } from '../../../api/backup/kinds.ts';
import type { Clock } from '../../../kubernetes/time/clock.ts';
import { mergePatch } from '../../../kubernetes/objects/merge-patch.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../kubernetes/objects/resources.ts';
import { reported, type Report } from '../../../features/backups/backup-status.ts';
import { BACKUP_LABEL, UID_LABEL } from '../../../features/backups/job-pod.ts';
import type { BackupClient, FindBackupCluster } from '../../../features/backups/backup-cluster.ts';
import type { MemberComparisons } from '../../../features/backups/member-comparisons.ts';
import { timeText } from '../../../features/backups/time.ts';

export interface BackupTools {
  /** Of the management cluster. */
  readonly client: BackupClient;
  readonly clusterOf: FindBackupCluster;
  /** Comparisons of member clusters after a restore. */
  readonly members?: Pick<MemberComparisons, 'of' | 'forget'>;
  readonly clock: Pick<Clock, 'wall'>;
  /** Image of the operator; undefined if the operator does not know it. */
  readonly image: string | undefined;
  readonly operatorVersion: string;
  /** Receives failed actions, for metrics. */
  readonly record?: ReconcileRecord;
}

/**
 * Finds the Pods of a backup by name. A Pod of another KarmadaBackup does not count.
 * @param client of the cluster of the Pods
 * @throws ApiError, NetworkError
 */
export async function podsOfBackup(
  { metadata }: KarmadaBackup,
  client: BackupClient,
): Promise<(pod: string) => KubernetesObject | undefined> {
  const { namespace = '', name, uid = '' } = metadata;
  const labelSelector = `${BACKUP_LABEL}=${name}`;
  const { items } = await client.list(resources.Pod, { namespace, labelSelector });
  const own = items.filter((one) => isOwnedBy(one, uid));
  return (pod) => own.find((one) => one.metadata.name === pod);
}

/** Whether an object belongs to a KarmadaBackup or KarmadaRestore. @param uid its UID */
export const isOwnedBy = ({ metadata }: KubernetesObject, uid: string): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid) === true ||
  metadata.labels?.[UID_LABEL] === uid;

/** Returns the action that writes a status; none if it has not changed. */
export function statusActions(
  type: ResourceType,
  of: Pick<KubernetesObject, 'metadata'> & { readonly status?: object },
  status: object,
): readonly PatchBackupObject[] {
  if (isDeepStrictEqual(status, of.status)) return [];
  const patch = { status: mergePatch({ ...of.status }, { ...status }) };
  return [{ kind: 'writeBackupStatus', type, of, patch }];
}

/** Returns the action that reports a fact in the status of a KarmadaBackup; none if it does so already. */
export const reportActions = (
  backup: KarmadaBackup,
  report: Report,
  { clock }: Pick<BackupTools, 'clock'>,
): readonly PatchBackupObject[] =>
  statusActions(karmadaBackups, backup, reported(backup, report, timeText(clock.wall())));
