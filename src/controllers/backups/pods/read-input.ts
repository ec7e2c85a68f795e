/** Reads what the Pod of a backup needs, just before it is created. */
import { ordinalsBelow } from '../../../untrusted/ordinals.ts';
import type { Reason } from '../../../api/reasons/condition-reasons.ts';
import type { Karmada } from '../../../api/karmada.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import { instanceName, WORKLOAD_SUFFIX } from '../../../api/naming.ts';
import {
  karmadaBackupStores,
  type KarmadaBackup,
  type KarmadaBackupStore,
} from '../../../api/backup/kinds.ts';
import { isWorkload } from '../../../components/workload.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { resources } from '../../../kubernetes/objects/resources.ts';
import type { BackupTools } from './backup-objects.ts';
import { findOwn, findOwnSecrets, foreignProblem } from '../../../instance/own-objects.ts';
import { secretNames, type BackupPodInput } from './backup-pod.ts';
import type { Report } from '../../../features/backups/backup-status.ts';
import { copiedAccess, isProblem } from './copied-access.ts';
import type { BackupClient, BackupCluster } from '../../../features/backups/backup-cluster.ts';
import { notTaken } from '../../../features/backups/supported.ts';

const DEFAULT_DOMAIN = 'cluster.local';

/** A backup with its control plane. */
export interface BackupSubject {
  readonly backup: KarmadaBackup;
  readonly karmada: Karmada | undefined;
  readonly cluster: BackupCluster;
}

/** Finds the Karmada of a backup. @throws ApiError, NetworkError */
export const karmadaOf = (
  { metadata: { namespace = '' }, spec }: KarmadaBackup,
  client: BackupClient,
): Promise<Karmada | undefined> => client.find(karmadas, { namespace, name: spec.karmadaRef.name });

/** Finds the store of a backup. @throws ApiError, NetworkError */
export const storeOf = (
  { metadata: { namespace = '' }, spec }: KarmadaBackup,
  client: BackupClient,
): Promise<KarmadaBackupStore | undefined> =>
  client.find(karmadaBackupStores, { namespace, name: spec.storeRef.name });

const pending = (reason: Reason, message: string): Report => ({
  ...{ phase: 'Pending', reason, message },
});

/** Reads what the Pod needs. @returns a report if something is missing or not supported */
export async function readInput(
  { backup, karmada, cluster }: BackupSubject,
  { client, image, operatorVersion }: BackupTools,
): Promise<BackupPodInput | Report> {
  const { karmadaRef, storeRef } = backup.spec;
  const store = await storeOf(backup, client);
  if (image === undefined)
    return pending('NoImage', 'the operator runs without the flag --backup-image');
  if (karmada === undefined)
    return pending('KarmadaNotFound', `Karmada ${karmadaRef.name} not found`);
  if (store === undefined)
    return pending('StoreNotFound', `KarmadaBackupStore ${storeRef.name} not found`);
  const refused = notTaken(karmada, backup, store);
  if (refused !== undefined) return { phase: 'Failed', reason: 'NotSupported', message: refused };
  const etcd = await ownEtcd(karmada, backup, cluster.client);
  if (etcd !== undefined && 'reason' in etcd) return pending(etcd.reason, etcd.message);
  if (etcd === undefined) return pending('EtcdNotFound', 'the StatefulSet of etcd does not exist');
  const input = { backup, karmada, store, etcd, image, operatorVersion };
  if (!cluster.isRemote) return input;
  const copied = await copiedAccess(store, client);
  return isProblem(copied) ? pending(copied.reason, copied.message) : { ...input, copied };
}

/** The Pod saves Secrets by name, and runs the image of etcd. @returns a problem if one of these objects is foreign */
async function ownEtcd(
  karmada: Karmada,
  { spec }: KarmadaBackup,
  client: BackupClient,
): Promise<BackupPodInput['etcd'] | Problem | undefined> {
  const { name } = karmada.metadata;
  const saved = spec.folder === undefined ? secretNames(name) : [];
  try {
    await findOwnSecrets(client, karmada.metadata, saved);
    return await etcdOf(karmada, client);
  } catch (error) {
    return foreignProblem(error);
  }
}

async function etcdOf(
  karmada: Karmada,
  client: BackupClient,
): Promise<BackupPodInput['etcd'] | undefined> {
  const { name, namespace = '' } = karmada.metadata;
  const set = instanceName(name, WORKLOAD_SUFFIX.etcd);
  const found = await findOwn(client, resources.StatefulSet, { namespace, name: set }, name);
  const image = found === undefined ? undefined : etcdImage(found);
  if (found === undefined || image === undefined) return undefined;
  const domain = karmada.spec?.hostCluster?.networking?.dnsDomain ?? DEFAULT_DOMAIN;
  const hosts = ordinalsBelow(replicasOf(found)).map(
    (ordinal) => `${set}-${String(ordinal)}.${set}.${namespace}.svc.${domain}`,
  );
  return { image, hosts };
}

function etcdImage(set: KubernetesObject): string | undefined {
  if (!isWorkload(set)) return undefined;
  const container = set.spec.template.spec.containers.find(({ name }) => name === 'etcd');
  const image = container?.['image'];
  return typeof image === 'string' ? image : undefined;
}

const replicasOf = (set: KubernetesObject): number =>
  isWorkload(set) ? Number(set.spec['replicas'] ?? 1) : 0;
