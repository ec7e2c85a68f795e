/** Renders the Pod that deletes the files of a backup, and the Secret with its configuration: pure. */
import type { KarmadaBackup, KarmadaBackupStore } from '../../../api/backup/kinds.ts';
import type { PodSettings } from '../../../api/karmada.ts';
import type { JobConfig } from '../../../backup/job/config.ts';
import { storeAccount, storeConfig, storeVolumes } from '../../../backup/store-access.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { backupFolder, identityOf } from '../pods/backup-pod.ts';
import {
  deadlineOf,
  jobMetadata,
  jobPod,
  stageContainer,
} from '../../../features/backups/job-pod.ts';

export interface DeletionInput {
  readonly backup: KarmadaBackup;
  readonly store: KarmadaBackupStore;
  /** Image of the operator. */
  readonly image: string;
  /** Of the Karmada, or of all Karmadas in the namespace if it does not exist any more. */
  readonly imagePullSecrets: readonly object[];
  readonly podSettings: readonly PodSettings[];
  readonly operatorVersion: string;
}

export const deletionPodName = ({ metadata }: KarmadaBackup): string => `${metadata.name}-delete`;

/** Renders the Secret. The Karmada and its etcd may be gone. */
export function deletionConfig({
  backup,
  store,
  operatorVersion,
}: DeletionInput): KubernetesObject {
  const { namespace = '' } = backup.metadata;
  const config: JobConfig = {
    backup: identityOf(backup),
    operatorVersion,
    ...storeConfig(store),
    karmada: { namespace, name: backup.spec.karmadaRef.name, uid: '' },
    folder: backup.status?.folder ?? backupFolder(backup, store),
    isExisting: true,
    etcd: { hosts: [], port: 2379 },
    secrets: [],
    deadlineMs: deadlineOf(backup) * 1_000,
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    immutable: true,
    metadata: jobMetadata(backup, deletionPodName(backup)),
    stringData: { 'config.json': JSON.stringify(config) },
  };
}

/** Renders the Pod. */
export function deletionPod(input: DeletionInput): KubernetesObject {
  const { backup, store, image, imagePullSecrets, podSettings } = input;
  const name = deletionPodName(backup);
  return jobPod(jobMetadata(backup, name), {
    ...storeAccount(store),
    activeDeadlineSeconds: deadlineOf(backup),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets }),
    podSettings,
    containers: [stageContainer(store, image, { name: 'delete', mounts: [] })],
    volumes: storeVolumes(store, name),
  });
}
