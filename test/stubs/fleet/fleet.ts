/** Many control planes of stubs in one process, and one operator process with the flags and the heap limit of its Pod. */
import { setTimeout as pause } from 'node:timers/promises';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { disturbedKarmada } from '../../harness/disturbed-install.ts';
import { freePorts } from '../../harness/servers/process.ts';
import { ClusterProcess } from '../cluster-process.ts';
import type { OperatorBuild } from '../operator/build.ts';
import { OperatorProcess } from '../operator/operator-process.ts';
import { memoryOf, processorSeconds } from '../process-usage.ts';
import { heapFlags } from './heap-limit.ts';
import { bucketsOf, type Buckets } from './histogram.ts';
import type { FleetSample, Question } from './questions.ts';
import { DAMAGED } from './repairs.ts';
import { totalOf } from './request-counts.ts';

export interface FleetOptions {
  readonly build: OperatorBuild;
  /** Flags in addition to those of the chart. */
  readonly flags?: readonly string[];
  /** Whether the host cluster has a real API server, etcd and kube-controller-manager. */
  readonly hasRealHost?: boolean;
}

/** Memory of the operator in MiB, and its processor time in seconds. */
export interface Usage {
  readonly anonymous: number;
  readonly seconds: number;
}

/** 1,000 control planes of stubs need about 5 GiB. */
const CLUSTER_HEAP = '--max-old-space-size=12288';
const SAMPLE_MS = 1_000;
/** Samples without requests after which the operator is at rest. */
const QUIET_SAMPLES = 5;
/** Most requests of a control plane in a sample that are those of its periodic checks, which take turns in ten minutes. */
const PERIODIC = 0.02;
/** Namespaces that are created at a time. */
const WIDTH = 10;

export class Fleet {
  readonly #cluster: ClusterProcess;
  readonly #options: FleetOptions;
  readonly #port: number;
  #operator: OperatorProcess | undefined;
  #highest = 0;

  private constructor(cluster: ClusterProcess, options: FleetOptions, port: number) {
    this.#cluster = cluster;
    this.#options = options;
    this.#port = port;
  }

  /** Starts the stub cluster without an operator. */
  static async start(options: FleetOptions): Promise<Fleet> {
    const [port = 0] = await freePorts(1);
    const cluster = await ClusterProcess.start({
      nodeFlags: [CLUSTER_HEAP],
      ...(options.hasRealHost === true
        ? { module: 'fleet/real-host/main.ts', endSignal: 'SIGTERM' }
        : { module: 'fleet/main.ts' }),
    });
    return new Fleet(cluster, options, port);
  }

  async startOperator(): Promise<void> {
    const { build, flags = [] } = this.#options;
    const limit = await heapFlags(build.command);
    this.#operator = await OperatorProcess.start({
      build: { ...build, command: [...limit, ...build.command] },
      access: this.#cluster.access,
      flags: ['--v=2', `--metrics-bind-address=127.0.0.1:${String(this.#port)}`, ...flags],
    });
  }

  /** Stops the operator as the kubelet does. */
  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  /** Processes of the operator since its start: more than one if it lost its Lease or failed. */
  get processes(): number {
    return this.#operator?.processes ?? 0;
  }

  ask(question: Question): Promise<FleetSample> {
    return this.#cluster.ask(question);
  }

  /** Creates control planes, each in a namespace of its own. @param first number of the first one */
  async create(first: number, count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, n) => `fleet-${String(first + n)}`);
    for (let at = 0; at < count; at += WIDTH)
      await Promise.all(names.slice(at, at + WIDTH).map((name) => this.#create(name)));
  }

  /** Creates the control plane that repairs damage. */
  createDamaged(): Promise<void> {
    return this.#create(DAMAGED);
  }

  async #create(name: string): Promise<void> {
    const { client } = this.#cluster;
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await client.create(disturbedKarmada(name) as KubernetesObject);
  }

  /** Waits until a number of control planes are Ready. @throws Error after the deadline, with the last number */
  untilReady(count: number, deadlineMs: number): Promise<FleetSample> {
    return poll(
      `${String(count)} control planes are Ready`,
      async (seen) => {
        const sample = await this.#observe();
        seen(`${String(sample.readiness.ready)} of ${String(sample.readiness.total)}`);
        return sample.readiness.ready === count ? sample : undefined;
      },
      { deadlineMs, intervalMs: SAMPLE_MS },
    );
  }

  /** Waits for the first request since the last reset. */
  async untilFirstRequest(deadlineMs: number): Promise<void> {
    await poll(
      'the operator sends a request',
      async () => (totalOf((await this.ask('sample')).requests.host) > 0 ? true : undefined),
      { deadlineMs, intervalMs: 50 },
    );
  }

  /**
   * Waits until the operator sends no requests but those of its periodic checks.
   * @returns seconds until then
   */
  async untilQuiet(deadlineMs: number): Promise<number> {
    const began = performance.now();
    let quiet = 0;
    for (let last = -1; quiet < QUIET_SAMPLES;) {
      if (performance.now() - began > deadlineMs) throw new Error('the operator is not at rest');
      await pause(SAMPLE_MS);
      const { requests, readiness } = await this.#observe();
      const sent = totalOf(requests.host) + totalOf(requests.inside);
      quiet = sent - last <= readiness.total * PERIODIC ? quiet + 1 : 0;
      last = sent;
    }
    return (performance.now() - began - QUIET_SAMPLES * SAMPLE_MS) / 1_000;
  }

  /** Observes the operator for a time. */
  async rest(ms: number): Promise<FleetSample> {
    for (const end = performance.now() + ms; performance.now() < end;) {
      await pause(SAMPLE_MS);
      await this.#observe();
    }
    return this.ask('sample');
  }

  async usage(): Promise<Usage> {
    const pid = this.#operator?.pid;
    const [{ anonymous }, seconds] = await Promise.all([memoryOf(pid), processorSeconds(pid)]);
    return { anonymous, seconds };
  }

  /** Highest anonymous memory of the operator in MiB since the last call. */
  takeHighest(): number {
    const highest = this.#highest;
    this.#highest = 0;
    return highest;
  }

  /** Reads a histogram of the operator. @throws Error if the operator does not serve metrics */
  async buckets(name: string): Promise<Buckets> {
    const response = await fetch(`http://127.0.0.1:${String(this.#port)}/metrics`);
    return bucketsOf(await response.text(), `karmada_operator_${name}`);
  }

  /** The last lines of the log of the operator. */
  get log(): readonly string[] {
    return this.#operator?.lines.slice(-20) ?? [];
  }

  async #observe(): Promise<FleetSample> {
    const sample = await this.ask('sample');
    const pid = this.#operator?.pid;
    if (pid !== undefined) this.#highest = Math.max(this.#highest, (await memoryOf(pid)).anonymous);
    return sample;
  }

  async stop(): Promise<void> {
    await this.#operator?.stop('SIGKILL');
    await this.#cluster.stop();
  }
}
