/** Deletes the files of a deleted KarmadaBackup with a Pod, then lets the object go. */
import { onlyThose } from '../../../kubernetes/informers/reduced-list.ts';
import {
  karmadaBackups,
  karmadaRestores,
  type KarmadaBackup,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import { isNotFound } from '../../../kubernetes/client/errors.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import { resources } from '../../../kubernetes/objects/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import type { StartJob } from '../../../actions/backup-action.ts';
import { actorOf, type Act } from '../pods/backup-executors.ts';
import { podsOfBackup, reportActions, type BackupTools } from '../pods/backup-objects.ts';
import { backupPodName } from '../pods/backup-pod.ts';
import { namespaceSettings } from '../pods/namespace-settings.ts';
import { hasFinalizer, removeFinalizer } from '../pods/finalizers.ts';
import { karmadaOf, storeOf } from '../pods/read-input.ts';
import {
  deletionConfig,
  deletionPod,
  deletionPodName,
  type DeletionInput,
} from './deletion-pod.ts';
import {
  FILES_FINALIZER,
  isUsing,
  POD_FINALIZER,
  nextDeletionStep,
  type DeletionFacts,
  type DeletionStep,
} from './plan-deletion.ts';

/** Pause before the next look, in milliseconds. */
const WAIT_MS = 5_000;

/** Makes the next step of a deletion. @throws ApiError, NetworkError */
export async function deleteBackup(
  backup: KarmadaBackup,
  tools: BackupTools,
): Promise<ReconcileResult> {
  if (hasFinalizer(backup, POD_FINALIZER)) return endRemotePod(backup, tools);
  if (!hasFinalizer(backup, FILES_FINALIZER)) return {};
  const { store, facts } = await readFacts(backup, tools);
  const step = nextDeletionStep(backup, facts);
  const act = actorOf(tools);
  if ('report' in step) await act(...reportActions(backup, step.report, tools));
  await execute(step, { backup, store, act }, tools);
  return { requeueAfterMs: (step.kind === 'wait' ? step.afterMs : undefined) ?? WAIT_MS };
}

/** Deletes the Pod in a remote host cluster. Without the Karmada, the operator has no credentials for this cluster. */
async function endRemotePod(backup: KarmadaBackup, tools: BackupTools): Promise<ReconcileResult> {
  const karmada = await karmadaOf(backup, tools.client);
  const cluster = karmada && tools.clusterOf(karmada);
  if (cluster !== undefined && 'reason' in cluster) {
    const message = `the Pod of the backup is deleted when its host cluster is reachable: ${cluster.message}; without the finalizer ${POD_FINALIZER} it stays`;
    const report = { phase: 'Deleting', reason: cluster.reason, message } as const;
    await actorOf(tools)(...reportActions(backup, report, tools));
    return { requeueAfterMs: WAIT_MS };
  }
  const pods = cluster && (await podsOfBackup(backup, cluster.client));
  const pod = pods?.(backupPodName(backup));
  const act = actorOf(tools, cluster?.client);
  if (pod === undefined) {
    await act(removeFinalizer(karmadaBackups, backup, POD_FINALIZER));
    return {};
  }
  await act({ kind: 'endJob', pod });
  return { requeueAfterMs: WAIT_MS };
}

interface Subject {
  readonly backup: KarmadaBackup;
  readonly store: KarmadaBackupStore | undefined;
  readonly act: Act;
}

async function execute(
  step: DeletionStep,
  { backup, store, act }: Subject,
  tools: BackupTools,
): Promise<void> {
  if (step.kind === 'release') await act(removeFinalizer(karmadaBackups, backup, FILES_FINALIZER));
  if (step.kind === 'deletePod') await act({ kind: 'endJob', pod: step.pod });
  if (step.kind === 'start' && store !== undefined) await act(await startOf(backup, store, tools));
}

async function startOf(
  backup: KarmadaBackup,
  store: KarmadaBackupStore,
  { client, image = '', operatorVersion }: BackupTools,
): Promise<StartJob> {
  const karmada = await karmadaOf(backup, client);
  const { namespace = '', uid = '' } = backup.metadata;
  const { imagePullSecrets = [], podSettings = [] } = karmada
    ? (karmada.spec ?? {})
    : await namespaceSettings(namespace, client);
  const input: DeletionInput = {
    backup,
    store,
    image,
    operatorVersion,
    imagePullSecrets,
    podSettings,
  };
  const configuration = { secret: deletionConfig(input), uid };
  return { kind: 'startJob', pod: deletionPod(input), configuration };
}

/** An older installation does not serve the kind. */
async function restoresIn(
  { metadata: { namespace = '' } }: KarmadaBackup,
  client: BackupTools['client'],
  isWanted: (restore: KarmadaRestore) => boolean,
): Promise<readonly KarmadaRestore[]> {
  try {
    return (await client.list(karmadaRestores, { namespace, ...onlyThose(isWanted) })).items;
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
  const [store, space, restores, podOf] = await Promise.all([
    storeOf(backup, client),
    client.find(resources.Namespace, { name: namespace }),
    restoresIn(backup, client, (restore) => isUsing(restore, backup)),
    podsOfBackup(backup, client),
  ]);
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
