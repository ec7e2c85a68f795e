import type { Clock, Log, Random } from './kubernetes/clock.ts';
import type { KubernetesClient } from './kubernetes/contract.ts';
import { LeaderElection } from './kubernetes/leader.ts';
import { WorkQueue } from './kubernetes/queue.ts';
import { runWorkers } from './kubernetes/worker.ts';
import { serve, type Answer, type EndpointServer } from './endpoints.ts';
import type { Metrics } from './metrics.ts';
import type { Options } from './options.ts';
import { Quiet } from './quiet.ts';
import type { Reconciler } from './reconciler.ts';

export interface OperatorDependencies {
  readonly options: Options;
  readonly client: KubernetesClient;
  readonly reconciler: Reconciler;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Unique per process; it names the holder of the lease. */
  readonly identity: string;
  /** Called when there has been no work for a while. */
  readonly onQuiet: () => void;
}

/** How an operator's run ended: as it was asked to, or because another one leads now. */
export type Outcome = 'stopped' | 'lease lost';

/** Writes under way get this long to end before the lease is given back. */
const graceMs = 20_000;

/** Wires caches, queue, leader election and endpoints together. */
export class Operator {
  readonly #dependencies: OperatorDependencies;
  readonly #queue: WorkQueue;
  readonly #quiet: Quiet;
  readonly #stopping = new AbortController();
  readonly #abandon = new AbortController();
  #leads = false;
  #cancelGrace: () => void = () => undefined;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
    const { options, reconciler } = dependencies;
    const lanes = {
      of: (key: string) => reconciler.laneOf(key),
      width: options.concurrentSyncs,
    };
    this.#queue = new WorkQueue({ ...dependencies, lanes });
    this.#quiet = new Quiet(dependencies.clock, dependencies.onQuiet);
  }

  /**
   * Runs until `stop` is called or the lease is lost. Caches fill before leading, so that a standby takes over at once.
   * @throws Error when an address cannot be listened on
   */
  async run(): Promise<Outcome> {
    const { options, reconciler, log } = this.#dependencies;
    const servers = await this.#listen();
    try {
      reconciler.start(this.#queue);
      // Filling the caches is work, of a standby too.
      this.#quiet.disturb();
      if (!options.leaderElection.enabled) {
        await this.#lead(this.#abandon.signal);
        return 'stopped';
      }
      const result = await this.#election().run((term) => this.#lead(term), this.#abandon.signal);
      return result === 'lost' ? 'lease lost' : 'stopped';
    } finally {
      this.#cancelGrace();
      this.#quiet.end();
      this.#queue
        .shutDown()
        .catch((error: unknown) => log.error({ error: String(error) }, 'queue'));
      await reconciler.stop();
      await Promise.all(servers.map((server) => server.close()));
      await this.#dependencies.client.close();
    }
  }

  /** Takes no new work, lets writes under way end, gives the lease back. */
  stop(): void {
    if (this.#stopping.signal.aborted) return;
    this.#dependencies.log.info({}, 'stopping');
    this.#stopping.abort();
    // A standby has nothing to end.
    if (!this.#leads) this.#abandon.abort();
    else this.#cancelGrace = this.#dependencies.clock.after(graceMs, () => this.#abandon.abort());
  }

  #election(): LeaderElection {
    const { options, client, clock, random, log, identity } = this.#dependencies;
    const { namespace, name, leaseMs, renewDeadlineMs, retryMs } = options.leaderElection;
    const times = { leaseMs, renewDeadlineMs, retryMs };
    return new LeaderElection({ client, namespace, name, identity, clock, random, log, times });
  }

  async #lead(term: AbortSignal): Promise<void> {
    const { reconciler, metrics, clock, log } = this.#dependencies;
    this.#leads = true;
    metrics.leading(true);
    const end = (): void => {
      this.#queue
        .shutDown()
        .catch((error: unknown) => log.error({ error: String(error) }, 'queue'));
    };
    const ends = AbortSignal.any([term, this.#stopping.signal]);
    if (ends.aborted) end();
    ends.addEventListener('abort', end, { once: true });
    await Promise.race([
      reconciler.synced,
      new Promise((resolve) => ends.addEventListener('abort', resolve, { once: true })),
    ]);
    await runWorkers({
      queue: this.#queue,
      signal: term,
      log,
      reconcile: async (key, signal) => {
        this.#quiet.disturb();
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
      },
    });
    metrics.leading(false);
  }

  async #listen(): Promise<EndpointServer[]> {
    const { options, reconciler, metrics } = this.#dependencies;
    const servers: EndpointServer[] = [];
    const ready = (): Answer =>
      reconciler.isSynced()
        ? { status: 200, body: 'ok\n' }
        : { status: 503, body: 'caches are not filled yet\n' };
    if (options.health !== undefined) {
      const routes = { '/healthz': () => ({ status: 200, body: 'ok\n' }), '/readyz': ready };
      servers.push(await serve(options.health, routes));
    }
    if (options.metrics !== undefined) {
      const expose = async (): Promise<Answer> => ({ status: 200, ...(await metrics.expose()) });
      servers.push(await serve(options.metrics, { '/metrics': expose }));
    }
    return servers;
  }
}
