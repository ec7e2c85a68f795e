/** One operator with the Karmadas of several tenants, with a real API server and without Pods. */
import type { Condition, Karmada, KarmadaSpec } from '../../../src/api/karmada.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { WorkQueue } from '../../../src/kubernetes/workqueue/queue.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { runWorkers } from '../../../src/kubernetes/workqueue/worker.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { type ReconcilerOptions } from '../../../src/controllers/karmada/reconciler.ts';
import { startApiServer, type ApiServer } from './apiserver.ts';
import { adminClient, eventually, memoryLog } from './apiserver-client.ts';
import { karmadasServed, serveKarmadas, testReconciler } from './reconciler.ts';

export interface Tenants {
  readonly api: ApiServer;
  readonly client: KubernetesClient;
  readonly log: ReturnType<typeof memoryLog>;
  namespace(name: string): Promise<void>;
  secret(key: SecretKey, data: Files, annotations?: Files): Promise<void>;
  karmada(namespace: string, spec: KarmadaSpec, name?: string): Promise<void>;
  status(namespace: string, name?: string): Promise<NonNullable<Karmada['status']>>;
  /** Waits for a condition. */
  told(
    namespace: string,
    accepts: (condition: Condition) => boolean,
    name?: string,
  ): Promise<Condition>;
  /** All values of all Secrets in a namespace. */
  values(namespace: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

type SecretKey = { readonly namespace: string; readonly name: string; readonly labels?: Files };
type Files = Readonly<Record<string, string>>;

/** Starts the reconciler of the operator with these options. */
export async function startTenants(
  options: Partial<ReconcilerOptions> = {},
  { api = undefined as ApiServer | undefined } = {},
): Promise<Tenants> {
  const server = api ?? (await startApiServer());
  const client = adminClient(server, { resources: [karmadas] });
  await (api === undefined ? serveKarmadas(client) : karmadasServed(client));
  const log = memoryLog();
  const reconciler = testReconciler(client, { clock: systemClock, log, ...options });
  const queue = new WorkQueue({ clock: systemClock, random: Math.random });
  reconciler.start(queue);
  await reconciler.synced;
  const abort = new AbortController();
  const reconcile = reconciler.reconcile.bind(reconciler);
  const working = runWorkers({ queue, signal: abort.signal, log, reconcile });
  const find = async (namespace: string, name: string): Promise<Karmada> =>
    (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
  return {
    api: server,
    client,
    log,
    async namespace(name) {
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    },
    async secret({ namespace, name, labels = {} }, data, annotations = {}) {
      const metadata = { namespace, name, labels, annotations };
      await client.apply(
        { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data },
        { fieldManager: 'owner', force: true },
      );
    },
    async karmada(namespace, spec, name = 'karmada') {
      const { apiVersion } = { apiVersion: 'operator.karmada.io/v1alpha1' };
      await client.apply(
        { apiVersion, kind: 'Karmada', metadata: { name, namespace }, spec },
        { fieldManager: 'tenant', force: true },
      );
    },
    status: async (namespace, name = 'karmada') => (await find(namespace, name)).status ?? {},
    async told(namespace, accepts, name = 'karmada') {
      let seen: readonly Condition[] = [];
      return eventually(
        `a condition of Karmada ${namespace}/${name}`,
        async () => {
          seen = (await find(namespace, name)).status?.conditions ?? [];
          return seen.find(accepts);
        },
        () => seen.map(({ type, status, reason, message }) => [type, status, reason, message]),
      );
    },
    async values(namespace) {
      const { items } = await client.list(resources.Secret, { namespace });
      return items.flatMap(({ data = {} }) =>
        Object.values(data as Files).map((value) => Buffer.from(value, 'base64').toString('utf8')),
      );
    },
    async stop() {
      abort.abort();
      await queue.shutDown();
      await working;
      await reconciler.stop();
      await client.close();
      if (api === undefined) await server.stop();
    },
  };
}
