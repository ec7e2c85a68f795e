/** Reconciles one KarmadaBackup: one Pod in the cluster of the control plane, whose result becomes the status. */
import type { Problem } from '../../../api/reasons/problem.ts';
import { karmadaBackups, type KarmadaBackup } from '../../../api/backup/kinds.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../../kubernetes/objects/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import type { BackupAction } from '../../../actions/backup-action.ts';
import { podRefusal } from '../../../features/backups/pod-refusal.ts';
import { actorOf, type Act } from '../pods/backup-executors.ts';
import {
  isOwnedBy,
  podsOfBackup,
  reportActions,
  statusActions,
  type BackupTools,
} from '../pods/backup-objects.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from '../pods/finalizers.ts';
import {
  backupConfig,
  backupFolder,
  backupPod,
  backupPodName,
  type BackupPodInput,
} from '../pods/backup-pod.ts';
import { isFinal, statusOfPod, type Report } from '../../../features/backups/backup-status.ts';
import { deleteBackup } from './delete-backup.ts';
import { FILES_FINALIZER, POD_FINALIZER } from './plan-deletion.ts';
import type { BackupCluster } from '../../../features/backups/backup-cluster.ts';
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
  const act = actorOf(tools);
  if (backup.spec.deletionPolicy === 'Delete' && !hasFinalizer(backup, FILES_FINALIZER)) {
    await act(addFinalizer(karmadaBackups, backup, FILES_FINALIZER));
    return {};
  }
  const karmada = await karmadaOf(backup, tools.client);
  const cluster: BackupCluster | Problem =
    karmada === undefined ? { client: tools.client, isRemote: false } : tools.clusterOf(karmada);
  if ('reason' in cluster) {
    await act(...withoutHost(backup, cluster, tools));
    return { requeueAfterMs: RETRY_MS };
  }
  const subject = { backup, karmada, cluster, act: actorOf(tools, cluster.client) };
  const pod = (await podsOfBackup(backup, cluster.client))(backupPodName(backup));
  if (isFinal(backup.status?.phase)) return end(subject, pod);
  return pod === undefined ? withoutPod(subject, tools) : withPod(subject, pod, tools);
}

interface Subject extends BackupSubject {
  readonly act: Act;
}

/** The host cluster is unreachable. A Pod that runs there goes on. */
function withoutHost(
  backup: KarmadaBackup,
  { reason, message }: Problem,
  tools: BackupTools,
): readonly BackupAction[] {
  const { phase = 'Pending' } = backup.status ?? {};
  return phase === 'Pending' ? reportActions(backup, { phase, reason, message }, tools) : [];
}

/** Creates the Pod, or reports what it lacks. A Pod that ran once is not created again. */
async function withoutPod(subject: Subject, tools: BackupTools): Promise<ReconcileResult> {
  const { backup, cluster, act } = subject;
  const { phase = 'Pending' } = backup.status ?? {};
  if (phase !== 'Pending') {
    await act(...reportActions(backup, GONE, tools));
    return {};
  }
  const input = await readInput(subject, tools);
  if ('phase' in input) {
    await act(...reportActions(backup, input, tools));
    return { requeueAfterMs: RETRY_MS };
  }
  if (cluster.isRemote && !hasFinalizer(backup, POD_FINALIZER)) {
    await act(addFinalizer(karmadaBackups, backup, POD_FINALIZER));
    return {};
  }
  await startPod(subject, input, tools);
  return { requeueAfterMs: cluster.isRemote ? REMOTE_MS : RETRY_MS };
}

/** Creates the Pod, in the management cluster after its configuration. */
async function startPod(
  { backup, cluster, act }: Subject,
  input: BackupPodInput,
  tools: BackupTools,
): Promise<void> {
  const pod = backupPod(input);
  const { uid = '' } = backup.metadata;
  const configuration = { secret: backupConfig(input), uid };
  const start = { kind: 'startJob', pod, ...(!cluster.isRemote && { configuration }) } as const;
  await act(start).catch((error: unknown) => {
    const report: Report = { phase: 'Pending', ...podRefusal(pod, error) };
    return act(...reportActions(backup, report, tools));
  });
}

async function withPod(subject: Subject, pod: Pod, tools: BackupTools): Promise<ReconcileResult> {
  const { backup, cluster, act } = subject;
  const store = await storeOf(backup, tools.client);
  const folder = store === undefined ? undefined : backupFolder(backup, store);
  const status = statusOfPod(backup, pod, { folder, now: timeText(tools.clock.wall()) });
  await act(...statusActions(karmadaBackups, backup, status));
  if (!cluster.isRemote) return {};
  await act(...(await configuring(subject, pod, tools)));
  return { requeueAfterMs: REMOTE_MS };
}

/** A Pod in a remote host cluster waits for its configuration. The Pod owns it, because its garbage collector does not know the KarmadaBackup. */
async function configuring(
  subject: BackupSubject,
  pod: Pod,
  tools: BackupTools,
): Promise<readonly BackupAction[]> {
  const { phase } = pod.status ?? {};
  if (phase !== 'Pending' && phase !== undefined) return [];
  const { namespace = '', name, uid = '' } = pod.metadata;
  const found = await subject.cluster.client.find(resources.Secret, { namespace, name });
  // The Pod would read its configuration from a foreign Secret.
  if (found !== undefined) return isOwnedBy(found, uid) ? [] : [{ kind: 'endJob', pod }];
  const input = await readInput(subject, tools);
  return 'phase' in input ? [] : [{ kind: 'configureJob', secret: backupConfig(input, pod) }];
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
  { backup, cluster, act }: Subject,
  pod: Pod | undefined,
): Promise<ReconcileResult> {
  if (pod === undefined) {
    if (hasFinalizer(backup, POD_FINALIZER))
      await act(removeFinalizer(karmadaBackups, backup, POD_FINALIZER));
    return {};
  }
  if (backup.status?.phase !== 'Verified' && !cluster.isRemote) return {};
  await act({ kind: 'endJob', pod });
  return cluster.isRemote ? { requeueAfterMs: REMOTE_MS } : {};
}
