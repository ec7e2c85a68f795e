/**
 * A host cluster where data is at stake: a real API server with its etcd and kube-controller-manager, and a node whose etcd
 * members, backups and restores are real processes. The other Pods of control planes are stubs. Needs root.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPONENT, INSTANCE } from '../../../src/api/labels.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import { Informer } from '../../../src/kubernetes/informers/informer.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { servePlainly } from '../api/serve.ts';
import { Store } from '../api/store.ts';
import { isReady } from '../controllers/pods.ts';
import { NODE, type ClusterAccess } from '../stub-cluster.ts';
import { KarmadaProgram, type ApiData } from '../karmada/karmada-program.ts';
import { SILENT } from '../kubelet/cluster-view.ts';
import { Kubelet } from '../kubelet/kubelet.ts';
import type { ContainerSpec, PodRuntime } from '../kubelet/pod-runtime.ts';
import { StubRuntime } from '../kubelet/stub-runtime.ts';
import type { OperatorBuild } from '../operator/build.ts';
import { Bridge } from './bridge.ts';
import type { Image } from './container-root.ts';
import { DnsServer } from './dns-server.ts';
import { createImages, type Images } from './images.ts';
import { InformedView } from './informed-view.ts';
import { ProcessRuntime } from './process-runtime.ts';
import { startRealHost } from './real-host.ts';

/** Longest time that a deleted Pod takes in milliseconds. etcd ends within it. */
const GRACE_MS = 5_000;
const READY_MS = 300;

type End = () => void | Promise<void>;

export class DataCluster {
  readonly client: KubernetesClient;
  readonly access: ClusterAccess;
  readonly #view: InformedView;
  readonly #ends: readonly End[];

  private constructor(given: {
    readonly client: KubernetesClient;
    readonly access: ClusterAccess;
    readonly view: InformedView;
    readonly ends: readonly End[];
  }) {
    this.client = given.client;
    this.access = given.access;
    this.#view = given.view;
    this.#ends = given.ends;
  }

  static async start(build: OperatorBuild): Promise<DataCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'stub-data-'));
    const ends: End[] = [() => rm(directory, { recursive: true, force: true })];
    const bridge = await Bridge.create();
    ends.unshift(() => bridge.remove());
    const host = await startRealHost({ services: bridge.services });
    ends.unshift(() => host.stop());
    const { client, access } = host;
    const view = new InformedView(client);
    ends.unshift(() => view.stop());
    const services = servicesOf(client);
    const dns = await DnsServer.start(bridge.gateway, {
      pods: () => view.allPods(),
      services: () => services.cache.list(),
    });
    ends.unshift(async () => {
      dns.stop();
      await services.stop();
    });
    const runtime = await createRuntime({ view, bridge, directory }, build);
    const kubelet = new Kubelet({ client, runtime, node: NODE, graceMs: GRACE_MS });
    ends.unshift(() => kubelet.stop());
    return new DataCluster({ client, access, view, ends });
  }

  /** Addresses of the etcd members of a control plane that are ready, by the names of their Pods. */
  members(namespace: string, instance: string): ReadonlyMap<string, string> {
    return new Map(
      etcdPods(this.#view, namespace, instance).map((pod) => [
        pod.metadata.name,
        (pod['status'] as { podIP: string }).podIP,
      ]),
    );
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) await end();
  }
}

function servicesOf(client: KubernetesClient): Informer {
  const common = { client, clock: systemClock, random: Math.random, log: SILENT };
  const services = new Informer({ ...common, type: resources.Service });
  services.start();
  return services;
}

const etcdPods = (view: InformedView, namespace: string, instance: string): KubernetesObject[] =>
  view
    .pods(namespace)
    .filter(
      (pod) =>
        pod.metadata.labels?.[COMPONENT] === 'etcd' &&
        pod.metadata.labels[INSTANCE] === instance &&
        isReady(pod),
    );

interface Parts {
  readonly view: InformedView;
  readonly bridge: Bridge;
  readonly directory: string;
}

/** etcd, backups and restores are processes. */
async function createRuntime(parts: Parts, build: OperatorBuild): Promise<PodRuntime> {
  const { view, bridge } = parts;
  const images = await createImages(build);
  const imageOf = (container: ContainerSpec): Image => imageIn(images, container);
  const processes = new ProcessRuntime({ ...parts, imageOf });
  const karmada = new KarmadaProgram({
    view,
    readyMs: READY_MS,
    serving: servePlainly,
    dataOf: dataOf(view),
  });
  const programs = { 'karmada-apiserver/kube-apiserver': karmada.start };
  const addresses = new Map<string, string>();
  const stubs = new StubRuntime({
    view,
    readyMs: READY_MS,
    programs,
    address: (pod) => addresses.get(pod.metadata.uid ?? '') ?? '',
  });
  return {
    async createSandbox(pod) {
      if (isOfData(pod)) return processes.createSandbox(pod);
      const address = await bridge.nextOwn();
      addresses.set(pod.metadata.uid ?? '', address);
      return stubs.createSandbox(pod);
    },
  };
}

const DATA_COMPONENTS: ReadonlySet<string> = new Set(['etcd', 'etcd-recovery', 'karmada-backup']);

const isOfData = ({ metadata }: KubernetesObject): boolean =>
  DATA_COMPONENTS.has(metadata.labels?.[COMPONENT] ?? '');

function imageIn({ etcd, operator }: Images, { image = '' }: ContainerSpec): Image {
  if (image.includes('/etcd:')) return etcd;
  if (image.includes('karmada-operator')) return operator;
  throw new Error(`no image ${image}`);
}

/** The objects of a Karmada API are not in its etcd, so a restore does not change them. */
function dataOf(view: InformedView): (namespace: string, instance: string) => ApiData | undefined {
  const stores = new Map<string, Store>();
  return (namespace, instance) => {
    const key = `${namespace}/${instance}`;
    const store = stores.get(key) ?? new Store();
    stores.set(key, store);
    return { store, hasQuorum: etcdPods(view, namespace, instance).length > 0 };
  };
}
