/** Reads and writes that all reconcilers of backups share. */
import { isDeepStrictEqual } from 'node:util';
import {
  karmadaBackups,
  type KarmadaBackup,
  type KarmadaBackupStatus,
} from '../../api/backup/kinds.ts';
import { FIELD_MANAGER } from '../../api/karmada.ts';
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import { isWritten } from '../../kubernetes/conditional-write.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { keyOf, resources } from '../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import { BACKUP_LABEL } from './job-pod.ts';

export interface BackupTools {
  readonly client: Pick<KubernetesClient, 'find' | 'list' | 'create' | 'patch' | 'delete'>;
  readonly clock: Pick<Clock, 'wall'>;
  /** Image of the operator; undefined if the operator does not know it. */
  readonly image: string | undefined;
  readonly operatorVersion: string;
}

/** Finds the Pods of a backup by name. A Pod of another KarmadaBackup does not count. @throws ApiError, NetworkError */
export async function podsOfBackup(
  { metadata }: KarmadaBackup,
  client: BackupTools['client'],
): Promise<(pod: string) => KubernetesObject | undefined> {
  const { namespace = '', name, uid } = metadata;
  const labelSelector = `${BACKUP_LABEL}=${name}`;
  const { items } = await client.list(resources.Pod, { namespace, labelSelector });
  const own = items.filter((one) => isOwnedBy(one, uid));
  return (pod) => own.find((one) => one.metadata.name === pod);
}

const isOwnedBy = ({ metadata }: KubernetesObject, uid: string | undefined): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;

/**
 * Creates the Secret with the configuration of a Pod, unless it exists.
 * @returns whether it has the same owner; another one would be a foreign configuration
 * @throws ApiError, NetworkError
 */
export async function createConfig(
  secret: KubernetesObject,
  client: BackupTools['client'],
): Promise<boolean> {
  await isWritten(client.create(secret, { fieldManager: FIELD_MANAGER }));
  const found = await client.find(resources.Secret, keyOf(secret));
  const [owner] = secret.metadata.ownerReferences ?? [];
  return found !== undefined && isOwnedBy(found, owner?.uid);
}

/** Writes the status if it changed. @throws ApiError, NetworkError */
export async function writeStatus(
  backup: KarmadaBackup,
  status: KarmadaBackupStatus,
  { client }: BackupTools,
): Promise<ReconcileResult> {
  if (isDeepStrictEqual(status, backup.status)) return {};
  const { resourceVersion = '' } = backup.metadata;
  const change = { metadata: { resourceVersion }, status };
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status' };
  await isWritten(client.patch(karmadaBackups, keyOf(backup), change, options));
  return {};
}
