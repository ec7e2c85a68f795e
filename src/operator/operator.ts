import type { Clock, Log, Random } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { LeaderElection, type Led } from '../kubernetes/leader-election/leader.ts';
import type { LimiterWaits } from '../kubernetes/fairness/limiter-waits.ts';
import type { Origins } from '../kubernetes/fairness/origin.ts';
import { WorkQueue } from '../kubernetes/workqueue/queue.ts';
import { TermEndedError, type LeaderTerm } from '../kubernetes/time/term.ts';
import { runWorkers } from '../kubernetes/workqueue/worker.ts';
import { afterAbort, within } from '../kubernetes/time/within.ts';
import type { EndpointServer } from '../http/endpoints.ts';
import { measured } from './measured-reconcile.ts';
import { listen } from './operator-endpoints.ts';
import type { Metrics } from '../metrics/metrics-interface.ts';
import type { Options } from '../options/options.ts';
import { IdleTrigger } from './idle-trigger.ts';
import type { Reconciler } from '../kubernetes/workqueue/reconciler.ts';
import { abandonWhenLost } from './abandon-when-lost.ts';
import { leadAsOneOperator } from './one-operator.ts';

export interface OperatorDependencies {
  readonly options: Options;
  readonly client: KubernetesClient;
  /** Client for the leader Leases only, so that other calls never delay a renewal. */
  readonly leaseClient: KubernetesClient;
  /** Ends when a Lease is lost or the operator stops. All clients except the Lease client use it (`ClientOptions`). */
  readonly term: LeaderTerm;
  /** Origins of the calls of all clients. */
  readonly origins: Origins;
  /** Keys with calls that wait for the rate limit. */
  readonly limiterWaits?: Pick<LimiterWaits, 'has'>;
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
const SLOW_AFTER_MS = 200;

/** Time for writes in progress to finish before the operator releases the Lease, in milliseconds. */
const graceMs = 20_000;
/**
 * Maximum numbers of reconciles in progress, also of those that wait for an API server: of a namespace on one host cluster and on
 * all, of a host cluster, and in all. Each needs memory, for example for the objects that it compares.
 */
const MAX_KEYS = { tenant: 16, group: 32, host: 64, total: 128 };
/**
 * Time for calls that were aborted to end, in milliseconds: of reconciles at the end of the term, and of everything else
 * at the end of the process. Both together are shorter than the rest of the Lease after its renew deadline.
 */
const ABORTED_MS = 1_000;
const CLOSE_MS = 2_000;
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
    const { options, reconciler, limiterWaits } = dependencies;
    const shares = {
      of: (key: string) => reconciler.flowOf(key),
      width: options.concurrentSyncs,
      total: TOTAL,
      slowAfterMs: SLOW_AFTER_MS,
      isLimited: (key: string) => limiterWaits?.has(key) === true,
      max: MAX_KEYS,
    };
    const { metrics } = dependencies;
    const onTake = (waitedMs: number): void => metrics.taken(waitedMs / 1000);
    this.#queue = new WorkQueue({ ...dependencies, shares, onTake });
    metrics.read({ queue: () => this.#queue.state });
    this.#quiet = new IdleTrigger(dependencies.clock, dependencies.onQuiet);
  }

  /**
   * Runs until `stop` is called or the Lease is lost. A standby fills its caches, too, so it can take over at once. After
   * the loss it returns within seconds whatever is in progress; the process must then end, before its Lease expires.
   * @throws Error when the operator cannot listen on an address
   */
  async run(): Promise<Outcome> {
    const { options, reconciler, clock } = this.#dependencies;
    const servers = await listen(this.#dependencies);
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
      this.#endQueue();
      await within(clock, this.#shareOfGrace(CLOSE_MS), this.#close(servers));
    }
  }

  async #close(servers: readonly EndpointServer[]): Promise<void> {
    const { reconciler, client, leaseClient } = this.#dependencies;
    await reconciler.stop();
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all([client.close(), leaseClient.close()]);
  }

  /** Limits a duration to a quarter of the time between the renew deadline and the end of the Lease. */
  #shareOfGrace(ms: number): number {
    const { leaseMs, renewDeadlineMs } = this.#dependencies.options.leaderElection;
    return Math.min(ms, (leaseMs - renewDeadlineMs) / 4);
  }

  #endQueue(): void {
    const { log } = this.#dependencies;
    this.#queue
      .shutDown()
      .catch((error: unknown) => log.error({ error: String(error) }, 'work queue shutdown failed'));
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
    const renewed =
      (lease: string) =>
      (deadline: number): void =>
        rest.term.renewed(lease, deadline);
    const onRenewed = renewed(name);
    const election = new LeaderElection({ ...common, namespace, name, identity, times, onRenewed });
    const onWaiting = (isWaiting: boolean): void => metrics.waiting(isWaiting);
    const installation = { namespace, name };
    const one = { ...common, installation, onWaiting, onRenewed: renewed('installation') };
    let isOtherActive = false;
    abandonWhenLost(this.#abandon, rest);
    const outer = await election.run(async (term) => {
      const ended = await leadAsOneOperator(one, (leading) => this.#lead(leading), term);
      isOtherActive = ended === 'lost';
      return ended === 'unfinished' ? ended : undefined;
    }, this.#abandon.signal);
    return outer === 'lost' || isOtherActive || rest.term.isLost ? 'lease lost' : 'stopped';
  }

  async #lead(term: AbortSignal): Promise<Led> {
    const { reconciler, metrics } = this.#dependencies;
    this.#leads = true;
    const endTerm = (): void => this.#endTerm(term.reason);
    term.addEventListener('abort', endTerm, { once: true });
    if (term.aborted) endTerm();
    metrics.leading(true);
    const end = (): void => this.#endQueue();
    const ends = AbortSignal.any([term, this.#stopping.signal]);
    if (ends.aborted) end();
    ends.addEventListener('abort', end, { once: true });
    await Promise.race([
      reconciler.synced,
      new Promise((resolve) => ends.addEventListener('abort', resolve, { once: true })),
    ]);
    if (!ends.aborted) this.#check(ends);
    const led = await this.#work(term);
    // Background tasks in member clusters outlive reconciles; they must not write when the next leader starts.
    this.#endTerm(undefined);
    metrics.leading(false);
    return led;
  }

  #endTerm(reason: unknown): void {
    const isEnd = reason instanceof TermEndedError;
    this.#dependencies.term.end(isEnd ? reason : new TermEndedError('the operator stops'));
  }

  /** Reconciles until the queue is shut down. Reconciles that ignore the end of the term are abandoned. */
  async #work(term: AbortSignal): Promise<Led> {
    const { clock, log, flushEvents } = this.#dependencies;
    const onBegin = (): void => this.#quiet.recordActivity();
    const reconcile = measured({ ...this.#dependencies, queue: this.#queue, onBegin });
    const worked = async (): Promise<void> => {
      await runWorkers({ queue: this.#queue, signal: term, log, reconcile });
      if (!term.aborted) await flushEvents();
    };
    const overdue = afterAbort(clock, this.#shareOfGrace(ABORTED_MS), term);
    const isDone = await Promise.race([worked().then(() => true), overdue.then(() => false)]);
    if (isDone) return undefined;
    log.warn({ ...this.#queue.state }, 'reconciles did not end with the term of the leader');
    return 'unfinished';
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
}
