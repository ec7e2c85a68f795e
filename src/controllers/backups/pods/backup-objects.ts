/** Reads and writes that all reconcilers of backups share. */
import { isDeepStrictEqual } from 'node:util';
import {
  karmadaBackups,
  type KarmadaBackup,
  type KarmadaBackupStatus,
} from '../../../api/backup/kinds.ts';
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import type { Clock } from '../../../kubernetes/clock.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import type { Secret } from '../../../kubernetes/kinds.ts';
import { isTerminating, type KubernetesObject } from '../../../kubernetes/object.ts';
import type { Pod } from '../../../kubernetes/pod-kinds.ts';
import { keyOf, resources, type ResourceType } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import { BACKUP_LABEL, UID_LABEL } from '../../../features/backups/job-pod.ts';
import type { BackupClient, FindPlace } from '../../../features/backups/place.ts';
import type { MemberComparisons } from '../../../features/backups/member-comparisons.ts';

export interface BackupTools {
  /** Of the management cluster. */
  readonly client: BackupClient;
  readonly placeOf: FindPlace;
  /** Comparisons of member clusters after a restore. */
  readonly members?: Pick<MemberComparisons, 'of' | 'forget'>;
  readonly clock: Pick<Clock, 'wall'>;
  /** Image of the operator; undefined if the operator does not know it. */
  readonly image: string | undefined;
  readonly operatorVersion: string;
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

/**
 * Creates the Secret with the configuration of a Pod, unless it exists.
 * @param uid of the KarmadaBackup or KarmadaRestore
 * @returns whether the Secret belongs to it; another one would be a foreign configuration
 * @throws ApiError, NetworkError
 */
export async function createConfig(
  secret: Secret,
  uid: string,
  client: BackupClient,
): Promise<boolean> {
  await isWritten(client.create(secret, { fieldManager: FIELD_MANAGER }));
  const found = await client.find(resources.Secret, keyOf(secret));
  return found !== undefined && isOwnedBy(found, uid);
}

/** Deletes a Pod, unless it is terminating. @throws ApiError, NetworkError */
export async function endPod(pod: Pod, client: BackupClient): Promise<void> {
  const { uid = '' } = pod.metadata;
  if (!isTerminating(pod)) await isWritten(client.delete(resources.Pod, keyOf(pod), { uid }));
}

/** Writes the status of a KarmadaBackup if it changed. @throws ApiError, NetworkError */
export async function writeStatus(
  backup: KarmadaBackup,
  status: KarmadaBackupStatus,
  { client }: BackupTools,
): Promise<ReconcileResult> {
  await patchStatus(karmadaBackups, backup, status, client);
  return {};
}

/**
 * Writes a status if it changed.
 * @returns whether the object has the status; not after a conflict
 * @throws ApiError, NetworkError
 */
export async function patchStatus(
  type: ResourceType,
  object: Pick<KubernetesObject, 'metadata'> & { readonly status?: object },
  status: object,
  client: BackupClient,
): Promise<boolean> {
  if (isDeepStrictEqual(status, object.status)) return true;
  const { resourceVersion = '' } = object.metadata;
  const change = { metadata: { resourceVersion }, status };
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status' };
  return isWritten(client.patch(type, keyOf(object), change, options));
}
