/** A host cluster without processes: its API over HTTPS, its controllers, and a node whose Pods are stubs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  karmadaRestores,
} from '../../src/api/backup/kinds.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import type { Pod } from '../../src/kubernetes/objects/pod-kinds.ts';
import type { ResourceType } from '../../src/kubernetes/objects/resources.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { newPair, type Pair } from '../../tools/embedded-cluster/certificate-pair.ts';
import type { Place } from '../harness/fault-proxy/calls.ts';
import { servePlainly, type Serving } from './api/serve.ts';
import { StubApi } from './api/stub-api.ts';
import { StubClient } from './api/stub-client.ts';
import { ControllerManager } from './controllers/controller-manager.ts';
import type { EtcdCluster } from './etcd/etcd-cluster.ts';
import { EtcdProgram } from './etcd/etcd-program.ts';
import { aggregatedProgram } from './karmada/aggregated-program.ts';
import { KarmadaProgram } from './karmada/karmada-program.ts';
import { servingProgram } from './karmada/serving-program.ts';
import { signerProgram } from './karmada/signer-program.ts';
import type { TokenKeys } from './karmada/token-keys.ts';
import { viewOfStore } from './kubelet/cluster-view.ts';
import { Kubelet } from './kubelet/kubelet.ts';
import { BINDING, PROVISIONER } from './kubelet/scheduler.ts';
import { StubRuntime } from './kubelet/stub-runtime.ts';
import type { Addresses } from './network/addresses.ts';
import { servePortForwards } from './network/port-forward.ts';
import { Services } from './network/services.ts';
import { listenTls, type Listener } from './network/tls-server.ts';

/** Kinds of the CRDs of the operator. */
export const KINDS: readonly ResourceType[] = [
  karmadas,
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  karmadaRestores,
];

export const NODE = 'node-1';

export interface StubClusterOptions {
  readonly addresses: Addresses;
  /** Time from the start of a container until it is ready, in milliseconds. */
  readonly readyMs?: number;
  /** How the API of the cluster and the Karmada APIs answer, for example with faults. */
  readonly serving?: (place: Place) => Serving;
}

/** How a Pod reaches the API server. */
export interface ClusterAccess {
  readonly host: string;
  readonly port: number;
  /** PEM of the CA. */
  readonly ca: string;
  readonly token: string;
}

const DEFAULT_READY_MS = 300;
const API_PORT = 6443;
/** Longest time until a deleted Pod is gone, in milliseconds. */
const GRACE_MS = 50;

/** The node, its StorageClass, and the CRDs of the operator. */
export async function initialObjects(): Promise<readonly KubernetesObject[]> {
  const folder = join(checkout, 'crds');
  const texts = await Promise.all(
    (await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')),
  );
  const crds = (texts.flatMap((text) => loadAll(text)) as KubernetesObject[]).filter(
    ({ kind }) => kind === 'CustomResourceDefinition',
  );
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NODE, labels: { 'kubernetes.io/hostname': NODE } },
  };
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name: 'standard',
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    provisioner: PROVISIONER,
    reclaimPolicy: 'Delete',
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'karmada-system' } };
  return [node, storageClass, namespace, ...crds];
}

export class StubCluster {
  readonly api: StubApi;
  /** Client of a user of the cluster. */
  readonly client: KubernetesClient;
  readonly access: ClusterAccess;
  readonly #karmada: KarmadaProgram;
  readonly #etcd: EtcdProgram;
  readonly #ends: (() => void | Promise<void>)[];

  private constructor(given: {
    readonly api: StubApi;
    readonly karmada: KarmadaProgram;
    readonly etcd: EtcdProgram;
    readonly access: ClusterAccess;
    readonly ends: (() => void | Promise<void>)[];
  }) {
    this.api = given.api;
    this.client = new StubClient(given.api, KINDS, 'kubectl');
    this.#karmada = given.karmada;
    this.#etcd = given.etcd;
    this.access = given.access;
    this.#ends = given.ends;
  }

