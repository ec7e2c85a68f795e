/**
 * The external etcds of all control planes. The operator checks them in the background and requests a reconcile when a
 * result changes: no event tells when a Secret in another namespace, or an etcd, does.
 */
import { isDeepStrictEqual } from 'node:util';
import type { SecretPolicy } from '../api/secret-grant.ts';
import type { AddressPolicy } from '../kubernetes/addresses.ts';
import { backoffMs, type Clock, type Log, type Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { Poller } from '../kubernetes/poller.ts';
import { askMember } from './ask.ts';
import { checkEtcd, type EtcdCheck, type EtcdWant } from './check.ts';

export interface ExternalEtcdsOptions {
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly secretPolicy: SecretPolicy;
  readonly addresses: AddressPolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Requests a reconcile of a Karmada (`namespace/name`). */
  readonly onChange: (key: string) => void;
  /** Other than over the network in tests. */
  readonly ask?: typeof askMember;
}

/** Pause after a check that found a problem, in milliseconds, doubled with each further one. */
const PAUSE = { base: 2_000, max: 30_000 };

/** Pause after one that found none: also how long a changed Secret may go unnoticed. */
const REST_MS = 60_000;

interface Target {
  readonly want: EtcdWant;
  /** The want as text. */
  readonly identity: string;
  /** The Karmada's uid and generation. */
  generation: string;
  check: EtcdCheck | undefined;
  failures: number;
}

export class ExternalEtcds {
  readonly #options: ExternalEtcdsOptions;
  readonly #poller: Poller<Target, EtcdCheck>;

  constructor(options: ExternalEtcdsOptions) {
    this.#options = options;
    const { client, secretPolicy, addresses, clock, random, ask = askMember } = options;
    const tools = { client, secretPolicy, addresses, wall: () => clock.wall(), ask };
    this.#poller = new Poller({
      clock,
      check: ({ want }, signal) => checkEtcd(tools, want, signal),
      onResult: (key, target, check) => this.#record(key, target, check),
      pauseMs: ({ failures }) =>
        failures === 0 ? REST_MS : backoffMs(failures - 1, PAUSE, random),
    });
  }

  /**
   * What is known of the etcd of a control plane; undefined until the first check has ended. Waits for nothing.
   * @param key `namespace/name` of the Karmada
   * @param generation changes with the Karmada's spec: a user who has just changed it does not want to wait
   */
  of(key: string, generation: string, want: EtcdWant): EtcdCheck | undefined {
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

  /** The last result no longer holds: checks again and requests a reconcile. */
  again(key: string): void {
    if (this.#poller.get(key) === undefined) return;
    this.#poller.check(key);
    this.#options.onChange(key);
  }

  /** Ends the checks for a Karmada that is gone or that the operator leaves alone. */
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
    target.failures = check.outcome === 'served' ? 0 : target.failures + 1;
    if (isSame) return;
    this.#report(key, check);
    this.#options.onChange(key);
  }

  #report(key: string, check: EtcdCheck): void {
    const { log } = this.#options;
    const problem = check.outcome === 'served' ? check.down : check.problem;
    if (problem === undefined) log.info({ karmada: key }, 'external etcd serves');
    else log.warn({ karmada: key, ...problem }, 'external etcd is not as it should be');
  }
}
