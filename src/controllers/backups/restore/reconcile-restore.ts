/** Reconciles one KarmadaRestore: status, configuration of its Pod, then annotations of the Karmada. */
import { isDeepStrictEqual } from 'node:util';
import {
  BACKUP_GROUP,
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
  restoreConfigName,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import { FIELD_MANAGER } from '../../../api/karmada.ts';
import type { Problem } from '../../../api/problem.ts';
import type { KubernetesObject } from '../../../kubernetes/object.ts';
import { instanceName, SECRET_SUFFIX } from '../../../api/naming.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import { isWritten } from '../../../kubernetes/conditional-write.ts';
import { mergePatch } from '../../../kubernetes/merge-patch.ts';
import { keyOf, keyText, resources, type ResourceType } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import { recordOf } from '../../../features/etcd-recovery/read-facts.ts';
import { findOwn, foreignProblem } from '../../../instance/own-objects.ts';
import { createConfig, isOwnedBy, type BackupTools } from '../pods/backup-objects.ts';
import { accessProblem, copiedAccess, isProblem, readStoreSecrets } from '../pods/copied-access.ts';
import type { BackupPlace } from '../../../features/backups/place.ts';
import { timeText } from '../../../features/backups/time.ts';
import { authoritiesIn, confirmedCA } from './authority-difference.ts';
import { planRestore } from './plan-restore.ts';
import { restoreConfig } from './restore-config.ts';
import type { RestoreFacts } from './restore-facts.ts';
import type { RestorePlan } from './restore-plan.ts';

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
  const { facts: read, place } = await readFacts(restore, tools);
  const facts = { ...read, ...comparedMembers(restore, tools) };
  const plan = planRestore(restore, facts);
  const hasChanged = await execute(restore, plan, { facts, place, tools });
  if (hasChanged) return { requeueAfterMs: RUNNING_MS };
  const { phase } = plan.status;
  if (phase === 'Complete' || (phase === 'Withdrawn' && !plan.hasFinalizer)) return {};
  return { requeueAfterMs: plan.hasFinalizer ? RUNNING_MS : WAIT_MS };
}

/** The last comparison of the member clusters. Comparisons end with the pause. */
function comparedMembers(
  restore: KarmadaRestore,
  { members }: BackupTools,
): Pick<RestoreFacts, 'memberClusters'> {
  const key = `${restore.kind}:${keyText(keyOf(restore))}`;
  if (restore.status?.phase !== 'PropagationPaused') {
    members?.forget(key);
    return {};
  }
  const { namespace = '' } = restore.metadata;
  const memberClusters = members?.of(key, `${namespace}/${restore.spec.karmadaRef.name}`);
  return memberClusters === undefined ? {} : { memberClusters };
}

interface Context {
  readonly facts: RestoreFacts;
  /** Undefined while the operator cannot use the host cluster, and without the Karmada. */
  readonly place: BackupPlace | undefined;
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
  await deleteCopy(restore, context);
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
  context: Context,
): Promise<boolean> {
  const { facts, tools } = context;
  const { karmada } = facts;
  if (karmada === undefined) return false;
  const starts = Object.values(annotations).some((value) => value !== null);
  if (starts && !(await hasConfig(restore, context))) return false;
  const { resourceVersion = '' } = karmada.metadata;
  const options = { fieldManager: FIELD_MANAGER };
  const change = { metadata: { resourceVersion, annotations } };
  return isWritten(tools.client.patch(karmadas, keyOf(karmada), change, options));
}

/** Creates the configuration of the Pod. @returns false while another object has its name, or something is missing */
async function hasConfig(
  restore: KarmadaRestore,
  { facts, place, tools }: Context,
): Promise<boolean> {
  const { karmada, backup, store } = facts;
  if (place === undefined || karmada === undefined || backup === undefined || store === undefined)
    return false;
  const confirmed = confirmedCA(restore, { ...facts, backup });
  const input = {
    restore,
    karmada,
    backup,
    store,
    operatorVersion: tools.operatorVersion,
    ...(confirmed !== undefined && { confirmedCA: confirmed }),
  };
  const { uid = '' } = restore.metadata;
  if (!place.isRemote) return createConfig(restoreConfig(input), uid, place.client);
  const copied = await copiedAccess(store, tools.client);
  return !isProblem(copied) && createConfig(restoreConfig({ ...input, copied }), uid, place.client);
}

/** Deletes the configuration in a remote host cluster, which contains copies of credentials. */
async function deleteCopy(restore: KarmadaRestore, { place }: Context): Promise<void> {
  if (place?.isRemote !== true) return;
  const { namespace = '', name, uid = '' } = restore.metadata;
  const key = { namespace, name: restoreConfigName(name) };
  const secret = await place.client.find(resources.Secret, key);
  if (secret === undefined || !isOwnedBy(secret, uid)) return;
  await isWritten(place.client.delete(resources.Secret, key, { uid: secret.metadata.uid ?? '' }));
}

async function readFacts(
  { metadata, spec }: KarmadaRestore,
  { client, clock, image, placeOf }: BackupTools,
): Promise<Pick<Context, 'facts' | 'place'>> {
  const { namespace = '' } = metadata;
  const find = <T extends KubernetesObject>(
    type: ResourceType<T>,
    name: string,
  ): Promise<T | undefined> => client.find(type, { namespace, name });
  const { karmadaRef, backupRef } = spec;
  const [karmada, backup] = await Promise.all([
    find(karmadas, karmadaRef.name),
    find(karmadaBackups, backupRef.name),
  ]);
  const { place, ...hostProblem } = resolved(karmada && placeOf(karmada));
  const authority = { namespace, name: instanceName(karmadaRef.name, SECRET_SUFFIX.caBackup) };
  const { saved, foreign } = await savedAuthority(place?.client, authority, karmadaRef.name);
  const stored = backup?.spec.storeRef.name;
  const store =
    stored === undefined ? undefined : await find<KarmadaBackupStore>(karmadaBackupStores, stored);
  const storeProblem = await storeProblemOf(store, place, client);
  const facts: RestoreFacts = {
    karmada,
    backup,
    store,
    record: recordOf(saved),
    hasImage: image !== undefined,
    ...(foreign ? { hostProblem: foreign } : hostProblem),
    presentCAs: authoritiesIn(saved),
    ...(storeProblem && { storeProblem }),
    now: timeText(clock.wall()),
  };
  return { facts, place };
}

/** What is missing in the Secrets of the store, of which a remote host cluster needs copies. */
async function storeProblemOf(
  store: KarmadaBackupStore | undefined,
  place: BackupPlace | undefined,
  client: BackupTools['client'],
): Promise<Problem | undefined> {
  if (store === undefined || place?.isRemote !== true) return undefined;
  return accessProblem(store, await readStoreSecrets(store, client));
}

/** Reads the CA backup Secret, which has the record of etcd. @returns a problem if it is foreign */
async function savedAuthority(
  client: BackupPlace['client'] | undefined,
  key: { readonly namespace: string; readonly name: string },
  karmada: string,
): Promise<{ readonly saved?: KubernetesObject | undefined; readonly foreign?: Problem }> {
  if (client === undefined) return {};
  try {
    return { saved: await findOwn(client, resources.Secret, key, karmada) };
  } catch (error) {
    return { foreign: foreignProblem(error) };
  }
}

function resolved(
  found: ReturnType<BackupTools['placeOf']> | undefined,
): Pick<Context, 'place'> & Pick<RestoreFacts, 'hostProblem'> {
  if (found === undefined) return { place: undefined };
  return 'reason' in found ? { place: undefined, hostProblem: found } : { place: found };
}
