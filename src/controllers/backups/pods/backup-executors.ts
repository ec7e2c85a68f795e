/** Executors of the writes for backups. All have a precondition, so that a write for an outdated decision changes nothing. */
import type {
  AnnotateKarmada,
  BackupAction,
  JobConfiguration,
  PatchBackupObject,
  StartJob,
} from '../../../actions/backup-action.ts';
import { executeActionsOrThrow, type ExecutorsOf } from '../../../actions/execute-actions.ts';
import type { Done, ExecutionResult } from '../../../actions/execution-result.ts';
import { recordedExecutors } from '../../../actions/recorded-executors.ts';
import { karmadaBackups } from '../../../api/backup/kinds.ts';
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import type { BackupClient } from '../../../features/backups/backup-cluster.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import { isWritten } from '../../../kubernetes/client/conditional-write.ts';
import { isTerminating, type KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { keyOf, resources } from '../../../kubernetes/objects/resources.ts';
import { isOwnedBy, type BackupTools } from './backup-objects.ts';

const OPTIONS = { fieldManager: FIELD_MANAGER };

const written = async (request: Promise<unknown>): Promise<Done> => ({
  writes: (await isWritten(request)) ? 1 : 0,
});

/** Executes actions. @returns the combined result @throws ApiError, NetworkError: the first error of an action */
export type Act = (...actions: readonly BackupAction[]) => Promise<ExecutionResult>;

/** Returns what executes the actions of one reconcile. @param host client of the cluster of the Pods */
export function actorOf(
  { client, record }: Pick<BackupTools, 'client' | 'record'>,
  host: BackupClient = client,
): Act {
  const executors = recordedExecutors(backupExecutors(client, host), record);
  return (...actions) => executeActionsOrThrow(executors, actions);
}

/** @param client of the management cluster @param host client of the cluster of the Pods */
const backupExecutors = (client: BackupClient, host: BackupClient): ExecutorsOf<BackupAction> => ({
  createBackup: ({ backup }) => written(client.create(backup, OPTIONS)),
  deleteBackup: ({ key }) => written(client.delete(karmadaBackups, key)),
  writeBackupStatus: (action) => patch(client, action, 'status'),
  setBackupFinalizers: (action) => patch(client, action),
  startJob: (action) => startJob(host, action),
  configureJob: ({ secret }) => written(host.create(secret, OPTIONS)),
  endJob: async ({ pod }) => {
    const { uid = '' } = pod.metadata;
    return isTerminating(pod) ? {} : written(host.delete(resources.Pod, keyOf(pod), { uid }));
  },
  deleteJobConfiguration: async ({ key, uid }) => {
    const secret = await host.find(resources.Secret, key);
    if (secret === undefined || !isOwnedBy(secret, uid)) return {};
    return written(host.delete(resources.Secret, key, { uid: secret.metadata.uid ?? '' }));
  },
  annotateKarmada: (action) => annotate(client, host, action),
});

function patch(
  client: BackupClient,
  { type, of, patch: change }: PatchBackupObject,
  subresource?: 'status',
): Promise<Done> {
  const options = { ...OPTIONS, ...(subresource && { subresource }) };
  return written(client.patch(type, keyOf(of), versioned(of, change), options));
}

/** The API server rejects the patch if the object has changed since it was read. */
function versioned(
  { metadata: { resourceVersion = '' } }: Pick<KubernetesObject, 'metadata'>,
  change: PatchBackupObject['patch'],
): object {
  return { ...change, metadata: { ...change.metadata, resourceVersion } };
}

async function startJob(host: BackupClient, { pod, configuration }: StartJob): Promise<Done> {
  if (!(await isConfigured(host, configuration))) return {};
  return written(host.create(pod, OPTIONS));
}

async function annotate(
  client: BackupClient,
  host: BackupClient,
  { karmada, annotations, configuration }: AnnotateKarmada,
): Promise<Done> {
  if (!(await isConfigured(host, configuration))) return {};
  const change = versioned(karmada, { metadata: { annotations } });
  return written(client.patch(karmadas, keyOf(karmada), change, OPTIONS));
}

/** Creates the configuration, which exists already after a crash. @returns false if another object has its name */
async function isConfigured(
  host: BackupClient,
  configuration: JobConfiguration | undefined,
): Promise<boolean> {
  if (configuration === undefined) return true;
  const { secret, uid } = configuration;
  await isWritten(host.create(secret, OPTIONS));
  const found = await host.find(resources.Secret, keyOf(secret));
  return found !== undefined && isOwnedBy(found, uid);
}
