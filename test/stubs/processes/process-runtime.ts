/** Runs Pods as real processes, each in a network namespace of its own. Needs root. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { ClusterView } from '../kubelet/cluster-view.ts';
import {
  environmentOf,
  expanded,
  specOf,
  type ContainerRun,
  type ContainerSpec,
  type PodRuntime,
  type Sandbox,
} from '../kubelet/pod-runtime.ts';
import type { Bridge, PodNetwork } from './bridge.ts';
import { ContainerProcess } from './container-process.ts';
import { createRoot, type Image } from './container-root.ts';

export interface ProcessRuntimeOptions {
  readonly view: ClusterView;
  readonly bridge: Bridge;
  /** Directory for the files of Pods and for volumes. */
  readonly directory: string;
  /** @throws Error for an image that is not known */
  readonly imageOf: (container: ContainerSpec) => Image;
}

export class ProcessRuntime implements PodRuntime {
  readonly #options: ProcessRuntimeOptions;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
  }

  /** Directory of the volume of a PVC, by its UID. */
  volumeOf(uid: string): string {
    return join(this.#options.directory, 'volumes', uid);
  }

  async createSandbox(pod: KubernetesObject): Promise<Sandbox> {
    const directory = join(this.#options.directory, 'pods', pod.metadata.uid ?? '');
    await mkdir(directory, { recursive: true });
    const network = await this.#options.bridge.connect(join(directory, 'network.log'));
    return {
      address: network.address,
      run: (container, current, attempt) =>
        this.#run({ pod: current, directory, network }, container, attempt),
      remove: async () => {
        await network.remove();
        await rm(directory, { recursive: true, force: true });
      },
    };
  }

  async #run(
    {
      pod,
      directory,
      network,
    }: { readonly pod: KubernetesObject; readonly directory: string; readonly network: PodNetwork },
    container: ContainerSpec,
    attempt: number,
  ): Promise<ContainerRun> {
    const { view, bridge, imageOf } = this.#options;
    const { address, enter } = network;
    const image = imageOf(container);
    const volumes = join(this.#options.directory, 'volumes');
    const given = { view, pod, directory, volumes, dns: bridge.gateway };
    const { root, binds } = await createRoot(given, container, image);
    const variables = environmentOf(pod, container, address);
    const { command = image.entrypoint ?? [], args = [] } = container;
    const isInit = specOf(pod).initContainers?.includes(container) === true;
    const probe = isInit ? undefined : (container.startupProbe ?? container.readinessProbe);
    return new ContainerProcess({
      root,
      binds,
      enter,
      address,
      command: [...command, ...args].map((one) => expanded(one, variables)),
      environment: { ...image.environment, ...variables },
      logFile: join(directory, `${container.name}-${String(attempt)}.log`),
      ...(probe !== undefined && { probe }),
    });
  }
}
