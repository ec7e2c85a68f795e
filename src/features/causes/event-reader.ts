/**
 * Reads the Events of objects that are not ready, in the background. A reconcile uses the last result, and never waits.
 * Nothing is read for a control plane whose objects are ready.
 */
import { isDeepStrictEqual } from 'node:util';
import { spread } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import { Poller, type BackgroundOptions } from '../../kubernetes/client/poller.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { eventFact, type EventFact, type EventsRead } from '../../causes/event-facts.ts';
import type { EventTarget } from './event-targets.ts';

/** Where and of which objects Events are read. */
export interface EventSource {
  readonly client: Pick<KubernetesClient, 'listPage'>;
  readonly namespace: string;
  readonly targets: readonly EventTarget[];
}

/** Bounds of one read: Events of an object, bytes of their list, and its duration. */
const MAX_EVENTS = 40;
const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 5_000;

/** Events of an object that are kept: the last ones, some 10 KiB. */
const MAX_KEPT = 10;

/**
 * Pause between two reads in milliseconds: it doubles while nothing changes. Most Events arrive within minutes; later ones
 * come with another state of the object, which is read at once.
 */
const PAUSE = { first: 3_000, longest: 20_000, later: 120_000 };
/** Time after the last change of the objects or of their Events from which the pause is longest, in milliseconds. */
const LATER_MS = 600_000;

interface Target {
  source: EventSource;
  /** Objects and their states. */
  identity: string;
  read: EventsRead;
  pauseMs: number;
  /** Time of the last change, monotonic milliseconds. */
  changedAt: number;
}

interface Answer {
  readonly identity: string;
  readonly read: EventsRead;
}

const NOTHING: EventsRead = { events: [], isAllowed: true };

/** Reads Events of all control planes that are not ready. */
export class EventReader {
  readonly #options: BackgroundOptions;
  readonly #poller: Poller<Target, Answer>;

  constructor(options: BackgroundOptions) {
    this.#options = options;
    this.#poller = new Poller({
      clock: options.clock,
      log: options.log,
      check: (target, signal) => readAll(target, signal),
      onResult: (key, target, answer) => this.#record(key, target, answer),
      pauseMs: ({ pauseMs }) => spread(pauseMs, options.random),
    });
  }

  /** Last result for a control plane. @param key `namespace/name` of the Karmada object */
  of(key: string): EventsRead {
    return this.#poller.get(key)?.read ?? NOTHING;
  }

  /** Sets the objects whose Events are read. A changed object is read at once; without objects, nothing is read. */
  observe(key: string, source: EventSource): void {
    const known = this.#poller.get(key);
    if (source.targets.length === 0) {
      if (known !== undefined) this.#poller.forget(key);
      return;
    }
    const identity = JSON.stringify(source.targets);
    if (known === undefined) {
      const changedAt = this.#options.clock.monotonic();
      const fresh = { read: NOTHING, pauseMs: PAUSE.first, changedAt };
      this.#poller.add(key, { source, identity, ...fresh });
      return;
    }
    known.source = source;
    if (known.identity === identity) return;
    const changedAt = this.#options.clock.monotonic();
    Object.assign(known, { identity, pauseMs: PAUSE.first, changedAt });
    this.#poller.check(key);
  }

  /** Stops the reads for a control plane. */
  forget(key: string): void {
    this.#poller.forget(key);
  }

  close(): void {
    this.#poller.close();
  }

  #record(key: string, target: Target, { identity, read }: Answer): void {
    // The objects changed during the read; the poller reads those of now next.
    if (identity !== target.identity) return;
    const isSame = isDeepStrictEqual(lasting(target.read), lasting(read));
    const now = this.#options.clock.monotonic();
    const longest = now - target.changedAt < LATER_MS ? PAUSE.longest : PAUSE.later;
    target.read = read;
    target.pauseMs = isSame ? Math.min(2 * target.pauseMs, longest) : PAUSE.first;
    if (isSame) return;
    target.changedAt = now;
    this.#options.onChange(key);
  }
}

/** Without counters and times, which change with each repetition. */
const lasting = ({ events, isAllowed }: EventsRead): object => ({
  isAllowed,
  events: events.map(({ uid, reason, note, container, count }) => ({
    uid,
    reason,
    note,
    container,
    isRepeated: count > 1,
  })),
});

/** Reads the Events of one object after the other, so that many control planes do not load an API server. Never rejects. */
async function readAll({ source, identity, read }: Target, signal: AbortSignal): Promise<Answer> {
  const events: EventFact[] = [];
  try {
    for (const { uid } of source.targets) events.push(...(await readOne(source, uid, signal)));
    return { identity, read: { events, isAllowed: true } };
  } catch (error) {
    if (isStatus(error, 403)) return { identity, read: { events: [], isAllowed: false } };
    // What was read before is true still.
    return { identity, read };
  }
}

async function readOne(
  { client, namespace }: EventSource,
  uid: string,
  signal: AbortSignal,
): Promise<readonly EventFact[]> {
  const page = await client.listPage(resources.Event, {
    namespace,
    fieldSelector: `regarding.uid=${uid}`,
    limit: MAX_EVENTS,
    signal,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
  return page.items
    .slice(0, MAX_EVENTS)
    .flatMap((event) => eventFact(event) ?? [])
    .filter((fact) => fact.uid === uid)
    .toSorted((one, other) => other.lastAt - one.lastAt)
    .slice(0, MAX_KEPT);
}
