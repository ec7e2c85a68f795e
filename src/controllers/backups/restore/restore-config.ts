/** Renders the Secret with the configuration of the Pod of a restore: pure. */
import {
  karmadaRestores,
  restoreConfigName,
  type KarmadaBackup,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../../api/naming.ts';
import type { JobConfig } from '../../../backup/job/config.ts';
import { storeConfig } from '../../../backup/store-access.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { apiVersionOf } from '../../../kubernetes/objects/resources.ts';
import { recordedAccess } from '../../../features/backups/backup-origin.ts';
import { identityOf } from '../pods/backup-pod.ts';
import type { CopiedAccess } from '../pods/copied-access.ts';
import { deadlineOf, UID_LABEL } from '../../../features/backups/job-pod.ts';

interface RestoreConfigInput {
  readonly restore: KarmadaRestore;
  readonly karmada: Karmada;
  readonly backup: KarmadaBackup;
  readonly store: KarmadaBackupStore;
  readonly operatorVersion: string;
  /** Fingerprint of the CA of the backup, if the user has confirmed that it differs. */
  readonly confirmedCA?: string;
  /** Copies for the Pod in a remote host cluster, where the KarmadaRestore cannot be the owner. */
  readonly copied?: CopiedAccess;
}

/** Renders the Secret. It contains credentials only as copies. */
export function restoreConfig(input: RestoreConfigInput): KubernetesObject {
  const { copied } = input;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    immutable: true,
    metadata: metadataOf(input),
    ...(copied && { data: copied }),
    stringData: { 'config.json': JSON.stringify(configOf(input)) },
  };
}

function metadataOf({ restore, copied }: RestoreConfigInput): KubernetesObject['metadata'] {
  const { name, namespace = '', uid = '' } = restore.metadata;
  const key = { namespace, name: restoreConfigName(name) };
  if (copied !== undefined) return { ...key, labels: { [UID_LABEL]: uid } };
  const { kind } = karmadaRestores;
  const owner = { apiVersion: apiVersionOf(karmadaRestores), kind, name, uid, controller: true };
  return { ...key, ownerReferences: [owner] };
}

function configOf(input: RestoreConfigInput): JobConfig {
  const { restore, karmada, backup, store, operatorVersion, confirmedCA } = input;
  return {
    backup: identityOf(backup),
    karmada: identityOf(karmada),
    operatorVersion,
    ...storeConfig(store),
    ...recordedAccess(backup, store, restore.spec.keyID),
    ...(confirmedCA !== undefined && { confirmedCA }),
    folder: backup.status?.folder ?? '',
    isExisting: backup.spec.folder !== undefined,
    etcd: { hosts: [], port: 2379 },
    secrets: [instanceName(karmada.metadata.name, SECRET_SUFFIX.caBackup)],
    deadlineMs: deadlineOf(backup) * 1_000,
  };
}
