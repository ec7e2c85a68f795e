/** The API of a host cluster with real processes: kube-apiserver, its etcd and kube-controller-manager. Nothing runs its Pods. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import { ensureBinaries } from '../../../tools/embedded-cluster/binaries.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { startServer, type Server } from '../../harness/servers/process.ts';
import { BINDING } from '../kubelet/scheduler.ts';
import { initialObjects, KINDS, type ClusterAccess } from '../stub-cluster.ts';

/** Token of the operator; its user may do everything. */
const TOKEN = 'operator-token';

export interface RealHostOptions {
  /** Address range of Services. */
  readonly services: string;
  /** Additional flags of kube-controller-manager. */
  readonly controllerFlags?: readonly string[];
  /** Whether the API server writes an audit log. */
  readonly audit?: boolean;
}

export interface RealHost {
  readonly client: KubernetesClient;
  /** Access of the operator. */
  readonly access: ClusterAccess;
  /** Audit log, if there is one: a line of JSON for each finished request. */
  readonly auditLog: string;
  stop(): Promise<void>;
}

/** Starts the processes, and creates the node, its StorageClass and the CRDs of the operator. */
export async function startRealHost(options: RealHostOptions): Promise<RealHost> {
  const { services, controllerFlags = [], audit = false } = options;
  const directory = await mkdtemp(join(tmpdir(), 'stub-host-'));
  const flags = [`--service-cluster-ip-range=${services}`];
  const api = await startApiServer({ tokens: { [TOKEN]: 'operator' }, flags, audit });
  const controllers = await startControllers(api, directory, controllerFlags);
  const client = clientOf(api);
  await createInitialObjects(client);
  return {
    client,
    access: { host: '127.0.0.1', port: api.port, ca: api.caData, token: TOKEN },
    auditLog: join(api.directory, 'audit.log'),
    async stop() {
      await client.close();
      await controllers.end('SIGKILL');
      await api.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function clientOf({ url: server, caData, admin }: ApiServer): KubernetesClient {
  const access = { server, caData, certData: admin.cert, keyData: admin.key };
  return createClient(explicitEndpoint(access), { resources: [...KINDS, BINDING] });
}

/** Starts kube-controller-manager with the controllers that control planes need. */
async function startControllers(
  api: ApiServer,
  directory: string,
  flags: readonly string[],
): Promise<Server> {
  const { kubernetes } = await ensureBinaries(['kubernetes']);
  const kubeconfig = join(directory, 'kubeconfig.json');
  await writeFile(kubeconfig, api.kubeconfig, { mode: 0o600 });
  const controllers = [
    'deployment-controller',
    'replicaset-controller',
    'statefulset-controller',
    'garbage-collector-controller',
    'namespace-controller',
    'disruption-controller',
    'persistentvolume-binder-controller',
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
  ];
  const args = [
    'kube-controller-manager',
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join()}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    ...flags,
  ];
  return startServer(kubernetes, args, join(directory, 'kube-controller-manager.log'));
}

async function createInitialObjects(client: KubernetesClient): Promise<void> {
  for (const object of await initialObjects()) await client.create(object);
  for (const type of KINDS)
    await poll(`${type.plural} are served`, (seen) =>
      client.list(type).catch((error: unknown) => void seen(String(error))),
    );
}
