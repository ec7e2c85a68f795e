import { sleep, type Clock, type Log, type Random } from '../time/clock.ts';
import type { CallOptions, KubernetesClient } from '../client/client-interface.ts';
import { errorText, isNotFound, isStatus } from '../client/errors.ts';
import { DEFAULT_LEASE_TIMES, microTime, specOf, type LeaseTimes } from '../objects/lease.ts';
import type { LeaseSpec } from '../objects/kinds.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { apiVersionOf, resources } from '../objects/resources.ts';
import { LeaseLostError, NOT_RENEWED } from '../time/term.ts';

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
  /** If true, the election ends when RBAC denies access to the lease. Otherwise it retries. */
  readonly isOptional?: boolean;
  /** Called once for each other holder that this process waits for. */
  readonly onOther?: (holder: string) => void;
  /** Called after each renewal with the monotonic time of the next renew deadline. */
  readonly onRenewed?: (deadline: number) => void;
}

/** Unfinished if writes may still be in progress, so that the lease must not be released. */
export type Led = undefined | 'unfinished';

/** Last observed holder and version of the lease, with the monotonic time of the first observation. */
interface Sighting {
  readonly version: string;
  readonly at: number;
  readonly holder: string;
}

/**
 * Leader election with a coordination.k8s.io Lease. A lease expires relative to the time at which *this* process
 * observed its last resourceVersion. The times in the Lease do not count, because clocks may differ.
 */
export class LeaderElection {
  readonly #options: LeaderOptions;
  readonly #times: LeaseTimes;
  #sighting: Sighting | undefined;
  /** Last written lease, so that a renewal needs no read. */
  #held: KubernetesObject | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_LEASE_TIMES;
  }

  /**
   * Waits for the lease, then runs `lead` once. The signal of `lead` is aborted when the lease is lost or `signal` is
   * aborted. The lease is released after `lead` has ended, so writes of two leaders never overlap. A lost lease is not
   * changed.
   * @returns 'released' after a regular end, 'kept' when `lead` did not finish or another lease was lost, 'lost' when the
   * lease was lost, 'stopped' when `signal` was aborted before the lease was acquired, 'forbidden' when RBAC denies an
   * optional lease; `lead` is not called in the last two cases
   */
  async run(
    lead: (term: AbortSignal) => Promise<Led>,
    signal: AbortSignal,
  ): Promise<'released' | 'kept' | 'lost' | 'stopped' | 'forbidden'> {
    const acquired = await this.#acquire(signal);
    if (acquired !== 'held') return acquired;
    this.#options.log.info(this.#about(), 'leader lease acquired');
    const term = new AbortController();
    const stop = (): void => term.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const ended = new AbortController();
    const keeping = this.#keep(term, ended.signal);
    let led: Led;
    try {
      led = await lead(term.signal);
    } finally {
      ended.abort();
      signal.removeEventListener('abort', stop);
    }
    if ((await keeping) === 'lost') return 'lost';
    // After the loss of another lease, its next holder may use this one already.
    if (led === 'unfinished' || signal.reason instanceof LeaseLostError) return 'kept';
    await this.#release();
    return 'released';
  }

  async #acquire(signal: AbortSignal): Promise<'held' | 'stopped' | 'forbidden'> {
    const { clock, random, log, isOptional } = this.#options;
    for (let reported = ''; !signal.aborted;) {
      try {
        if ((await this.#tryOnce(signal)) === 'held') return 'held';
        reported = this.#report(reported);
      } catch (error) {
        if (isOptional === true && isStatus(error, 403)) return 'forbidden';
        const fields = this.#about({ error: errorText(error) });
        if (!signal.aborted) log.warn(fields, 'acquiring the leader lease failed, will retry');
      }
      await sleep(clock, this.#times.retryMs * (1 + random() * 0.2), signal);
    }
    return 'stopped';
  }

  /** Calls `onOther` if the holder changed since the last call. @returns the current holder */
  #report(reported: string): string {
    const { holder = '' } = this.#sighting ?? {};
    if (holder !== reported) this.#options.onOther?.(holder);
    return holder;
  }

  /** Renews the lease until `ended`. When the renew deadline passes, it aborts the term immediately. */
  async #keep(term: AbortController, ended: AbortSignal): Promise<'kept' | 'lost'> {
    const { clock, log } = this.#options;
    let lost = false;
    const lose = (why: string): void => {
      if (lost || ended.aborted) return;
      lost = true;
      term.abort(new LeaseLostError(why));
      log.error(this.#about({ why }), 'leader lease lost');
    };
    const { renewDeadlineMs, retryMs } = this.#times;
    const expire = (ms: number): (() => void) => clock.after(ms, () => lose(NOT_RENEWED));
    let cancelDeadline = expire(renewDeadlineMs);
    while (!ended.aborted && !lost) {
      await sleep(clock, retryMs, ended);
      if (ended.aborted || lost) break;
      const began = clock.monotonic();
      try {
        const state = await this.#renew(ended);
        if (state === 'other') lose('held by another process');
        if (state !== 'held') continue;
        cancelDeadline();
        cancelDeadline = expire(renewDeadlineMs - (clock.monotonic() - began));
      } catch (error) {
        if (!ended.aborted)
          log.warn(this.#about({ error: errorText(error) }), 'renewing the leader lease failed');
      }
    }
    cancelDeadline();
    return lost ? 'lost' : 'kept';
  }

  /** Renews the lease. After a concurrent write it reads the lease again to find the current holder. */
  async #renew(signal: AbortSignal): Promise<'held' | 'other' | 'raced'> {
    const first = await this.#tryOnce(signal);
    return first === 'raced' ? this.#tryOnce(signal) : first;
  }

  /**
   * One attempt to acquire or renew the lease. 'raced' means that another client wrote the Lease concurrently, so its
   * holder is unknown.
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
      this.#options.onRenewed?.(began + this.#times.renewDeadlineMs);
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

  #about(more: object = {}): object {
    const { namespace, name, identity } = this.#options;
    return { lease: `${namespace}/${name}`, identity, ...more };
  }

  /** Releases the lease, so that a standby takes over at once. After a failure the standby waits until it expires. */
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
      log.warn(this.#about({ error: errorText(error) }), 'releasing the leader lease failed');
    }
  }
}