  static async start(options: StubClusterOptions): Promise<StubCluster> {
    const { addresses, readyMs = DEFAULT_READY_MS, serving = () => servePlainly } = options;
    let ports = 30_000;
    const allocations = {
      serviceAddress: () => addresses.next(),
      nodePort: () => (ports += 1),
      storageClass: 'standard',
    };
    const api = new StubApi({ allocations });
    const client = new StubClient(api, [...KINDS, BINDING], 'kubelet');
    for (const object of await initialObjects()) {
      const created = await client.create(object);
      if (object.kind === 'CustomResourceDefinition') api.kinds.define(created);
    }
    const controllers = new ControllerManager(api);
    const services = new Services(api.store);
    const view = viewOfStore(api.store);
    const etcd = new EtcdProgram(view, readyMs);
    const karmada = new KarmadaProgram({
      view,
      readyMs,
      serving: serving('inside'),
      dataOf: (namespace, instance) => etcd.clusterOf(namespace, instance),
    });
    const aggregated = {
      ...{ view, readyMs, serving: serving('inside') },
      apiOf: (namespace: string, instance: string) => karmada.apiOf(namespace, instance),
    };
    const programs = {
      'etcd/etcd': etcd.start,
      'karmada-apiserver/kube-apiserver': karmada.start,
      'karmada-aggregated-apiserver/karmada-aggregated-apiserver': aggregatedProgram(
        'apiserver-cert',
        aggregated,
      ),
      'karmada-metrics-adapter/karmada-metrics-adapter': aggregatedProgram(
        'karmada-cert',
        aggregated,
      ),
      'karmada-webhook/karmada-webhook': servingProgram('cert', { view, readyMs }),
      'kube-controller-manager/kube-controller-manager': signerProgram(aggregated),
    };
    const address = (): string => addresses.next();
    const runtime = new StubRuntime({ view, address, readyMs, programs });
    const kubelet = new Kubelet({ client, runtime, node: NODE, graceMs: GRACE_MS });
    const { listener, access } = await listen(api, addresses, serving('host'));
    const ends = [
      () => listener.close(),
      () => kubelet.stop(),
      () => controllers.stop(),
      () => services.stop(),
    ];
    return new StubCluster({ api, karmada, etcd, access, ends });
  }

  /** The Karmada API of a control plane; undefined before its API server has served. */
  karmadaApi(namespace: string, name: string): StubApi | undefined {
    return this.#karmada.apiOf(namespace, name)?.api;
  }

  /** Keys of ServiceAccount tokens of all running API servers of control planes. */
  get tokenKeys(): readonly TokenKeys[] {
    return [...this.#karmada.tokenKeys.values()];
  }

  /** CAs that running etcd members accept of their clients, and those of etcd that running API servers accept, PEM. */
  get etcdTrust(): { readonly members: readonly string[]; readonly clients: readonly string[] } {
    return {
      members: [...this.#etcd.trusted.values()],
      clients: [...this.#karmada.etcdTrust.values()],
    };
  }

  /** The local etcd of a control plane; undefined while none of its members runs. */
  etcdCluster(namespace: string, name: string): EtcdCluster | undefined {
    return this.#etcd.clusterOf(namespace, name);
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) await end();
  }
}

function addressIn({ store }: StubApi, namespace: string, name: string): string | undefined {
  const pod: Pod | undefined = store.get('/pods', `${namespace}/${name}`);
  return pod?.status?.podIP;
}

async function listen(
  api: StubApi,
  addresses: Addresses,
  serving: Serving,
): Promise<{ readonly listener: Listener; readonly access: ClusterAccess }> {
  const host = addresses.next();
  const ca = await newPair({ commonName: 'stub-cluster' });
  const pair: Pair = await newPair({ commonName: 'kube-apiserver', hosts: [host] }, ca);
  const listener = await listenTls(
    { host, port: API_PORT },
    () => pair,
    (server) => {
      serving(server, () => api);
      servePortForwards(server, (namespace, name) => addressIn(api, namespace, name));
    },
  );
  return { listener, access: { host, port: API_PORT, ca: ca.cert, token: 'stub' } };
}
