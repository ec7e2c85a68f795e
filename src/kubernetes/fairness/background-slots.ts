import type { Clock } from '../time/clock.ts';
import { FairOrder, type Flow } from './fair-order.ts';
import { OPERATOR, type Origins } from './origin.ts';
import { loadOf, UNLIMITED, type KeyInProgress, type QueueShares } from './queue-shares.ts';
import { whenSlow } from './slow-work.ts';

export interface BackgroundSlotsOptions {
  readonly clock: Clock;
  /** Maximum number of concurrent tasks. */
  readonly count: number;
  /** Maximum number of tasks of one group in progress, also of those that released their slot; no limit if not set. */
  readonly groupCount?: number;
  /** The same for one tenant of a group. */
  readonly tenantCount?: number;
  /** Time after which a task counts as waiting and releases its slot, in milliseconds; never if not set. */
  readonly slowAfterMs?: number;
  /** Origins of the tasks, which share the slots. Without them, all tasks have the same origin. */
  readonly origins?: Pick<Origins, 'current'> | undefined;
}

/** Whose task it is, and when nobody needs it any more. */
export interface Turn {
  /** Replaces the flow of the present origin. */
  readonly flow?: Flow;
  /** Ends the wait for a slot. */
  readonly signal?: AbortSignal;
}

/**
 * Semaphore for background tasks. A task that only waits releases its slot, so a hanging task delays no other. Waiting
 * tasks are served in turn by namespace, then by object.
 */
export class BackgroundSlots {
  readonly #options: BackgroundSlotsOptions;
  readonly #limits: Pick<QueueShares, 'width' | 'total' | 'max'>;
  readonly #waiting = new FairOrder<() => void>();
  readonly #inProgress = new Set<KeyInProgress>();

  constructor(options: BackgroundSlotsOptions) {
    this.#options = options;
    const { count, groupCount: group = Infinity, tenantCount: tenant = Infinity } = options;
    this.#limits = { ...UNLIMITED, total: count, max: { ...UNLIMITED.max, group, tenant } };
  }

  /**
   * Runs `work` when a slot is free.
   * @param work may release its slot before it ends, and then only counts towards `groupCount`
   * @throws errors of `work`, and the reason of the signal if it is aborted before a slot is free
   */
  async run<T>(work: (release: () => void) => Promise<T>, turn: Turn = {}): Promise<T> {
    const task = await this.#slot(turn);
    const release = (): void => {
      cancel();
      task.counts = false;
      this.#handOut();
    };
    const { clock, slowAfterMs } = this.#options;
    const cancel = slowAfterMs ? whenSlow(clock, slowAfterMs, () => release()) : () => undefined;
    try {
      return await work(release);
    } finally {
      this.#inProgress.delete(task);
      release();
    }
  }

  /** @returns the task, which occupies a slot */
  async #slot({ flow, signal }: Turn): Promise<KeyInProgress> {
    signal?.throwIfAborted();
    const origin = this.#options.origins?.current ?? OPERATOR;
    const task: KeyInProgress = { flow: flow ?? origin.flow, counts: true };
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp);
        this.#inProgress.add(task);
        resolve(task);
      };
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(begin, task.flow, origin.priority);
      this.#handOut();
    });
  }

  #handOut(): void {
    while (this.#waiting.size > 0) {
      const next = this.#waiting.take(loadOf(this.#inProgress, this.#limits));
      if (next === undefined) return;
      next.item();
    }
  }
}
