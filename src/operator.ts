import { hostname } from 'node:os';
import type { Clock, Log, Random } from './kubernetes/clock.ts';
import type { KubernetesClient } from './kubernetes/client-interface.ts';
import { LeaderElection } from './kubernetes/leader.ts';
import { WorkQueue } from './kubernetes/queue.ts';
import { runWorkers, type Reconcile } from './kubernetes/worker.ts';
import { serve, type Answer, type BindAddress, type EndpointServer } from './endpoints.ts';
import { serveSecurely } from './metrics-server/serve-metrics.ts';
import type { Metrics } from './metrics/metrics-interface.ts';
import type { Options } from './options.ts';
import { IdleTrigger } from './idle-trigger.ts';
import type { Reconciler } from './kubernetes/reconciler.ts';
import { leadAsOneOperator } from './one-operator.ts';

export interface OperatorDependencies {
  readonly options: Options;
  readonly client: KubernetesClient;
  /** Client for the leader Leases only, so that other calls never delay a renewal. */
  readonly leaseClient: KubernetesClient;
  /** Aborted when the Lease is lost. All clients except the Lease client use its signal (`term` of `ClientOptions`). */
  readonly term: AbortController;
  /** Resolves when all Events have been written. */
  readonly flushEvents: () => Promise<void>;
  readonly reconciler: Reconciler;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Holder identity in the Lease; unique per process. */
  readonly identity: string;
  /** Checks that run every hour while this process is the leader. They never reject. */
  readonly checks: readonly (() => Promise<void>)[];
  /** Called after idle periods, see `Quiet`. */
  readonly onQuiet: () => void;
}

/** Result of a run: stopped on request, or the Lease was lost to another process. */
export type Outcome = 'stopped' | 'lease lost';

/**
 * Maximum number of concurrent reconciles across all host clusters. It bounds the computation in one turn of the event
 * loop, because a Lease renewal takes several turns and must finish within 10 seconds by default.
 */
const TOTAL = 5;
/** A reconcile that takes longer than this waits for an API server, in milliseconds. */
const PATIENCE_MS = 200;

/** Time for writes in progress to finish before the operator releases the Lease, in milliseconds. */
const graceMs = 20_000;
/** Interval of the periodic checks, in milliseconds. */
const checkMs = 3_600_000;

/** Connects caches, work queue, leader election and HTTP endpoints. */
export class Operator {
  readonly #dependencies: OperatorDependencies;
  readonly #queue: WorkQueue;
  readonly #quiet: IdleTrigger;
  readonly #stopping = new AbortController();
  readonly #abandon = new AbortController();
  #leads = false;
  #cancelGrace: () => void = () => undefined;
  #cancelCheck: () => void = () => undefined;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
    const { options, reconciler } = dependencies;
    const partitions = {
      of: (key: string) => reconciler.queuePartitionOf(key),
      width: options.concurrentSyncs,
      total: TOTAL,
      patienceMs: PATIENCE_MS,
    };
    const { metrics } = dependencies;
    const onTake = (waitedMs: number): void => metrics.taken(waitedMs / 1000);
    this.#queue = new WorkQueue({ ...dependencies, partitions, onTake });
    metrics.read({ queue: () => this.#queue.state });
    this.#quiet = new IdleTrigger(dependencies.clock, dependencies.onQuiet);
  }

  /**
   * Runs until `stop` is called or the Lease is lost. A standby fills its caches, too, so it can take over at once.
   * @throws Error when the operator cannot listen on an address
   */
  async run(): Promise<Outcome> {
    const { options, reconciler, log } = this.#dependencies;
    const servers = await this.#listen();
    try {
      reconciler.start(this.#queue);
      // Filling the caches allocates memory, also in a standby.
      this.#quiet.recordActivity();
      if (!options.leaderElection.enabled) {
        await this.#lead(this.#abandon.signal);
        return 'stopped';
      }
      return await this.#elect();
    } finally {
      this.#cancelGrace();
      this.#cancelCheck();
      this.#quiet.end();
      this.#queue
        .shutDown()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'work queue shutdown failed'),
        );
      await reconciler.stop();
      await Promise.all(servers.map((server) => server.close()));
      const { client, leaseClient } = this.#dependencies;
      await Promise.all([client.close(), leaseClient.close()]);
    }
  }

  /** Accepts no new work, waits for writes in progress, then releases the Lease. */
  stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#dependencies.log.info({}, 'stopping');
    this.#stopping.abort();
    // A standby has no writes in progress.
    if (!this.#leads) this.#abandon.abort();
    else this.#cancelGrace = this.#dependencies.clock.after(graceMs, () => this.#abandon.abort());
  }

