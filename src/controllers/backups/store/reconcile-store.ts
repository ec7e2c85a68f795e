/** Reconciles one KarmadaBackupStore: its Secrets, a Pod that probes a bucket, and the condition Ready. */
import { reducedTo } from '../../../kubernetes/reduced-list.ts';
import { createHash } from 'node:crypto';
import { karmadaBackupStores, type KarmadaBackupStore } from '../../../api/backup/kinds.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { BACKUPS, podSettingsOf } from '../../../api/pod-settings.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import type { Secret } from '../../../kubernetes/kinds.ts';
import { isTerminating } from '../../../kubernetes/object.ts';
import { resources } from '../../../kubernetes/resources.ts';
import type { ReconcileResult } from '../../../kubernetes/worker.ts';
import { podRefusal } from '../../../features/backups/pod-refusal.ts';
import { actorOf, type Act } from '../pods/backup-executors.ts';
import { isOwnedBy, statusActions, type BackupTools } from '../pods/backup-objects.ts';
import { accessProblem, readStoreSecrets, type StoreSecrets } from '../pods/copied-access.ts';
import { planStore, refusedProbe, type StoreFacts, type StorePlan } from './plan-store.ts';
import { probeConfig, probePod, STORE_LABEL, type ProbeInput } from './probe-pod.ts';

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
  const settings = await karmadaSettings(store, tools);
  const pod = probePod(store, { image, ...settings, hash: facts.hash });
  await act({ kind: 'startJob', pod }).catch(async (error: unknown) => {
    const refused = podRefusal(pod, error);
    // The status was written before, so the object has another version now.
    const { namespace = '', name } = store.metadata;
    const found = await client.find(karmadaBackupStores, { namespace, name });
    if (found !== undefined)
      await act(...statusActions(karmadaBackupStores, found, refusedProbe(found, facts, refused)));
  });
}

/** Settings of the Karmadas in the namespace, whose backups pull the same image and run on the same nodes. */
async function karmadaSettings(
  { metadata: { namespace = '' } }: KarmadaBackupStore,
  { client }: BackupTools,
): Promise<Pick<ProbeInput, 'imagePullSecrets' | 'podSettings'>> {
  const { items } = await client.list(karmadas, { namespace, ...reducedTo(withJobFields) });
  const specs = items.flatMap(({ spec }) => (spec ? [spec] : []));
  const all = specs.flatMap(({ imagePullSecrets = [] }) => imagePullSecrets);
  return {
    imagePullSecrets: [...new Map(all.map((one) => [one.name, one])).values()],
    podSettings: specs.flatMap(({ podSettings = [] }) => podSettings),
  };
}

function withJobFields({ apiVersion, kind, metadata, ...karmada }: Karmada): Karmada {
  const { imagePullSecrets = [], podSettings: given } = karmada.spec ?? {};
  // The Pods of backups get no variables, of which there may be many.
  const podSettings = podSettingsOf(given, BACKUPS).map(({ env: _, ...rest }) => rest);
  const { name, namespace = '' } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { imagePullSecrets, podSettings },
  };
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
