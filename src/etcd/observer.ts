/**
 * Probes the members of all local etcds in the background. A reconcile never waits for a probe: it uses the known
 * results, and the observer requests another reconcile when the results change.
 */
import { isDeepStrictEqual } from 'node:util';
import { backoffMs, type Random } from '../kubernetes/time/clock.ts';
import { BackgroundSlots } from '../kubernetes/fairness/background-slots.ts';
import { firstBy } from '../kubernetes/objects/first-by.ts';
import { namespaceOf } from '../kubernetes/objects/resources.ts';
import { Poller, type BackgroundOptions } from '../kubernetes/client/poller.ts';
import { queryMember, type QueriedPod } from './query-member.ts';
import { isAnswer, NO_LEADER, type EtcdResult } from './member-status.ts';
import { roundedSize } from './rounded-size.ts';
import {
  databaseSize,
  isAlmostFull,
  isFragmented,
  isShrinkable,
  type DatabaseSize,
} from './database-size.ts';
import { etcdView } from './view.ts';

/** A Pod whose etcd member the observer probes. */
export interface ObservedPod extends QueriedPod {
  /** Whether the Pod is ready. Only then a failed probe leads to an early retry. */
  readonly ready: boolean;
  /** Changes when a new probe is necessary, for example with the address of the Pod. */
  readonly identity: string;
}

export interface ObserverOptions extends BackgroundOptions {
  /** Probe function; tests replace it. */
  readonly ask?: typeof queryMember;
}

/** Number of consecutive bad checks before a failure counts. A leader election fails checks for up to a second. */
const CONFIRMING_CHECKS = 3;
const CONFIRM_MS = 1_000;

/** Backoff after a confirmed failure in milliseconds; doubles with each further bad check. */
const PAUSE = { base: 2_000, max: 60_000 };

/** Pause after a good check in milliseconds. Probes by port-forward are rarer, because they load the API server. */
const REST = { direct: 15_000, forwarded: 60_000 } as const;

/**
 * Probes of control planes at once. Namespaces take turns: the probes of one, whose members may not respond, never use all slots. With 32
 * of them, 1,000 such control planes are probed before `OLDEST_ANSWER_MS`. A probe that takes longer than `slowAfterMs` leaves its slot to
 * other namespaces.
 */
const PROBES = { count: 64, groupCount: 32, slowAfterMs: 200 };

export interface Observed {
  readonly pods: readonly ObservedPod[];
  readonly path: keyof typeof REST;
}

interface Target {
  readonly namespace: string;
  observed: Observed;
  /** Identity of the probed Pods as text. */
  identity: string;
  results: readonly EtcdResult[];
  /** Number of consecutive bad checks. */
  bad: number;
}

interface Answers {
  /** Identity of the probed Pods. */
  readonly identity: string;
  readonly results: readonly EtcdResult[];
}

/** Probes etcd members periodically and keeps the latest results of each control plane. */
export class EtcdObserver {
  readonly #options: ObserverOptions;
  readonly #poller: Poller<Target, Answers>;
  readonly #slots: BackgroundSlots;

  constructor(options: ObserverOptions) {
    this.#options = options;
    const { clock, random, log } = options;
    this.#slots = new BackgroundSlots({ clock, ...PROBES });
    this.#poller = new Poller({
      clock,
      log,
      check: (target, signal) => {
        const flow = { group: target.namespace, tenant: '' };
        return this.#slots.run(() => this.#ask(target, signal), { flow, signal });
      },
      onResult: (key, target, answers) => this.#record(key, target, answers),
      pauseMs: (target) => pauseMs(target, random),
    });
  }

  /** Latest result of each member with its time. @param key `namespace/name` of the Karmada object */
  results(key: string): readonly EtcdResult[] {
    return this.#poller.get(key)?.results ?? [];
  }

  /** Sets the Pods to probe. Changed Pods are probed at once in the background. */
  observe(key: string, observed: Observed): void {
    const identity = identityOf(observed);
    const known = this.#poller.get(key);
    if (known === undefined) {
      this.#poller.add(key, {
        namespace: namespaceOf(key),
        observed,
        identity,
        results: [],
        bad: 0,
      });
      return;
    }
    known.observed = observed;
    if (known.identity === identity) return;
    Object.assign(known, { identity, bad: 0 });
    this.#poller.check(key);
  }

  /** Probes the members at once, because the operator has changed them. */
  again(key: string): void {
    this.#poller.check(key);
  }

  /** Stops the checks of a control plane that is deleted or not reconciled. */
  forget(key: string): void {
    this.#poller.forget(key);
  }

  /** Aborts all checks. */
  close(): void {
    this.#poller.close();
  }

  async #ask({ observed, identity }: Target, signal: AbortSignal): Promise<Answers> {
    const { clock, ask = queryMember } = this.#options;
    const asked = observed.pods.map(async (pod) => {
      const result = await ask(pod, () => clock.wall(), signal);
      return { ...result, podReady: pod.ready };
    });
    return { identity, results: await Promise.all(asked) };
  }

  #record(key: string, target: Target, { identity, results }: Answers): void {
    // The Pods changed during the probe; the poller probes the new ones next.
    if (identity !== target.identity) return;
    target.bad = isGood(target.observed, results, this.#options.clock.wall()) ? 0 : target.bad + 1;
    if (target.bad > 0 && target.bad < CONFIRMING_CHECKS) return;
    const isSame = isDeepStrictEqual(target.results.map(lasting), results.map(lasting));
    target.results = withLastResponses(results, target.results);
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

/** Whether all members belong to one etcd cluster and the member of each ready Pod is healthy. */
function isGood({ pods }: Observed, results: readonly EtcdResult[], now: number): boolean {
  const { serving, splitBrain } = etcdView(results, pods, now);
  const healthy = new Set(serving);
  return splitBrain === undefined && pods.every(({ name, ready }) => !ready || healthy.has(name));
}

/** Adds to each failed probe when the member responded last. */
function withLastResponses(
  results: readonly EtcdResult[],
  before: readonly EtcdResult[],
): readonly EtcdResult[] {
  const known = firstBy(before, ({ pod }) => pod);
  return results.map((result) => {
    const last = known.get(result.pod);
    if (isAnswer(result) || last === undefined) return result;
    const respondedAt = isAnswer(last) ? last.at : last.respondedAt;
    return respondedAt === undefined ? result : { ...result, respondedAt };
  });
}

/** Drops counters and times from a result, because they change in every probe, and rounds sizes. */
function lasting(result: EtcdResult): object {
  if (!isAnswer(result)) return { ...result, at: 0, respondedAt: 0 };
  const stays = { ...result, at: 0 };
  const database = databaseSize(result);
  return {
    ...stays,
    raftIndex: '',
    appliedIndex: '',
    revision: '',
    term: '',
    // Without a leader it is constant, and a recovery names it.
    ...(result.leaderId === NO_LEADER && { revision: result.revision }),
    dbSize: [tenthsOf(result.dbSize, database), roundedSize(result.dbSize)],
    dbSizeInUse: tenthsOf(result.dbSizeInUse, database),
    isFragmented: isFragmented(database),
    isShrinkable: isShrinkable(database),
    isAlmostFull: isAlmostFull(database),
  };
}

/** Rounds a size down to tenths of the quota. */
const tenthsOf = (size: string, { quota }: DatabaseSize): string =>
  String((BigInt(size) * 10n) / quota);
