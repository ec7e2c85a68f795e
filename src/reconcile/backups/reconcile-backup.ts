/** Reconciles one KarmadaBackup: one Pod, whose result becomes the status. */
import { FIELD_MANAGER, type Karmada } from '../../api/karmada.ts';
import { instanceName, WORKLOAD_SUFFIX } from '../../api/naming.ts';
import {
  karmadaBackupStores,
  type KarmadaBackup,
  type KarmadaBackupStore,
} from '../../api/backup/kinds.ts';
import { isWorkload } from '../../components/workload.ts';
import { karmadas } from '../../host-clusters/host.ts';
import { isWritten } from '../../kubernetes/conditional-write.ts';
import { isTerminating, type KubernetesObject } from '../../kubernetes/object.ts';
import { keyOf, resources } from '../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../kubernetes/worker.ts';
import { createConfig, podsOfBackup, writeStatus, type BackupTools } from './backup-objects.ts';
import { addFinalizer, deleteBackup, lacksFinalizer } from './deletion/delete-backup.ts';
import {
  backupConfig,
  backupFolder,
  backupPod,
  backupPodName,
  type BackupPodInput,
} from './backup-pod.ts';
import { unsupported } from './supported.ts';
import { timeText } from './time.ts';
import { isFinal, reported, statusOfPod, type Report } from './backup-status.ts';

/** Pause before a missing object is searched again, in milliseconds. */
const RETRY_MS = 15_000;
const DEFAULT_DOMAIN = 'cluster.local';

/** Reconciles one backup. Each write is followed by another reconcile. @throws ApiError, NetworkError */
export async function reconcileBackup(
  backup: KarmadaBackup,
  tools: BackupTools,
): Promise<ReconcileResult> {
  if (isTerminating(backup)) return deleteBackup(backup, tools);
  if (lacksFinalizer(backup)) return addFinalizer(backup, tools);
  const pod = (await podsOfBackup(backup, tools.client))(backupPodName(backup));
  if (isFinal(backup.status?.phase)) return endPod(backup, pod, tools);
  return pod === undefined ? withoutPod(backup, tools) : withPod(backup, pod, tools);
}

const timeOf = ({ clock }: BackupTools): string => timeText(clock.wall());

/** Creates the Pod, or reports what it lacks. A Pod that ran once is not created again. */
async function withoutPod(backup: KarmadaBackup, tools: BackupTools): Promise<ReconcileResult> {
  const { phase = 'Pending' } = backup.status ?? {};
  if (phase !== 'Pending') return writeStatus(backup, reported(backup, GONE, timeOf(tools)), tools);
  const input = await inputOf(backup, tools);
  if (!('phase' in input)) return start(input, tools);
  await writeStatus(backup, reported(backup, input, timeOf(tools)), tools);
  return { requeueAfterMs: RETRY_MS };
}

async function withPod(
  backup: KarmadaBackup,
  pod: KubernetesObject,
  tools: BackupTools,
): Promise<ReconcileResult> {
  const store = await storeOf(backup, tools.client);
  const folder = store === undefined ? undefined : backupFolder(backup, store);
  return writeStatus(backup, statusOfPod(backup, pod, { folder, now: timeOf(tools) }), tools);
}

const storeOf = (
  { metadata: { namespace = '' }, spec }: KarmadaBackup,
  client: BackupTools['client'],
): Promise<KarmadaBackupStore | undefined> =>
  client.find(karmadaBackupStores, { namespace, name: spec.storeRef.name }) as Promise<
    KarmadaBackupStore | undefined
  >;

const GONE: Report = {
  ...{ phase: 'Failed', reason: 'PodGone' },
  message:
    'the Pod of the backup was deleted before it ended; the store may contain a backup that nothing has verified',
};

/** Deletes the Pod of a verified backup. That of a failed one stays for its logs until the KarmadaBackup is deleted. */
async function endPod(
  { status }: KarmadaBackup,
  pod: KubernetesObject | undefined,
  { client }: BackupTools,
): Promise<ReconcileResult> {
  if (status?.phase !== 'Verified' || pod === undefined) return {};
  const { uid = '', deletionTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined)
    await isWritten(client.delete(resources.Pod, keyOf(pod), { uid }));
  return {};
}

const pending = (reason: string, message: string): Report => ({
  ...{ phase: 'Pending', reason, message },
});

/** Reads what the Pod needs. @returns a report if something is missing or not supported */
async function inputOf(
  backup: KarmadaBackup,
  { client, image, operatorVersion }: BackupTools,
): Promise<BackupPodInput | Report> {
  const { namespace = '' } = backup.metadata;
  const { karmadaRef, storeRef } = backup.spec;
  const [karmada, store] = await Promise.all([
    client.find(karmadas, { namespace, name: karmadaRef.name }) as Promise<Karmada | undefined>,
    storeOf(backup, client),
  ]);
  if (image === undefined)
    return pending('NoImage', 'the operator runs without the flag --backup-image');
  if (karmada === undefined)
    return pending('KarmadaNotFound', `Karmada ${karmadaRef.name} not found`);
  if (store === undefined)
    return pending('StoreNotFound', `KarmadaBackupStore ${storeRef.name} not found`);
  const refused = unsupported(karmada);
  if (refused !== undefined) return { phase: 'Failed', reason: 'NotSupported', message: refused };
  const etcd = await etcdOf(karmada, client);
  if (etcd === undefined) return pending('EtcdNotFound', 'the StatefulSet of etcd does not exist');
  return { backup, karmada, store, etcd, image, operatorVersion };
}

async function etcdOf(
  karmada: Karmada,
  client: BackupTools['client'],
): Promise<BackupPodInput['etcd'] | undefined> {
  const { name, namespace = '' } = karmada.metadata;
  const set = instanceName(name, WORKLOAD_SUFFIX.etcd);
  const found = await client.find(resources.StatefulSet, { namespace, name: set });
  const image = found === undefined ? undefined : etcdImage(found);
  if (found === undefined || image === undefined) return undefined;
  const domain = karmada.spec?.hostCluster?.networking?.dnsDomain ?? DEFAULT_DOMAIN;
  const hosts = Array.from(
    { length: replicasOf(found) },
    (_, ordinal) => `${set}-${String(ordinal)}.${set}.${namespace}.svc.${domain}`,
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

/** Creates the Secret and the Pod. Both fail if they exist, which is no error after a crash between them. */
async function start(input: BackupPodInput, { client }: BackupTools): Promise<ReconcileResult> {
  if (await createConfig(backupConfig(input), client))
    await isWritten(client.create(backupPod(input), { fieldManager: FIELD_MANAGER }));
  return { requeueAfterMs: RETRY_MS };
}
