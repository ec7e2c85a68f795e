/**
 * The external etcds of all instances. They are looked at in the background, again and again, and another pass is
 * asked for when something has changed: nobody tells when a Secret of somebody else or an etcd does.
 */
import { isDeepStrictEqual } from 'node:util';
import { backoffMs, type Clock, type Log, type Random } from '../kubernetes/clock.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { askMember } from './ask.ts';
import { checkEtcd, type EtcdCheck, type EtcdWant } from './check.ts';

export interface ExternalEtcdsOptions {
  readonly client: Pick<KubernetesClient, 'find'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Asks for another pass over an instance (`namespace/name`). */
  readonly onChange: (key: string) => void;
  /** Other than over the network in tests. */
  readonly ask?: typeof askMember;
}

/** Pause after a look that found fault, in milliseconds, doubled with each further one. */
const PAUSE = { base: 2_000, max: 30_000 };

/** Pause after one that did not: also how long a changed Secret may go unnoticed. */
const REST_MS = 60_000;

interface Looked {
  /** The want as text. */
  readonly identity: string;
  readonly abort: AbortController;
  /** The Karmada's uid and generation. */
  generation: string;
  running: boolean;
  check: EtcdCheck | undefined;
  failures: number;
  /** To be looked at now, and not only when its time comes. */
  due: boolean;
  cancelTimer: () => void;
}

export class ExternalEtcds {
  readonly #options: ExternalEtcdsOptions;
  readonly #looked = new Map<string, Looked>();

  constructor(options: ExternalEtcdsOptions) {
    this.#options = options;
  }

  /**
   * What is known of the etcd of an instance; undefined until the first look is over. Waits for nothing.
   * @param key `namespace/name` of the Karmada
   * @param generation changes with the Karmada's spec: whoever has just changed it does not want to wait
   */
  of(key: string, generation: string, want: EtcdWant): EtcdCheck | undefined {
    const looked = this.#enter(key, generation, want);
    if (looked.due && !looked.running) void this.#look(key, looked, want);
    return looked.check;
  }

  /** What was seen does not hold any more: another pass looks again. */
  again(key: string): void {
    const looked = this.#looked.get(key);
    if (looked === undefined) return;
    looked.due = true;
    this.#options.onChange(key);
  }

  /** An instance is gone, or is not looked at for now. */
  forget(key: string): void {
    const looked = this.#looked.get(key);
    this.#looked.delete(key);
    looked?.cancelTimer();
    looked?.abort.abort();
  }

  /** Ends what is under way. */
  close(): void {
    for (const key of [...this.#looked.keys()]) this.forget(key);
  }

  #enter(key: string, generation: string, want: EtcdWant): Looked {
    const identity = JSON.stringify(want);
    const known = this.#looked.get(key);
    if (known?.identity === identity) {
      if (known.generation !== generation && known.failures > 0) known.due = true;
      known.generation = generation;
      return known;
    }
    this.forget(key);
    const looked: Looked = {
      identity,
      abort: new AbortController(),
      generation,
      running: false,
      check: undefined,
      failures: 0,
      due: true,
      cancelTimer: () => undefined,
    };
    this.#looked.set(key, looked);
    return looked;
  }

  async #look(key: string, looked: Looked, want: EtcdWant): Promise<void> {
    const { client, clock, random, ask = askMember } = this.#options;
    const { signal } = looked.abort;
    Object.assign(looked, { running: true, due: false });
    looked.cancelTimer();
    const check = await checkEtcd({ client, wall: () => clock.wall(), ask }, want, signal);
    if (signal.aborted) return;
    const before = looked.check;
    const pause = check.outcome === 'served' ? REST_MS : backoffMs(looked.failures, PAUSE, random);
    looked.running = false;
    looked.check = check;
    looked.failures = check.outcome === 'served' ? 0 : looked.failures + 1;
    looked.cancelTimer = clock.after(pause, () => void this.#look(key, looked, want));
    const same = isDeepStrictEqual(before, check);
    if (!same) this.#tell(key, check);
    if (!same || looked.due) this.#options.onChange(key);
  }

  #tell(key: string, check: EtcdCheck): void {
    const { log } = this.#options;
    const problem = check.outcome === 'served' ? check.down : check.problem;
    if (problem === undefined) log.info({ karmada: key }, 'external etcd serves');
    else log.warn({ karmada: key, ...problem }, 'external etcd is not as it should be');
  }
}
