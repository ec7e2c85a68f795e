/**
 * Intervals of schedules, for metrics. To compute one takes a millisecond or more, and there may be thousands of schedules, so a reconcile
 * of the schedule computes it, and metrics only read it.
 */
import type { KarmadaBackupSchedule } from '../../../api/backup/kinds.ts';
import { parseTime } from '../../../kubernetes/time/time.ts';
import { cronTimes } from './cron.ts';

/** Returns the interval of a schedule in milliseconds; undefined if it is unknown, or the expression is not valid. */
export type IntervalOf = (schedule: KarmadaBackupSchedule) => number | undefined;

interface Known {
  /** Of what the interval depends on. */
  readonly identity: string;
  readonly intervalMs: number | undefined;
}

/** Schedules of a namespace whose intervals are kept. Deletions in a namespace that exceeds a limit of the caches are not told. */
const MAX_INTERVALS = 1_000;

export class ScheduleIntervals {
  /** By namespace, then by name. */
  readonly #known = new Map<string, Map<string, Known>>();
  #changes = 0;

  /** Number of intervals that were computed. */
  get changes(): number {
    return this.#changes;
  }

  /** Returns a computed interval. */
  readonly of: IntervalOf = (schedule) => {
    const { namespace = '', name } = schedule.metadata;
    const known = this.#known.get(namespace)?.get(name);
    return known?.identity === identityOf(schedule) ? known.intervalMs : undefined;
  };

  /** Computes the interval, if it is unknown. */
  learn(schedule: KarmadaBackupSchedule): void {
    const { namespace = '', name } = schedule.metadata;
    const own = this.#known.get(namespace) ?? new Map<string, Known>();
    const identity = identityOf(schedule);
    if (own.get(name)?.identity === identity) return;
    if (own.size >= MAX_INTERVALS && !own.has(name)) return;
    this.#known.set(namespace, own.set(name, { identity, intervalMs: intervalOf(schedule) }));
    this.#changes += 1;
  }

  /** Forgets a deleted schedule. @param key `namespace/name` */
  forget(key: string): void {
    const [namespace = '', name = ''] = key.split('/');
    const own = this.#known.get(namespace);
    own?.delete(name);
    if (own?.size === 0) this.#known.delete(namespace);
  }
}

const createdAt = ({ metadata }: KarmadaBackupSchedule): string => metadata.creationTimestamp ?? '';

const identityOf = (schedule: KarmadaBackupSchedule): string =>
  JSON.stringify([schedule.spec.schedule, schedule.spec.timeZone, createdAt(schedule)]);

const PAUSES = 8;

/** Longest of the next pauses, such as that over a weekend. */
const intervalOf: IntervalOf = (schedule) => {
  const { schedule: expression, timeZone = 'UTC' } = schedule.spec;
  try {
    const next = cronTimes(expression, timeZone);
    let longest: number | undefined;
    let time = next(parseTime(createdAt(schedule)));
    for (let count = 0; count < PAUSES && time !== undefined; count += 1) {
      const following = next(time);
      if (following !== undefined) longest = Math.max(longest ?? 0, following - time);
      time = following;
    }
    return longest;
  } catch {
    return undefined;
  }
};
