/** Snapshot of a backup for the Pod of a recovery: the program of the operator loads it from the store. */
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import {
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
  restoreConfigName,
  type KarmadaBackupStore,
} from '../../api/backup/kinds.ts';
import { PATHS, SNAPSHOT_FILE } from '../../backup/job/paths.ts';
import {
  secretVolume,
  storeAccount,
  storeMounts,
  storeVolumes,
  type CopiedKeys,
} from '../../backup/store-access.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import { jobUser } from '../backups/job-settings.ts';
import { UID_LABEL } from '../backups/job-pod.ts';
import type { RestoreInput } from './restore-pod.ts';
import type { SnapshotSource } from './snapshot-source.ts';

export interface SourceTools {
  /** Of the management cluster, which has the kinds of backups. */
  readonly management: Pick<KubernetesClient, 'find'>;
  /** Of a remote host cluster; absent if the control plane is in the management cluster. */
  readonly remote?: Pick<KubernetesClient, 'find'> | undefined;
  /** Image of the operator; undefined if the operator does not know it. */
  readonly backupImage?: string | undefined;
}

/**
 * Finds the store of a restore.
 * @param restore name of the KarmadaRestore
 * @returns undefined if an object or the image is missing; the KarmadaRestore then names it
 * @throws ApiError, NetworkError
 */
export async function backupSource(
  { management, remote, backupImage }: SourceTools,
  { name, namespace, podSettings }: Pick<RestoreInput, 'name' | 'namespace' | 'podSettings'>,
  restore: string,
): Promise<SnapshotSource | undefined> {
  const find = async <T extends KubernetesObject>(
    type: ResourceType<T>,
    called: string | undefined,
  ): Promise<T | undefined> =>
    called === undefined ? undefined : management.find(type, { namespace, name: called });
  const wanted = await find(karmadaRestores, restore);
  const backup = await find(karmadaBackups, wanted?.spec.backupRef.name);
  const store = await find(karmadaBackupStores, backup?.spec.storeRef.name);
  if (store === undefined || backupImage === undefined) return undefined;
  const config = { namespace, name: restoreConfigName(restore) };
  const copied = remote && (await copiedKeys(remote, config, wanted?.metadata.uid ?? ''));
  const { user, groups } = jobUser(podSettings);
  const loaded = loadedSnapshot(store, { image: backupImage, name, restore }, copied);
  return { ...loaded, container: { ...loaded.container, securityContext: user }, groups };
}

/** Keys of the configuration that the KarmadaRestore has created in the host cluster. */
async function copiedKeys(
  remote: NonNullable<SourceTools['remote']>,
  key: { readonly namespace: string; readonly name: string },
  uid: string,
): Promise<CopiedKeys> {
  const secret = await remote.find(resources.Secret, key);
  const isOwn = secret?.metadata.labels?.[UID_LABEL] === uid;
  return Object.keys(isOwn ? fieldsOf(secret['data']) : {});
}

/** Renders the container that loads the snapshot. @param with `name` is that of the Karmada */
function loadedSnapshot(
  store: KarmadaBackupStore,
  { image, name, restore }: Readonly<Record<'image' | 'name' | 'restore', string>>,
  copied: CopiedKeys | undefined,
): SnapshotSource & Required<Pick<SnapshotSource, 'container'>> {
  const authority = instanceName(name, SECRET_SUFFIX.caBackup);
  const saved = { name: 'secret-authority', mountPath: `${PATHS.secrets}/${authority}` };
  const volumes = storeVolumes(store, restoreConfigName(restore), copied);
  // It compares CAs, and needs no key.
  const volume = secretVolume(saved.name, authority, ['ca.crt']);
  return {
    container: {
      name: 'load',
      image,
      args: ['backup-job', 'load'],
      resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
      volumeMounts: [...storeMounts(store), { ...saved, readOnly: true }],
    },
    file: SNAPSHOT_FILE,
    hasHash: true,
    mounts: [],
    account: storeAccount(store),
    volumes: [...volumes, volume],
  };
}
