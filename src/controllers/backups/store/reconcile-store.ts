/** Reconciles one KarmadaBackupStore: its Secrets, a Pod that probes a bucket, and the condition Ready. */
import { createHash } from 'node:crypto';
import { karmadaBackupStores, type KarmadaBackupStore } from '../../../api/backup/kinds.ts';
import type { Secret } from '../../../kubernetes/objects/kinds.ts';
import { isTerminating } from '../../../kubernetes/objects/object.ts';
import { resources } from '../../../kubernetes/objects/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/workqueue/worker.ts';
import { podRefusal } from '../../../features/backups/pod-refusal.ts';
import { actorOf, type Act } from '../pods/backup-executors.ts';
import { isOwnedBy, statusActions, type BackupTools } from '../pods/backup-objects.ts';
import { accessProblem, readStoreSecrets, type StoreSecrets } from '../pods/copied-access.ts';
import { namespaceSettings } from '../pods/namespace-settings.ts';
import { planStore, refusedProbe, type StoreFacts, type StorePlan } from './plan-store.ts';
import { probeConfig, probePod, STORE_LABEL } from './probe-pod.ts';

/** Reconciles a store. @throws ApiError, NetworkError */
export async function reconcileStore(
  store: KarmadaBackupStore,
  tools: BackupTools,
): Promise<ReconcileResult> {
  if (isTerminating(store)) return {};
  const facts = await readFacts(store, tools);
  const plan = planStore(store, facts);
  const act = actorOf(tools);
  const report = statusActions(karmadaBackupStores, store, plan.status);
  const { writes } = await act(...report);
  // After a conflict, the next reconcile decides again.
  if (writes === report.length) await execute(plan, { store, facts, act }, tools);
  return { requeueAfterMs: plan.afterMs };
}

interface Subject {
  readonly store: KarmadaBackupStore;
  readonly facts: StoreFacts;
  readonly act: Act;
}

async function execute(plan: StorePlan, subject: Subject, tools: BackupTools): Promise<void> {
  const { store, facts, act } = subject;
  const { pod } = facts;
  if (plan.pod === 'create') return startProbe(subject, tools);
  if (pod === undefined) return;
  if (plan.pod === 'delete') await act({ kind: 'endJob', pod });
  // The Pod owns its configuration, and waits for it.
  if (plan.pod === 'configure')
    await act({ kind: 'configureJob', secret: probeConfig(store, pod, tools.operatorVersion) });
}

async function startProbe({ store, facts, act }: Subject, tools: BackupTools): Promise<void> {
  const { client, image } = tools;
  if (image === undefined) return;
  const { namespace = '' } = store.metadata;
  const settings = await namespaceSettings(namespace, client);
  const pod = probePod(store, { image, ...settings, hash: facts.hash });
  await act({ kind: 'startJob', pod }).catch(async (error: unknown) => {
    const refused = podRefusal(pod, error);
    // The status was written before, so the object has another version now.
    const { name } = store.metadata;
    const found = await client.find(karmadaBackupStores, { namespace, name });
    if (found !== undefined)
      await act(...statusActions(karmadaBackupStores, found, refusedProbe(found, facts, refused)));
  });
}

async function readFacts(
  store: KarmadaBackupStore,
  { client, clock, image }: BackupTools,
): Promise<StoreFacts> {
  const { namespace = '', uid = '' } = store.metadata;
  const { volume } = store.spec;
  const secrets = await readStoreSecrets(store, client);
  const problem = accessProblem(store, secrets);
  const claim =
    volume &&
    (await client.find(resources.PersistentVolumeClaim, { namespace, name: volume.claimName }));
  const labelSelector = `${STORE_LABEL}=${store.metadata.name}`;
  const { items } = await client.list(resources.Pod, { namespace, labelSelector });
  return {
    ...(problem && { problem }),
    hasClaim: claim !== undefined,
    hash: hashOf(store, secrets),
    pod: items.find((pod) => isOwnedBy(pod, uid)),
    hasImage: image !== undefined,
    now: clock.wall(),
  };
}

function hashOf({ metadata }: KarmadaBackupStore, secrets: StoreSecrets): string {
  const versions = secrets.map(({ secret }) => versionOf(secret));
  const subject = JSON.stringify([metadata.generation, versions]);
  return createHash('sha256').update(subject).digest('hex').slice(0, 16);
}

const versionOf = (secret: Secret | undefined): string =>
  `${secret?.metadata.uid ?? ''}/${secret?.metadata.resourceVersion ?? ''}`;
