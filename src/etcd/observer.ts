/**
 * Asks the members of all control planes' own etcds in the background. Nothing waits for it: a reconcile takes what is
 * known, and the observer requests another one when that has changed.
 */
import { isDeepStrictEqual } from 'node:util';
import { backoffMs, type Clock, type Random } from '../kubernetes/clock.ts';
import { Poller } from '../kubernetes/poller.ts';
import { askMember, type AskedPod } from './ask-member.ts';
import { isAnswer, type EtcdResult } from './answer.ts';
import { etcdView } from './view.ts';

/** A pod to ask. */
export interface ObservedPod extends AskedPod {
  /** Whether it counts as ready, so that no answer is worth another check. */
  readonly ready: boolean;
  /** Changes when it has to be asked anew, such as with its address. */
  readonly identity: string;
}

export interface ObserverOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Requests a reconcile of a Karmada (`namespace/name`). */
  readonly onChange: (key: string) => void;
  /** Other than over the network in tests. */
  readonly ask?: typeof askMember;
}

/** A check that shows something bad counts when it was repeated: an election takes no longer than a second. */
const CONFIRMING_CHECKS = 3;
const CONFIRM_MS = 1_000;

/** Pause after a bad check that counted, doubled with each further one, in milliseconds. */
const PAUSE = { base: 2_000, max: 60_000 };

/** Pause after a good one: by the members' addresses, or through another API server, which has to open each connection. */
const REST = { direct: 60_000, forwarded: 300_000 } as const;

export interface Observed {
  readonly pods: readonly ObservedPod[];
  readonly path: keyof typeof REST;
}

interface Target {
  observed: Observed;
  /** Pods that are asked, as text. */
  identity: string;
  results: readonly EtcdResult[];
  /** Checks in a row that showed something bad. */
  bad: number;
}

interface Answers {
  /** Of the pods that were asked. */
  readonly identity: string;
  readonly results: readonly EtcdResult[];
}

export class EtcdObserver {
  readonly #options: ObserverOptions;
  readonly #poller: Poller<Target, Answers>;

  constructor(options: ObserverOptions) {
    this.#options = options;
    const { clock, random } = options;
    this.#poller = new Poller({
      clock,
      check: (target, signal) => this.#ask(target, signal),
      onResult: (key, target, answers) => this.#record(key, target, answers),
      pauseMs: (target) => pauseMs(target, random),
    });
  }

  /** What is known of the members, each with its time. @param key `namespace/name` of the Karmada */
  results(key: string): readonly EtcdResult[] {
    return this.#poller.get(key)?.results ?? [];
  }

  /** Says which pods there are; they are asked at once when they are others than before. Waits for nothing. */
  observe(key: string, observed: Observed): void {
    const identity = identityOf(observed);
    const known = this.#poller.get(key);
    if (known === undefined) {
      this.#poller.add(key, { observed, identity, results: [], bad: 0 });
      return;
    }
    known.observed = observed;
    if (known.identity === identity) return;
    Object.assign(known, { identity, bad: 0 });
    this.#poller.check(key);
  }

  /** Ends the checks for a control plane that is gone or that the operator leaves alone. */
  forget(key: string): void {
    this.#poller.forget(key);
  }

  /** Aborts all checks. */
  close(): void {
    this.#poller.close();
  }

  async #ask({ observed, identity }: Target, signal: AbortSignal): Promise<Answers> {
    const { clock, ask = askMember } = this.#options;
    const asked = observed.pods.map((pod) => ask(pod, () => clock.wall(), signal));
    return { identity, results: await Promise.all(asked) };
  }

  #record(key: string, target: Target, { identity, results }: Answers): void {
    // The pods have changed since they were asked; the poller asks the new ones next.
    if (identity !== target.identity) return;
    target.bad = isGood(target.observed, results, this.#options.clock.wall()) ? 0 : target.bad + 1;
    if (target.bad > 0 && target.bad < CONFIRMING_CHECKS) return;
    const isSame = isDeepStrictEqual(target.results.map(lasting), results.map(lasting));
    target.results = results;
    if (!isSame) this.#options.onChange(key);
  }
}

const identityOf = ({ path, pods }: Observed): string =>
  JSON.stringify([
    path,
    pods.map(({ name, uid, ready, identity }) => [name, uid, ready, identity]),
  ]);

function pauseMs({ bad, observed }: Target, random: Random): number {
  const rest = REST[observed.path];
  if (bad === 0) return backoffMs(0, { base: rest, max: rest }, random);
  if (bad < CONFIRMING_CHECKS) return CONFIRM_MS;
  return backoffMs(bad - CONFIRMING_CHECKS, PAUSE, random);
}

/** Whether the members are of one cluster, and every pod that is ready serves in it. */
function isGood({ pods }: Observed, results: readonly EtcdResult[], now: number): boolean {
  const { serving, splitBrain } = etcdView(results, pods, now);
  return (
    splitBrain === undefined && pods.every(({ name, ready }) => !ready || serving.includes(name))
  );
}

/** What of a result is worth telling: counters and times change all the time. */
function lasting(result: EtcdResult): object {
  const stays = { ...result, at: 0 };
  return isAnswer(result) ? { ...stays, raftIndex: '', term: '' } : stays;
}
