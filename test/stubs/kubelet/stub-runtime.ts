/**
 * Runs containers as stubs: those with a program in this process, and others that only become ready. Settings with which real
 * programs do not become ready have the same effect, see `breakageOf`.
 */
import { COMPONENT } from '../../../src/api/labels.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { secretData, type ClusterView } from './cluster-view.ts';
import { breakageOf } from './broken-containers.ts';
import { specOf, type ContainerSpec, type PodRuntime, type Sandbox } from './pod-runtime.ts';
import { StubContainer } from './stub-container.ts';
import { after, type StubProgram } from './stub-program.ts';

export interface StubRuntimeOptions {
  readonly view: ClusterView;
  /** A free address for a Pod. */
  readonly address: (pod: KubernetesObject) => string;
  /** Time from the start of a container until it is ready, in milliseconds. */
  readonly readyMs: number;
  /** Programs by component and container, such as `etcd/etcd`. */
  readonly programs: Readonly<Record<string, StubProgram>>;
}

export class StubRuntime implements PodRuntime {
  readonly #options: StubRuntimeOptions;

  constructor(options: StubRuntimeOptions) {
    this.#options = options;
  }

  createSandbox(pod: KubernetesObject): Promise<Sandbox> {
    const { view, address: next } = this.#options;
    for (const { secret } of specOf(pod).volumes ?? [])
      if (secret !== undefined && secret.optional !== true)
        secretData(view, pod.metadata.namespace ?? '', secret.secretName);
    const address = next(pod);
    return Promise.resolve({
      address,
      run: (container, current) => this.#run(current, container, address),
      remove: () => Promise.resolve(),
    });
  }

  async #run(
    pod: KubernetesObject,
    container: ContainerSpec,
    address: string,
  ): Promise<StubContainer> {
    const { programs, readyMs } = this.#options;
    const breakage = breakageOf(container);
    if (breakage?.kind === 'not-created') throw breakage.error;
    const run = new StubContainer({ canBeReady: breakage?.kind !== 'not-ready' });
    if (breakage?.kind === 'ends') {
      run.end(1, breakage.message);
      return run;
    }
    const component = pod.metadata.labels?.[COMPONENT] ?? '';
    const program = programs[`${component}/${container.name}`];
    if (program === undefined) after(run, readyMs, () => run.setReady(true));
    else await program({ pod, container, address, run });
    return run;
  }
}
