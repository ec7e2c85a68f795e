/** Reconciles one KarmadaBackup: one Pod in the cluster of the control plane, whose result becomes the status. */
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import type { Problem } from '../../../api/problem.ts';
import type { KarmadaBackup } from '../../../api/backup/kinds.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import { isTerminating } from '../../../kubernetes/object.ts';
import type { Pod } from '../../../kubernetes/pod-kinds.ts';
import { resources } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import { createPod } from '../../../actions/create-pod.ts';
import {
  createConfig,
  endPod,
  isOwnedBy,
  podsOfBackup,
  writeStatus,
  type BackupTools,
} from '../pods/backup-objects.ts';
import {
  backupConfig,
  backupFolder,
  backupPod,
  backupPodName,
  type BackupPodInput,
} from '../pods/backup-pod.ts';
import {
  isFinal,
  reported,
  statusOfPod,
  type Report,
} from '../../../features/backups/backup-status.ts';
import { deleteBackup } from './delete-backup.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';
import { FILES_FINALIZER, POD_FINALIZER } from './plan-deletion.ts';
import type { BackupPlace } from '../../../features/backups/place.ts';
import { karmadaOf, readInput, storeOf, type BackupSubject } from '../pods/read-input.ts';
import { timeText } from '../../../features/backups/time.ts';

/** Pause before a missing object is searched again, in milliseconds. */
const RETRY_MS = 15_000;
/** Pause before the next look at a Pod in a remote host cluster, which no watch covers, in milliseconds. */
const REMOTE_MS = 3_000;

/** Reconciles one backup. Each write is followed by another reconcile. @throws ApiError, NetworkError */
export async function reconcileBackup(
  backup: KarmadaBackup,
  tools: BackupTools,
): Promise<ReconcileResult> {
  if (isTerminating(backup)) return deleteBackup(backup, tools);
  if (backup.spec.deletionPolicy === 'Delete' && !hasFinalizer(backup, FILES_FINALIZER))
    return addFinalizer(backup, FILES_FINALIZER, tools);
  const karmada = await karmadaOf(backup, tools.client);
  const place: BackupPlace | Problem =
    karmada === undefined ? { client: tools.client, isRemote: false } : tools.placeOf(karmada);
  if ('reason' in place) return withoutHost(backup, place, tools);
  const subject = { backup, karmada, place };
  const pod = (await podsOfBackup(backup, place.client))(backupPodName(backup));
  if (isFinal(backup.status?.phase)) return end(subject, pod, tools);
  return pod === undefined ? withoutPod(subject, tools) : withPod(subject, pod, tools);
}

const timeOf = ({ clock }: BackupTools): string => timeText(clock.wall());

/** The host cluster is unreachable. A Pod that runs there goes on. */
async function withoutHost(
  backup: KarmadaBackup,
  { reason, message }: Problem,
  tools: BackupTools,
): Promise<ReconcileResult> {
  const { phase = 'Pending' } = backup.status ?? {};
  if (phase === 'Pending')
    await writeStatus(backup, reported(backup, { phase, reason, message }, timeOf(tools)), tools);
  return { requeueAfterMs: RETRY_MS };
}

/** Creates the Pod, or reports what it lacks. A Pod that ran once is not created again. */
async function withoutPod(subject: BackupSubject, tools: BackupTools): Promise<ReconcileResult> {
  const { backup, place } = subject;
  const { phase = 'Pending' } = backup.status ?? {};
  if (phase !== 'Pending') return writeStatus(backup, reported(backup, GONE, timeOf(tools)), tools);
  const input = await readInput(subject, tools);
  if ('phase' in input) {
    await writeStatus(backup, reported(backup, input, timeOf(tools)), tools);
    return { requeueAfterMs: RETRY_MS };
  }
  if (place.isRemote && !hasFinalizer(backup, POD_FINALIZER))
    return addFinalizer(backup, POD_FINALIZER, tools);
  if (place.isRemote || (await hasConfig(input, tools))) await startPod(input, place, tools);
  return { requeueAfterMs: place.isRemote ? REMOTE_MS : RETRY_MS };
}

async function startPod(
  input: BackupPodInput,
  { client }: BackupPlace,
  tools: BackupTools,
): Promise<void> {
  const { backup } = input;
  const refused = await createPod(backupPod(input), client);
  if (refused === undefined) return;
  await writeStatus(
    backup,
    reported(backup, { phase: 'Pending', ...refused }, timeOf(tools)),
    tools,
  );
}

/** Creates the Secret of a Pod in the management cluster, which exists already after a crash. */
const hasConfig = (input: BackupPodInput, { client }: BackupTools): Promise<boolean> =>
  createConfig(backupConfig(input), input.backup.metadata.uid ?? '', client);

async function withPod(
  subject: BackupSubject,
  pod: Pod,
  tools: BackupTools,
): Promise<ReconcileResult> {
  const { backup, place } = subject;
  const store = await storeOf(backup, tools.client);
  const folder = store === undefined ? undefined : backupFolder(backup, store);
  await writeStatus(backup, statusOfPod(backup, pod, { folder, now: timeOf(tools) }), tools);
  if (!place.isRemote) return {};
  await configureRemote(subject, pod, tools);
  return { requeueAfterMs: REMOTE_MS };
}

/** The Pod waits for its configuration. The Pod owns it, because its garbage collector does not know the KarmadaBackup. */
async function configureRemote(
  subject: BackupSubject,
  pod: Pod,
  tools: BackupTools,
): Promise<void> {
  const { phase } = pod.status ?? {};
  if (phase !== 'Pending' && phase !== undefined) return;
  const { client } = subject.place;
  const { namespace = '', name, uid = '' } = pod.metadata;
  const found = await client.find(resources.Secret, { namespace, name });
  if (found !== undefined) {
    // The Pod would read its configuration from it.
    if (!isOwnedBy(found, uid)) await endPod(pod, client);
    return;
  }
  const input = await readInput(subject, tools);
  if ('phase' in input) return;
  await isWritten(client.create(backupConfig(input, pod), { fieldManager: FIELD_MANAGER }));
}

const GONE: Report = {
  phase: 'Failed',
  reason: 'PodGone',
  message:
    'the Pod of the backup was deleted before it ended; the store may contain a backup that nothing has verified',
};

/**
 * Deletes the Pod of a verified backup. That of a failed one stays for its logs until the KarmadaBackup is deleted, but not in a
 * remote host cluster, because it has copies of credentials.
 */
async function end(
  { backup, place }: BackupSubject,
  pod: Pod | undefined,
  tools: BackupTools,
): Promise<ReconcileResult> {
  if (pod === undefined)
    return hasFinalizer(backup, POD_FINALIZER) ? removeFinalizer(backup, POD_FINALIZER, tools) : {};
  if (backup.status?.phase !== 'Verified' && !place.isRemote) return {};
  await endPod(pod, place.client);
  return place.isRemote ? { requeueAfterMs: REMOTE_MS } : {};
}