  /** Acquires two Leases: leader of this installation, then the only active installation in the cluster. */
  async #elect(): Promise<Outcome> {
    const { options, leaseClient: client, identity, metrics, ...rest } = this.#dependencies;
    const { namespace, name, leaseMs, renewDeadlineMs, retryMs } = options.leaderElection;
    const times = { leaseMs, renewDeadlineMs, retryMs };
    const { clock, random, log } = rest;
    const common = { client, clock, random, log };
    const election = new LeaderElection({ ...common, namespace, name, identity, times });
    const onWaiting = (isWaiting: boolean): void => metrics.waiting(isWaiting);
    const one = { ...common, installation: { namespace, name }, onWaiting };
    let inner = 'ended';
    const outer = await election.run(async (term) => {
      inner = await leadAsOneOperator(one, (leading) => this.#lead(leading), term);
    }, this.#abandon.signal);
    return outer === 'lost' || inner === 'lost' ? 'lease lost' : 'stopped';
  }

  async #lead(term: AbortSignal): Promise<void> {
    const { reconciler, metrics, log } = this.#dependencies;
    this.#leads = true;
    const endTerm = (): void => this.#dependencies.term.abort(term.reason);
    term.addEventListener('abort', endTerm, { once: true });
    if (term.aborted) endTerm();
    metrics.leading(true);
    const end = (): void => {
      this.#queue
        .shutDown()
        .catch((error: unknown) =>
          log.error({ error: String(error) }, 'work queue shutdown failed'),
        );
    };
    const ends = AbortSignal.any([term, this.#stopping.signal]);
    if (ends.aborted) end();
    ends.addEventListener('abort', end, { once: true });
    await Promise.race([
      reconciler.synced,
      new Promise((resolve) => ends.addEventListener('abort', resolve, { once: true })),
    ]);
    if (!ends.aborted) this.#check(ends);
    const reconcile = this.#measured();
    await runWorkers({ queue: this.#queue, signal: term, log, reconcile });
    if (!term.aborted) await this.#dependencies.flushEvents();
    // Background tasks in member clusters outlive reconciles; they must not write when the next leader starts.
    this.#dependencies.term.abort(new Error('the operator stops'));
    metrics.leading(false);
  }

  /** Runs the checks now and then every hour until the signal is aborted. */
  #check(ends: AbortSignal): void {
    const { checks, clock, random, log } = this.#dependencies;
    this.#quiet.recordActivity();
    for (const check of checks)
      check().catch((error: unknown) =>
        log.error({ error: String(error) }, 'periodic check failed'),
      );
    const again = (): void => {
      if (!ends.aborted) this.#check(ends);
    };
    this.#cancelCheck = clock.after(checkMs * (0.9 + 0.2 * random()), again);
  }

  /** The reconcile function with metrics for its result and duration. */
  #measured(): Reconcile {
    const { reconciler, metrics, clock } = this.#dependencies;
    return async (key, signal) => {
      this.#quiet.recordActivity();
      const began = clock.monotonic();
      const seconds = (): number => (clock.monotonic() - began) / 1000;
      try {
        const result = await reconciler.reconcile(key, signal);
        metrics.reconciled(result.error === undefined ? 'success' : 'error', seconds());
        return result;
      } catch (error) {
        metrics.reconciled('error', seconds());
        throw error;
      }
    };
  }

  #serveMetrics(address: BindAddress): Promise<EndpointServer> {
    const { options, metrics, client, clock, log } = this.#dependencies;
    const expose = async (): Promise<Answer> => ({ status: 200, ...(await metrics.expose()) });
    const secure = options.secureMetrics;
    if (secure === undefined) return serve(address, { '/metrics': expose });
    const names = ['localhost', hostname()];
    return serveSecurely({ ...secure, address, client, clock, log, names }, expose);
  }

  async #listen(): Promise<EndpointServer[]> {
    const { options, reconciler } = this.#dependencies;
    const servers: EndpointServer[] = [];
    const ready = (): Answer => {
      const unready = reconciler.unready();
      return unready === undefined
        ? { status: 200, body: 'ok\n' }
        : { status: 503, body: `${unready}\n` };
    };
    if (options.health !== undefined) {
      const routes = { '/healthz': () => ({ status: 200, body: 'ok\n' }), '/readyz': ready };
      servers.push(await serve(options.health, routes));
    }
    if (options.metrics !== undefined) {
      servers.push(await this.#serveMetrics(options.metrics));
    }
    return servers;
  }
}
