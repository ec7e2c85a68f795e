/**
 * Checks the external etcds of all control planes in the background. It requests a reconcile when a result changes.
 * Why polling: the operator has no watch on Secrets of other namespaces, and etcd health has no event.
 */
import type { Karmada } from '../api/karmada.ts';
import { PrefixConflicts } from './prefix-conflict.ts';
import { isDeepStrictEqual } from 'node:util';
import type { SecretPolicy } from '../api/secrets/secret-grant.ts';
import type { AddressesOf } from '../kubernetes/connection/addresses.ts';
import { backoffMs, type Log } from '../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import { BackgroundSlots } from '../kubernetes/fairness/background-slots.ts';
import { Poller, type BackgroundOptions } from '../kubernetes/client/poller.ts';
import { ThreadShares } from '../kubernetes/fairness/thread-shares.ts';
import { probeEndpoint } from './probe.ts';
import { checkEtcd, type EtcdCheck, type EtcdCheckRequest } from './check.ts';

export interface ExternalEtcdsOptions extends BackgroundOptions {
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly secretPolicy: SecretPolicy;
  readonly addresses: AddressesOf;
  readonly log: Log;
  /** Turns that the checks share with other work; by default only the checks. */
  readonly thread?: Pick<ThreadShares, 'run'>;
  /** Replaces the network probe in tests. */
  readonly ask?: typeof probeEndpoint;
}

/** Exponential backoff after failed checks, in milliseconds. */
const PAUSE = { base: 2_000, max: 30_000 };

/** Interval after a successful check, in milliseconds. A changed Secret is detected at the latest then. */
const HEALTHY_PAUSE_MS = 60_000;

/**
 * Checks at once. Namespaces take turns: the checks of one, whose etcds may not respond, never use all slots. A check that takes longer
 * than `slowAfterMs` leaves its slot to other namespaces.
 */
const CHECKS = { count: 32, groupCount: 16, slowAfterMs: 200 };

interface Target {
  readonly want: EtcdCheckRequest;
  /** JSON of `want`. */
  readonly identity: string;
  /** `uid/generation` of the Karmada object. */
  generation: string;
  check: EtcdCheck | undefined;
  failures: number;
}

export class ExternalEtcds {
  readonly #options: ExternalEtcdsOptions;
  readonly #poller: Poller<Target, EtcdCheck>;
  readonly #conflicts = new PrefixConflicts();

  constructor(options: ExternalEtcdsOptions) {
    this.#options = options;
    const { client, secretPolicy, addresses, clock, random, log, ask = probeEndpoint } = options;
    const { thread = new ThreadShares(clock) } = options;
    const slots = new BackgroundSlots({ clock, ...CHECKS });
    const tools = { client, secretPolicy, addresses, wall: () => clock.wall(), ask, thread };
    this.#poller = new Poller({
      clock,
      log,
      check: ({ want }, signal) => {
        const flow = { group: want.namespace, tenant: '' };
        return slots.run(() => checkEtcd(tools, want, signal), { flow, signal });
      },
      onResult: (key, target, check) => this.#record(key, target, check),
      pauseMs: ({ failures }) =>
        failures === 0 ? HEALTHY_PAUSE_MS : backoffMs(failures - 1, PAUSE, random),
    });
  }

  /**
   * Returns the last result for a control plane without waiting. Starts checks for a new or changed `want`.
   * @param key `namespace/name` of the Karmada object
   * @param generation changes with the spec; a spec change ends the backoff, because the user expects a new check
   * @returns undefined until the first check has completed
   */
  of(key: string, generation: string, want: EtcdCheckRequest): EtcdCheck | undefined {
    const identity = JSON.stringify(want);
    const known = this.#poller.get(key);
    if (known?.identity !== identity) {
      this.#poller.add(key, { want, identity, generation, check: undefined, failures: 0 });
      return undefined;
    }
    if (known.generation !== generation && known.failures > 0) this.#poller.check(key);
    known.generation = generation;
    return known.check;
  }

  /** Returns the Karmada that uses the same key range and was created before. @param others see `PrefixConflicts.find` */
  earlierUserOf<T extends Karmada>(karmada: Karmada, others: readonly T[]): T | undefined {
    return this.#conflicts.find(karmada, others);
  }

  /** Invalidates the last result: checks again and requests a reconcile. */
  again(key: string): void {
    if (this.#poller.get(key) === undefined) return;
    this.#poller.check(key);
    this.#options.onChange(key);
  }

  /** Ends the checks for a Karmada that is deleted or that the operator does not reconcile. */
  forget(key: string): void {
    this.#poller.forget(key);
  }

  /** Aborts all checks. */
  close(): void {
    this.#poller.close();
  }

  #record(key: string, target: Target, check: EtcdCheck): void {
    const isSame = isDeepStrictEqual(target.check, check);
    target.check = check;
    // A new control plane waits until it is known whose data the etcd has.
    const isKnown = check.outcome === 'served' && check.data !== undefined;
    target.failures = isKnown ? 0 : target.failures + 1;
    if (isSame) return;
    this.#report(key, check);
    this.#options.onChange(key);
  }

  #report(key: string, check: EtcdCheck): void {
    const { log } = this.#options;
    const problem = check.outcome === 'served' ? check.down : check.problem;
    if (problem === undefined) log.info({ karmada: key }, 'external etcd healthy');
    else log.warn({ karmada: key, ...problem }, 'external etcd check failed');
  }
}
