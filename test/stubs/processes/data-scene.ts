/** A control plane with a real etcd in a data cluster, and an operator that is killed. */
import { expect } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { VOLUME_CLAIM } from '../../harness/etcd-scene.ts';
import { readBack, summaryOf, writing } from '../../harness/etcd-writer.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { OperatorProcess, type Kills } from '../operator/operator-process.ts';
import type { OperatorBuild } from '../operator/build.ts';
import { DataCluster } from './data-cluster.ts';
import { EtcdKeys } from './etcd-keys.ts';

const DEADLINE_MS = 300_000;
const FLAGS = ['--leader-elect=false'];

export const NEVER: Kills = { afterWrite: Infinity };

export class DataScene {
  readonly cluster: DataCluster;
  readonly namespace = 'stub-data';
  readonly name = 'karmada';
  readonly #build: OperatorBuild;
  #keys: EtcdKeys | undefined;
  /** Keys that were acknowledged. */
  readonly #acknowledged: string[] = [];

  private constructor(cluster: DataCluster, build: OperatorBuild) {
    this.cluster = cluster;
    this.#build = build;
  }

  /** Starts a cluster and installs a control plane with one etcd member. */
  static async start(build: OperatorBuild): Promise<DataScene> {
    const scene = new DataScene(await DataCluster.start(build), build);
    const { namespace, name, cluster } = scene;
    await cluster.client.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await scene.withOperator(NEVER, async () => {
      await cluster.client.create(scene.#karmada());
      await scene.untilMembers(1);
    });
    scene.#keys = await EtcdKeys.connect(cluster, { namespace, name });
    return scene;
  }

  #karmada(): KubernetesObject {
    const { name, namespace } = this;
    const etcd = { local: { replicas: 1, volumeData: VOLUME_CLAIM } };
    return {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name, namespace },
      spec: { components: { etcd, karmadaMetricsAdapter: { enabled: false } } },
    };
  }

  /** Client of etcd. */
  get keys(): EtcdKeys {
    if (this.#keys === undefined) throw new Error('no client of etcd');
    return this.#keys;
  }

  async karmada(): Promise<Karmada> {
    const { namespace, name } = this;
    return (await this.cluster.client.get(karmadas, { namespace, name })) as unknown as Karmada;
  }

  /** Runs an operator while `work` runs. @returns the operator, which has ended */
  async withOperator(
    kills: Kills,
    work: (operator: OperatorProcess) => Promise<unknown>,
  ): Promise<OperatorProcess> {
    const options = { build: this.#build, access: this.cluster.access, flags: FLAGS };
    const operator = await OperatorProcess.start(options, kills);
    try {
      await work(operator);
    } catch (error) {
      const log = [...operator.writes.slice(-40), ...operator.lines.slice(-40)].join('\n');
      throw new Error(`${String(error)}\n${log}`, { cause: error });
    } finally {
      await operator.stop('SIGKILL');
    }
    return operator;
  }

  /** Changes the number of members, and waits for them. */
  async change(replicas: number): Promise<void> {
    const { namespace, name } = this;
    const spec = { components: { etcd: { local: { replicas } } } };
    await this.cluster.client.patch(karmadas, { namespace, name }, { spec });
    await this.untilMembers(replicas);
  }

  async untilMembers(count: number): Promise<void> {
    await poll(
      `${String(count)} etcd members`,
      async (seen) => {
        const found = await this.karmada();
        seen(JSON.stringify(found.status));
        const members = `${String(count)}/${String(count)}`;
        return (saysReady(found) && found.status?.etcd === members) || undefined;
      },
      { deadlineMs: DEADLINE_MS },
    );
  }

  /** Keys that were acknowledged so far. */
  get acknowledged(): readonly string[] {
    return [...this.#acknowledged];
  }

  /** Forgets all other keys, because etcd is replaced by an empty one or by an earlier backup. */
  forget(except: readonly string[] = []): void {
    this.#acknowledged.splice(0, Infinity, ...except);
  }

  /** Runs `work` under a client that writes 20 keys per second and reads each one back. */
  async during(prefix: string, work: (written: () => number) => Promise<unknown>): Promise<void> {
    const written = await writing(this.keys.asClient(), prefix, work);
    this.#acknowledged.push(...written.acknowledged);
    process.stderr.write(`${prefix}: ${summaryOf(written)}\n`);
    expect(written.lost).toEqual([]);
    expect(written.acknowledged.length).toBeGreaterThan(20);
  }

  /** Reads all keys that were ever acknowledged. */
  async verify(): Promise<void> {
    expect(await readBack(this.keys.asClient(), this.#acknowledged)).toEqual([]);
  }

  async end(): Promise<void> {
    this.#keys?.close();
    await this.cluster.stop();
  }
}
