import type { Clock, Log, Random } from '../time/clock.ts';
import type { KubernetesClient } from './client-interface.ts';
import { errorText, isNotFound } from './errors.ts';
import { sha256 } from '../objects/intent.ts';
import { microTime } from '../objects/lease.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { apiVersionOf, resources } from '../objects/resources.ts';

/** Content of an Event about an object. */
export interface EventReport {
  readonly regarding: KubernetesObject;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase reason. */
  readonly reason: string;
  /** CamelCase action that succeeded or failed. */
  readonly action: string;
  /** Message without secret data. */
  readonly note: string;
  /** Labels of the Event, for selectors. */
  readonly labels?: Readonly<Record<string, string>>;
  /** True for a detail of an object, which other Events summarize. Details have a limit of their own. */
  readonly isDetail?: boolean;
}

export interface EventRecorderOptions {
  readonly client: Pick<KubernetesClient, 'create' | 'patch'>;
  /** Such as `example.io/operator`. */
  readonly reportingController: string;
  /** Unique per process. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Limit for each object, and for its details: `burst` Events at once, then one per `refillMs` milliseconds. */
  readonly limit?: { readonly burst: number; readonly refillMs: number };
}

const DEFAULT_LIMIT = { burst: 25, refillMs: 300_000 };
/** A repetition within this time counts in the series, which is written at most once per SERIES_WRITE_MS. */
const SERIES_MS = 3_600_000;
const SERIES_WRITE_MS = 300_000;
const MAX_REMEMBERED = 2_000;
const MAX_LENGTH = { name: 200, reason: 128, note: 1_000 };
const TIMEOUT_MS = 5_000;
/** Events that are being written, of all namespaces and of one. While an API server is slow, further ones are left out. */
const MAX_PENDING = { all: 256, namespace: 32 };

/** A written Event and the number of its occurrences. */
interface Series {
  readonly namespace: string;
  readonly name: string;
  count: number;
  lastAt: number;
  writtenAt: number;
}

interface Budget {
  used: number;
  since: number;
}

/**
 * Writes events.k8s.io/v1 Events in the background. Repeated Events increase the count of a series, and the number of
 * Events about one object is limited, as is the number of Events that are being written. Details do not use up the limit
 * of the other Events about an object. Recording never fails and never waits.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #limit: { readonly burst: number; readonly refillMs: number };
  readonly #series = new Map<string, Series>();
  readonly #budgets = new Map<string, Budget>();
  readonly #pending = new Set<Promise<void>>();
  /** Number of pending Events of each namespace. */
  readonly #pendingIn = new Map<string, number>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#limit = options.limit ?? DEFAULT_LIMIT;
  }

  /** Records an Event, which is written in the background. */
  record(report: EventReport): void {
    const now = this.#options.clock.monotonic();
    const id = identityOf(report);
    const known = this.#series.get(id);
    if (!this.#hasRoom(report)) return;
    if (known !== undefined && now - known.lastAt < SERIES_MS) this.#repeat(known, now);
    else if (this.#allowed(report, now)) this.#begin(id, report, now);
  }

  /** Resolves when all recorded Events were written or failed. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #begin(id: string, report: EventReport, now: number): void {
    const object = this.#eventObject(report);
    const { name, namespace = 'default' } = object.metadata;
    this.#series.delete(id);
    this.#series.set(id, { namespace, name, count: 1, lastAt: now, writtenAt: now });
    trim(this.#series);
    const write = this.#options.client.create(object, { timeoutMs: TIMEOUT_MS });
    this.#track(write, namespace, report.reason);
  }

  #repeat(series: Series, now: number): void {
    series.count += 1;
    series.lastAt = now;
    if (now - series.writtenAt < SERIES_WRITE_MS) return;
    series.writtenAt = now;
    const { namespace, name, count } = series;
    const lastObservedTime = microTime(this.#options.clock.wall());
    const patch = { series: { count, lastObservedTime } };
    const key = { namespace, name };
    const write = this.#options.client.patch(resources.Event, key, patch, {
      timeoutMs: TIMEOUT_MS,
    });
    this.#track(write, namespace, name);
  }

  #hasRoom({ regarding, reason }: EventReport): boolean {
    const { namespace = 'default' } = regarding.metadata;
    const own = this.#pendingIn.get(namespace) ?? 0;
    if (this.#pending.size < MAX_PENDING.all && own < MAX_PENDING.namespace) return true;
    this.#options.log.debug({ event: reason, namespace }, 'too many Events, leaving one out');
    return false;
  }

  #track(write: Promise<unknown>, namespace: string, what: string): void {
    const count = (by: number): void => {
      const left = (this.#pendingIn.get(namespace) ?? 0) + by;
      if (left > 0) this.#pendingIn.set(namespace, left);
      else this.#pendingIn.delete(namespace);
    };
    count(1);
    const done: Promise<void> = write
      .then(
        () => undefined,
        (error: unknown) => {
          if (isNotFound(error)) return;
          const fields = { event: what, error: errorText(error) };
          this.#options.log.debug(fields, 'writing an Event failed');
        },
      )
      .finally(() => {
        count(-1);
        this.#pending.delete(done);
      });
    this.#pending.add(done);
  }

  /** Whether the token bucket of the object allows another Event. */
  #allowed(report: EventReport, now: number): boolean {
    const { burst, refillMs } = this.#limit;
    const key = JSON.stringify([subjectOf(report), report.isDetail === true]);
    const budget = this.#budgets.get(key) ?? { used: 0, since: now };
    const refilled = Math.floor((now - budget.since) / refillMs);
    budget.used = Math.max(0, budget.used - refilled);
    budget.since = budget.used === 0 ? now : budget.since + refilled * refillMs;
    this.#budgets.delete(key);
    this.#budgets.set(key, budget);
    trim(this.#budgets);
    if (budget.used >= burst) return false;
    budget.used += 1;
    return true;
  }

  #eventObject(report: EventReport): KubernetesObject {
    const { clock, random, reportingController, reportingInstance } = this.#options;
    const { regarding, type, reason, action, note, labels } = report;
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const wall = clock.wall();
    const suffix = sha256(`${wall} ${random()} ${random()}`).slice(0, 16);
    return {
      apiVersion: apiVersionOf(resources.Event),
      kind: resources.Event.kind,
      metadata: {
        name: `${eventName(name)}.${suffix}`,
        namespace: namespace ?? 'default',
        ...(labels && { labels }),
      },
      eventTime: microTime(wall),
      reportingController,
      reportingInstance: reportingInstance.slice(0, MAX_LENGTH.reason),
      action: action.slice(0, MAX_LENGTH.reason),
      reason: reason.slice(0, MAX_LENGTH.reason),
      type,
      note: note.slice(0, MAX_LENGTH.note),
      regarding: {
        apiVersion: regarding.apiVersion,
        kind: regarding.kind,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    };
  }
}

function subjectOf({ regarding }: EventReport): string {
  const { uid, namespace, name } = regarding.metadata;
  return JSON.stringify([regarding.kind, namespace, name, uid]);
}

function identityOf(report: EventReport): string {
  const { type, reason, action, note } = report;
  return JSON.stringify([subjectOf(report), type, reason, action, note]);
}

/** Converts an object name to a DNS name for the Event, because names such as `system:x` are not. */
function eventName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .slice(0, MAX_LENGTH.name)
    .replace(/^[.-]+/, '')
    .replace(/(?<![.-])[.-]+$/, '');
}

/** Removes the least recently used entries. */
function trim(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= MAX_REMEMBERED) return;
    map.delete(key);
  }
}
