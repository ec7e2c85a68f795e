/** Reconciles one KarmadaRestore: status, configuration of its Pod, then annotations of the Karmada. */
import { isDeepStrictEqual } from 'node:util';
import {
  BACKUP_GROUP,
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
  restoreConfigName,
  type KarmadaBackup,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import { FIELD_MANAGER, type Karmada } from '../../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../../api/naming.ts';
import type { JobConfig } from '../../../backup/job/config.ts';
import { storeConfig } from '../../../backup/store-access.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import { mergePatch } from '../../../kubernetes/merge-patch.ts';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import {
  apiVersionOf,
  keyOf,
  resources,
  type ResourceType,
} from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import { recordOf } from '../../etcd/recovery/read-facts.ts';
import { identityOf } from '../backup-pod.ts';
import { deadlineOf } from '../job-pod.ts';
import { createConfig, type BackupTools } from '../backup-objects.ts';
import { timeText } from '../time.ts';
import { planRestore, type RestorePlan } from './plan-restore.ts';
import type { RestoreFacts } from './restore-facts.ts';

/** Finalizer of a started restore. */
const RESTORE_FINALIZER = `${BACKUP_GROUP}/restore`;

/** Pause before the next look at the Karmada, in milliseconds. */
const WAIT_MS = 15_000;
const RUNNING_MS = 2_000;

/** Reconciles one restore. @throws ApiError, NetworkError */
export async function reconcileRestore(
  restore: KarmadaRestore,
  tools: BackupTools,
): Promise<ReconcileResult> {
  const facts = await readFacts(restore, tools);
  const plan = planRestore(restore, facts);
  const hasChanged = await execute(restore, plan, { facts, tools });
  if (hasChanged) return { requeueAfterMs: RUNNING_MS };
  const { phase } = plan.status;
  if (phase === 'Complete' || (phase === 'Withdrawn' && !plan.hasFinalizer)) return {};
  return { requeueAfterMs: plan.hasFinalizer ? RUNNING_MS : WAIT_MS };
}

interface Context {
  readonly facts: RestoreFacts;
  readonly tools: BackupTools;
}

/** Makes the first change that is due. @returns whether there was one */
async function execute(
  restore: KarmadaRestore,
  plan: RestorePlan,
  context: Context,
): Promise<boolean> {
  const finalizers = restore.metadata.finalizers ?? [];
  const isHeld = finalizers.includes(RESTORE_FINALIZER);
  // Before the start is recorded, so that no crash leaves a restore that its deletion does not withdraw.
  if (plan.hasFinalizer && !isHeld)
    return patch(
      restore,
      { metadata: { finalizers: [...finalizers, RESTORE_FINALIZER] } },
      context,
    );
  if (!isDeepStrictEqual(plan.status, restore.status)) {
    const status = mergePatch({ ...restore.status }, { ...plan.status });
    return patch(restore, { status }, context, 'status');
  }
  const annotated = plan.annotate && (await annotate(restore, plan.annotate, context));
  if (annotated !== undefined) return annotated;
  if (plan.hasFinalizer || !isHeld) return false;
  const left = finalizers.filter((finalizer) => finalizer !== RESTORE_FINALIZER);
  return patch(restore, { metadata: { finalizers: left } }, context);
}

function patch(
  restore: KarmadaRestore,
  change: { readonly metadata?: object; readonly status?: unknown },
  { tools: { client } }: Context,
  subresource?: 'status',
): Promise<boolean> {
  const { resourceVersion = '' } = restore.metadata;
  const metadata = { ...change.metadata, resourceVersion };
  const options = { fieldManager: FIELD_MANAGER, ...(subresource && { subresource }) };
  return isWritten(client.patch(karmadaRestores, keyOf(restore), { ...change, metadata }, options));
}

async function annotate(
  restore: KarmadaRestore,
  annotations: NonNullable<RestorePlan['annotate']>,
  { facts, tools }: Context,
): Promise<boolean> {
  const { karmada } = facts;
  if (karmada === undefined) return false;
  const starts = Object.values(annotations).some((value) => value !== null);
  if (starts && !(await hasConfig(restore, { facts, tools }))) return false;
  const { resourceVersion = '' } = karmada.metadata;
  const options = { fieldManager: FIELD_MANAGER };
  const change = { metadata: { resourceVersion, annotations } };
  return isWritten(tools.client.patch(karmadas, keyOf(karmada), change, options));
}

/** Creates the configuration of the Pod. @returns false while another object has its name */
async function hasConfig(
  restore: KarmadaRestore,
  { facts, tools: { client, operatorVersion } }: Context,
): Promise<boolean> {
  const { karmada, backup, store } = facts;
  const { name, namespace = '', uid = '' } = restore.metadata;
  if (karmada === undefined || backup === undefined || store === undefined) return false;
  const key = { namespace, name: restoreConfigName(name) };
  const config: JobConfig = {
    ...{ backup: identityOf(backup), karmada: identityOf(karmada), operatorVersion },
    ...storeConfig(store),
    ...{ folder: backup.status?.folder ?? '', isExisting: backup.spec.folder !== undefined },
    etcd: { hosts: [], port: 2379 },
    secrets: [instanceName(karmada.metadata.name, SECRET_SUFFIX.caBackup)],
    deadlineMs: deadlineOf(backup) * 1_000,
  };
  const { kind } = karmadaRestores;
  const owner = { apiVersion: apiVersionOf(karmadaRestores), kind, name, uid, controller: true };
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', immutable: true },
    metadata: { ...key, ownerReferences: [owner] },
    stringData: { 'config.json': JSON.stringify(config) },
  };
  return createConfig(secret, client);
}

async function readFacts(
  { metadata, spec }: KarmadaRestore,
  { client, clock, image }: BackupTools,
): Promise<RestoreFacts> {
  const { namespace = '' } = metadata;
  const find = async <T>(type: ResourceType, name: string): Promise<T | undefined> =>
    (await client.find(type, { namespace, name })) as T | undefined;
  const { karmadaRef, backupRef } = spec;
  const [karmada, backup, saved] = await Promise.all([
    find<Karmada>(karmadas, karmadaRef.name),
    find<KarmadaBackup>(karmadaBackups, backupRef.name),
    find<KubernetesObject>(resources.Secret, instanceName(karmadaRef.name, SECRET_SUFFIX.caBackup)),
  ]);
  const stored = backup?.spec.storeRef.name;
  const store =
    stored === undefined ? undefined : await find<KarmadaBackupStore>(karmadaBackupStores, stored);
  const now = timeText(clock.wall());
  return { karmada, backup, store, record: recordOf(saved), hasImage: image !== undefined, now };
}
