/** Deletes the files of a deleted KarmadaBackup with a Pod, then lets the object go. */
import {
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
  type KarmadaBackup,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import { FIELD_MANAGER, type Karmada } from '../../../api/karmada.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import { isNotFound } from '../../../kubernetes/errors.ts';
import { isTerminating } from '../../../kubernetes/object.ts';
import { keyOf, resources } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import { reported } from '../backup-status.ts';
import { timeText } from '../time.ts';
import { createConfig, podsOfBackup, writeStatus, type BackupTools } from '../backup-objects.ts';
import { backupPodName } from '../backup-pod.ts';
import {
  deletionConfig,
  deletionPod,
  deletionPodName,
  type DeletionInput,
} from './deletion-pod.ts';
import {
  FILES_FINALIZER,
  nextDeletionStep,
  type DeletionFacts,
  type DeletionStep,
} from './plan-deletion.ts';

/** Pause before the next look, in milliseconds. */
const WAIT_MS = 5_000;

const finalizersOf = ({ metadata }: KarmadaBackup): readonly string[] => metadata.finalizers ?? [];

/** Whether the files must be deleted with the KarmadaBackup, and its finalizer is missing. */
export const lacksFinalizer = (backup: KarmadaBackup): boolean =>
  backup.spec.deletionPolicy === 'Delete' && !finalizersOf(backup).includes(FILES_FINALIZER);

/** Sets the finalizer. @throws ApiError, NetworkError */
export async function addFinalizer(
  backup: KarmadaBackup,
  tools: BackupTools,
): Promise<ReconcileResult> {
  await patchFinalizers(backup, [...finalizersOf(backup), FILES_FINALIZER], tools);
  return {};
}

async function patchFinalizers(
  backup: KarmadaBackup,
  finalizers: readonly string[],
  { client }: BackupTools,
): Promise<void> {
  const { resourceVersion = '' } = backup.metadata;
  const change = { metadata: { resourceVersion, finalizers } };
  const options = { fieldManager: FIELD_MANAGER };
  await isWritten(client.patch(karmadaBackups, keyOf(backup), change, options));
}

/** Makes the next step of a deletion. @throws ApiError, NetworkError */
export async function deleteBackup(
  backup: KarmadaBackup,
  tools: BackupTools,
): Promise<ReconcileResult> {
  if (!finalizersOf(backup).includes(FILES_FINALIZER)) return {};
  const { store, facts } = await readFacts(backup, tools);
  const step = nextDeletionStep(backup, facts);
  if ('report' in step) {
    const status = reported(backup, step.report, timeText(tools.clock.wall()));
    await writeStatus(backup, status, tools);
  }
  await execute(step, { backup, store }, tools);
  return { requeueAfterMs: WAIT_MS };
}

interface Subject {
  readonly backup: KarmadaBackup;
  readonly store: KarmadaBackupStore | undefined;
}

async function execute(
  step: DeletionStep,
  { backup, store }: Subject,
  tools: BackupTools,
): Promise<void> {
  const { client } = tools;
  if (step.kind === 'release') {
    const left = finalizersOf(backup).filter((finalizer) => finalizer !== FILES_FINALIZER);
    return patchFinalizers(backup, left, tools);
  }
  if (step.kind === 'deletePod' && !isTerminating(step.pod)) {
    const { uid = '' } = step.pod.metadata;
    await isWritten(client.delete(resources.Pod, keyOf(step.pod), { uid }));
  }
  if (step.kind === 'start' && store !== undefined) await start({ backup, store }, tools);
}

async function start(
  { backup, store }: Subject & { readonly store: KarmadaBackupStore },
  { client, image = '', operatorVersion }: BackupTools,
): Promise<void> {
  const { namespace = '' } = backup.metadata;
  const key = { namespace, name: backup.spec.karmadaRef.name };
  const karmada = (await client.find(karmadas, key)) as Karmada | undefined;
  const { imagePullSecrets } = karmada?.spec ?? {};
  const input: DeletionInput = {
    ...{ backup, store, image, operatorVersion },
    ...(imagePullSecrets !== undefined && { imagePullSecrets }),
  };
  if (await createConfig(deletionConfig(input), client))
    await isWritten(client.create(deletionPod(input), { fieldManager: FIELD_MANAGER }));
}

/** An older installation does not serve the kind. */
async function restoresIn(
  namespace: string,
  client: BackupTools['client'],
): Promise<readonly KarmadaRestore[]> {
  try {
    return (await client.list(karmadaRestores, { namespace })).items as KarmadaRestore[];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function readFacts(
  backup: KarmadaBackup,
  { client, clock, image }: BackupTools,
): Promise<{ readonly facts: DeletionFacts; readonly store: KarmadaBackupStore | undefined }> {
  const { namespace = '' } = backup.metadata;
  const key = { namespace, name: backup.spec.storeRef.name };
  const [found, space, restores, podOf] = await Promise.all([
    client.find(karmadaBackupStores, key),
    client.find(resources.Namespace, { name: namespace }),
    restoresIn(namespace, client),
    podsOfBackup(backup, client),
  ]);
  const store = found as KarmadaBackupStore | undefined;
  const facts: DeletionFacts = {
    backupPod: podOf(backupPodName(backup)),
    deletionPod: podOf(deletionPodName(backup)),
    now: clock.wall(),
    mayStart: store !== undefined && image !== undefined,
    isNamespaceEnding: space === undefined || isTerminating(space),
    restores,
  };
  return { facts, store };
}
