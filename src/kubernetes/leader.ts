import { sleep, type Clock, type Log, type Random } from './clock.ts';
import type { KubernetesClient } from './contract.ts';
import { errorText, isStatus } from './errors.ts';
import type { KubernetesObject } from './object.ts';
import { apiVersionOf, resources } from './resources.ts';

/** Durations of an election in milliseconds. */
export interface LeaseTimes {
  /** Others may take over when the lease has not been renewed for this long. */
  readonly leaseMs: number;
  /** The holder gives up when it could not renew for this long; must be below `leaseMs`. */
  readonly renewDeadlineMs: number;
  /** Pause between two attempts to get or to renew the lease. */
  readonly retryMs: number;
}

/** The values of client-go's leader election. */
export const DEFAULT_LEASE_TIMES: LeaseTimes = {
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2_000,
};

export interface LeaderOptions {
  readonly client: Pick<KubernetesClient, 'find' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly times?: LeaseTimes;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** What was last seen of the lease, and when (monotonic) it was first seen in this version. */
interface Sighting {
  readonly version: string;
  readonly at: number;
}

/**
 * Leader election on a coordination.k8s.io Lease. Whether a lease has run out is judged by when *this*
 * process saw its resource version change, never by the times written in it: clocks may differ.
 */
export class LeaderElection {
  readonly #options: LeaderOptions;
  readonly #times: LeaseTimes;
  #sighting: Sighting | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_LEASE_TIMES;
  }

  /**
   * Waits for the lease, then runs `lead` once with the term's signal, which is aborted the moment the
   * lease is lost or `signal` is. The lease is released only when `lead` has ended, so no write of
   * this term can meet a successor's; a lost lease is not touched.
   * @returns 'released' after an orderly end, 'lost' when the term ended against our will, 'stopped' when `signal` came before we led
   */
  async run(
    lead: (term: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<'released' | 'lost' | 'stopped'> {
    if (!(await this.#acquire(signal))) return 'stopped';
    const { log, identity } = this.#options;
    log.info({ identity }, 'leading');
    const term = new AbortController();
    const stop = (): void => term.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const ended = new AbortController();
    const keeping = this.#keep(term, ended.signal);
    try {
      await lead(term.signal);
    } finally {
      ended.abort();
      signal.removeEventListener('abort', stop);
    }
    if ((await keeping) === 'lost') return 'lost';
    await this.#release();
    return 'released';
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, random, log } = this.#options;
    while (!signal.aborted) {
      try {
        if (await this.#tryOnce(signal)) return true;
      } catch (error) {
        if (!signal.aborted) log.warn({ error: errorText(error) }, 'cannot read the leader lease');
      }
      await sleep(clock, this.#times.retryMs * (1 + random() * 0.2), signal);
    }
    return false;
  }

  /** Renews until `ended`, or until the renew deadline passes: then the term is aborted first of all. */
  async #keep(term: AbortController, ended: AbortSignal): Promise<'kept' | 'lost'> {
    const { clock, log } = this.#options;
    let renewedAt = clock.monotonic();
    let lost = false;
    const lose = (why: string): void => {
      if (lost || ended.aborted) return;
      lost = true;
      term.abort(new Error(`the leader lease is lost: ${why}`));
      log.error({ why }, 'leader lease lost');
    };
    const { renewDeadlineMs, retryMs } = this.#times;
    let cancelDeadline = clock.after(renewDeadlineMs, () =>
      lose('it could not be renewed in time'),
    );
    while (!ended.aborted && !lost) {
      await sleep(clock, retryMs, ended);
      if (ended.aborted || lost) break;
      const began = clock.monotonic();
      try {
        if (await this.#tryOnce(ended)) {
          renewedAt = began;
          cancelDeadline();
          const left = renewDeadlineMs - (clock.monotonic() - renewedAt);
          cancelDeadline = clock.after(left, () => lose('it could not be renewed in time'));
        } else if (!ended.aborted) {
          lose('another process holds it');
        }
      } catch (error) {
        if (!ended.aborted) log.warn({ error: errorText(error) }, 'cannot renew the leader lease');
      }
    }
    cancelDeadline();
    return lost ? 'lost' : 'kept';
  }

  /** One attempt to hold the lease; false when somebody else holds it or was faster. */
  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    const { client, namespace, name, clock } = this.#options;
    const call = { signal, timeoutMs: this.#times.leaseMs - this.#times.renewDeadlineMs };
    const lease = await client.find(resources.Lease, { namespace, name }, call);
    if (lease !== undefined && this.#heldByOther(lease)) return false;
    const began = clock.monotonic();
    try {
      const next = this.#leaseObject(lease, this.#claim(specOf(lease)));
      const written = await (lease === undefined
        ? client.create(next, call)
        : client.replace(next, call));
      this.#sighting = { version: written.metadata.resourceVersion ?? '', at: began };
      return true;
    } catch (error) {
      if (isStatus(error, 409)) return false;
      throw error;
    }
  }

  #heldByOther(lease: KubernetesObject): boolean {
    const spec = specOf(lease);
    const holder = spec.holderIdentity ?? '';
    if (holder === '' || holder === this.#options.identity) return false;
    const now = this.#options.clock.monotonic();
    const version = lease.metadata.resourceVersion ?? '';
    if (this.#sighting?.version !== version) this.#sighting = { version, at: now };
    const duration = (spec.leaseDurationSeconds ?? 0) * 1000 || this.#times.leaseMs;
    return now - this.#sighting.at < duration;
  }

  #claim(spec: LeaseSpec): LeaseSpec {
    const { identity } = this.#options;
    const now = microTime(this.#options.clock.wall());
    const mine = spec.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseMs / 1000),
      acquireTime: mine ? (spec.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (spec.leaseTransitions ?? 0) + (mine ? 0 : 1),
    };
  }

  #leaseObject(lease: KubernetesObject | undefined, spec: LeaseSpec): KubernetesObject {
    const { namespace, name } = this.#options;
    return {
      apiVersion: apiVersionOf(resources.Lease),
      kind: resources.Lease.kind,
      metadata: lease?.metadata ?? { namespace, name },
      spec,
    };
  }

  /** Lets a standby take over at once. A failure costs it only the rest of the lease. */
  async #release(): Promise<void> {
    const { client, namespace, name, identity, clock, log } = this.#options;
    try {
      const lease = await client.find(resources.Lease, { namespace, name }, { timeoutMs: 2_000 });
      const spec = specOf(lease);
      if (lease === undefined || spec.holderIdentity !== identity) return;
      const freed: LeaseSpec = {
        holderIdentity: '',
        leaseDurationSeconds: 1,
        renewTime: microTime(clock.wall()),
        leaseTransitions: spec.leaseTransitions ?? 0,
      };
      await client.replace(this.#leaseObject(lease, freed), { timeoutMs: 2_000 });
    } catch (error) {
      log.warn({ error: errorText(error) }, 'cannot release the leader lease');
    }
  }
}

function specOf(lease: KubernetesObject | undefined): LeaseSpec {
  return (lease?.spec ?? {}) as LeaseSpec;
}

/** RFC 3339 with six decimals, as the MicroTime of Leases and Events wants it. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
