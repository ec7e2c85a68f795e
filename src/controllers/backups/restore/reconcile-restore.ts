/** Reconciles one KarmadaRestore: status, configuration of its Pod, then annotations of the Karmada. */
import {
  BACKUP_GROUP,
  karmadaBackups,
  karmadaBackupStores,
  karmadaRestores,
  restoreConfigName,
  type KarmadaBackupStore,
  type KarmadaRestore,
} from '../../../api/backup/kinds.ts';
import type { BackupAction } from '../../../actions/backup-action.ts';
import type { Problem } from '../../../api/reasons/problem.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { instanceName, SECRET_SUFFIX } from '../../../api/naming.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import {
  keyOf,
  keyText,
  resources,
  type ResourceType,
} from '../../../kubernetes/objects/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import { recordOf } from '../../../features/etcd-recovery/read-facts.ts';
import { findOwn, foreignProblem } from '../../../instance/own-objects.ts';
import { actorOf } from '../pods/backup-executors.ts';
import { statusActions, type BackupTools } from '../pods/backup-objects.ts';
import { accessProblem, copiedAccess, isProblem, readStoreSecrets } from '../pods/copied-access.ts';
import { addFinalizer, hasFinalizer, removeFinalizer } from '../pods/finalizers.ts';
import type { BackupCluster } from '../../../features/backups/backup-cluster.ts';
import { timeText } from '../../../features/backups/time.ts';
import { authoritiesIn, confirmedCA } from './authority-difference.ts';
import { planRestore } from './plan-restore.ts';
import { restoreConfig } from './restore-config.ts';
import type { RestoreFacts } from './restore-facts.ts';
import type { AnnotationChange, RestorePlan } from './restore-plan.ts';

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
  const { facts: read, cluster } = await readFacts(restore, tools);
  const facts = { ...read, ...comparedMembers(restore, tools) };
  const plan = planRestore(restore, facts);
  const hasChanged = await execute(restore, plan, { facts, cluster, tools });
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
  readonly cluster: BackupCluster | undefined;
  readonly tools: BackupTools;
}

/** Makes the first change that is due. @returns whether there was one */
async function execute(
  restore: KarmadaRestore,
  plan: RestorePlan,
  context: Context,
): Promise<boolean> {
  const { cluster, tools } = context;
  const act = actorOf(tools, cluster?.client);
  const isMade = async (...actions: readonly BackupAction[]): Promise<boolean> =>
    (await act(...actions)).writes > 0;
  const isHeld = hasFinalizer(restore, RESTORE_FINALIZER);
  // Before the start is recorded, so that no crash leaves a restore that its deletion does not withdraw.
  if (plan.hasFinalizer && !isHeld)
    return isMade(addFinalizer(karmadaRestores, restore, RESTORE_FINALIZER));
  const report = statusActions(karmadaRestores, restore, plan.status);
  if (report.length > 0) return isMade(...report);
  if (plan.annotate) return isMade(...(await annotating(restore, plan.annotate, context)));
  if (plan.hasFinalizer || !isHeld) return false;
  if (cluster?.isRemote === true) await act(deletionOfCopy(restore));
  return isMade(removeFinalizer(karmadaRestores, restore, RESTORE_FINALIZER));
}

/** @returns nothing without the Karmada, and while something that the configuration of the Pod needs is missing */
async function annotating(
  restore: KarmadaRestore,
  annotations: AnnotationChange,
  context: Context,
): Promise<readonly BackupAction[]> {
  const { karmada } = context.facts;
  if (karmada === undefined) return [];
  const annotate = { kind: 'annotateKarmada', karmada, annotations } as const;
  if (Object.values(annotations).every((value) => value === null)) return [annotate];
  const secret = await configurationOf(restore, context);
  const { uid = '' } = restore.metadata;
  return secret === undefined ? [] : [{ ...annotate, configuration: { secret, uid } }];
}

/** Renders the configuration of the Pod. @returns undefined while something that it needs is missing */
async function configurationOf(
  restore: KarmadaRestore,
  { facts, cluster, tools }: Context,
): Promise<KubernetesObject | undefined> {
  const { karmada, backup, store } = facts;
  if (cluster === undefined || karmada === undefined || backup === undefined || store === undefined)
    return undefined;
  const confirmed = confirmedCA(restore, { ...facts, backup });
  const input = {
    restore,
    karmada,
    backup,
    store,
    operatorVersion: tools.operatorVersion,
    ...(confirmed !== undefined && { confirmedCA: confirmed }),
  };
  if (!cluster.isRemote) return restoreConfig(input);
  const copied = await copiedAccess(store, tools.client);
  return isProblem(copied) ? undefined : restoreConfig({ ...input, copied });
}

/** The configuration in a remote host cluster contains copies of credentials. */
const deletionOfCopy = ({
  metadata: { namespace = '', name, uid = '' },
}: KarmadaRestore): BackupAction => ({
  kind: 'deleteJobConfiguration',
  key: { namespace, name: restoreConfigName(name) },
  uid,
});

async function readFacts(
  { metadata, spec }: KarmadaRestore,
  { client, clock, image, clusterOf }: BackupTools,
): Promise<Pick<Context, 'facts' | 'cluster'>> {
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
  const { cluster, ...hostProblem } = resolved(karmada && clusterOf(karmada));
  const authority = { namespace, name: instanceName(karmadaRef.name, SECRET_SUFFIX.caBackup) };
  const { saved, foreign } = await savedAuthority(cluster?.client, authority, karmadaRef.name);
  const stored = backup?.spec.storeRef.name;
  const store =
    stored === undefined ? undefined : await find<KarmadaBackupStore>(karmadaBackupStores, stored);
  const storeProblem = await storeProblemOf(store, cluster, client);
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
  return { facts, cluster };
}

/** What is missing in the Secrets of the store, of which a remote host cluster needs copies. */
async function storeProblemOf(
  store: KarmadaBackupStore | undefined,
  cluster: BackupCluster | undefined,
  client: BackupTools['client'],
): Promise<Problem | undefined> {
  if (store === undefined || cluster?.isRemote !== true) return undefined;
  return accessProblem(store, await readStoreSecrets(store, client));
}

/** Reads the CA backup Secret, which has the record of etcd. @returns a problem if it is foreign */
async function savedAuthority(
  client: BackupCluster['client'] | undefined,
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
  found: ReturnType<BackupTools['clusterOf']> | undefined,
): Pick<Context, 'cluster'> & Pick<RestoreFacts, 'hostProblem'> {
  if (found === undefined) return { cluster: undefined };
  return 'reason' in found ? { cluster: undefined, hostProblem: found } : { cluster: found };
}
