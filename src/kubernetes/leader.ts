import { sleep, type Clock, type Log, type Random } from './clock.ts';
import type { CallOptions, KubernetesClient } from './contract.ts';
import { errorText, isNotFound, isStatus } from './errors.ts';
import { microTime, specOf, type LeaseSpec } from './lease.ts';
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
const DEFAULT_LEASE_TIMES: LeaseTimes = {
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
  /** Ends the election when the role does not allow the lease; otherwise it is tried on. */
  readonly isOptional?: boolean;
  /** Called once for each other holder of the lease that is waited for. */
  readonly onOther?: (holder: string) => void;
}

/** Who was last seen to hold the lease, and when (monotonic) it was first seen in this version. */
interface Sighting {
  readonly version: string;
  readonly at: number;
  readonly holder: string;
}

/**
 * Leader election on a coordination.k8s.io Lease. Whether a lease has run out is judged by when *this*
 * process saw its resource version change, never by the times written in it: clocks may differ.
 */
export class LeaderElection {
  readonly #options: LeaderOptions;
  readonly #times: LeaseTimes;
  #sighting: Sighting | undefined;
  /** The lease as we wrote it last; renewing it needs no read. */
  #held: KubernetesObject | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_LEASE_TIMES;
  }

  /**
   * Waits for the lease, then runs `lead` once with the term's signal, which is aborted the moment the
   * lease is lost or `signal` is. The lease is released only when `lead` has ended, so no write of
   * this term can meet a successor's; a lost lease is not touched.
   * @returns 'released' after an orderly end, 'lost' when the term ended against our will, 'stopped' when `signal` came
   * before we led, 'forbidden' when the role does not allow a lease that is optional: `lead` was not called
   */
  async run(
    lead: (term: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<'released' | 'lost' | 'stopped' | 'forbidden'> {
    const acquired = await this.#acquire(signal);
    if (acquired !== 'held') return acquired;
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

  async #acquire(signal: AbortSignal): Promise<'held' | 'stopped' | 'forbidden'> {
    const { clock, random, log, isOptional } = this.#options;
    for (let told = ''; !signal.aborted;) {
      try {
        if ((await this.#tryOnce(signal)) === 'held') return 'held';
        told = this.#tell(told);
      } catch (error) {
        if (isOptional === true && isStatus(error, 403)) return 'forbidden';
        if (!signal.aborted) log.warn({ error: errorText(error) }, 'cannot read the leader lease');
      }
      await sleep(clock, this.#times.retryMs * (1 + random() * 0.2), signal);
    }
    return 'stopped';
  }

  /** @param told holder that was told of last @returns the present one, told of */
  #tell(told: string): string {
    const { holder = '' } = this.#sighting ?? {};
    if (holder !== told) this.#options.onOther?.(holder);
    return holder;
  }

  /** Renews until `ended`, or until the renew deadline passes: then the term is aborted first of all. */
  async #keep(term: AbortController, ended: AbortSignal): Promise<'kept' | 'lost'> {
    const { clock, log } = this.#options;
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
        const state = await this.#renew(ended);
        if (state === 'other') lose('another process holds it');
        if (state !== 'held') continue;
        cancelDeadline();
        const left = renewDeadlineMs - (clock.monotonic() - began);
        cancelDeadline = clock.after(left, () => lose('it could not be renewed in time'));
      } catch (error) {
        if (!ended.aborted) log.warn({ error: errorText(error) }, 'cannot renew the leader lease');
      }
    }
    cancelDeadline();
    return lost ? 'lost' : 'kept';
  }

  /** Whoever wrote the lease meanwhile, a second look tells whether it is still ours. */
  async #renew(signal: AbortSignal): Promise<'held' | 'other' | 'raced'> {
    const first = await this.#tryOnce(signal);
    return first === 'raced' ? this.#tryOnce(signal) : first;
  }

  /**
   * One attempt to get or to keep the lease. 'raced': somebody wrote it at the same moment, which says
   * nothing about who holds it.
   */
  async #tryOnce(signal: AbortSignal): Promise<'held' | 'other' | 'raced'> {
    const { client, clock } = this.#options;
    const call = { signal, timeoutMs: this.#times.leaseMs - this.#times.renewDeadlineMs };
    const lease = this.#held ?? (await this.#find(call));
    if (lease !== undefined && this.#heldByOther(lease)) return 'other';
    const began = clock.monotonic();
    const next = this.#leaseObject(lease, this.#claim(specOf(lease)));
    this.#held = undefined;
    try {
      const written = await (lease === undefined
        ? client.create(next, call)
        : client.replace(next, call));
      this.#held = written;
      this.#sighting = {
        version: written.metadata.resourceVersion ?? '',
        at: began,
        holder: this.#options.identity,
      };
      return 'held';
    } catch (error) {
      if (isStatus(error, 409) || isNotFound(error)) return 'raced';
      throw error;
    }
  }

  #find(call: CallOptions): Promise<KubernetesObject | undefined> {
    const { client, namespace, name } = this.#options;
    return client.find(resources.Lease, { namespace, name }, call);
  }

  #heldByOther(lease: KubernetesObject): boolean {
    const spec = specOf(lease);
    const holder = spec.holderIdentity ?? '';
    if (holder === '' || holder === this.#options.identity) return false;
    const now = this.#options.clock.monotonic();
    const version = lease.metadata.resourceVersion ?? '';
    if (this.#sighting?.version !== version) this.#sighting = { version, at: now, holder };
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
    const { client, identity, clock, log } = this.#options;
    this.#held = undefined;
    try {
      const lease = await this.#find({ timeoutMs: 2_000 });
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
