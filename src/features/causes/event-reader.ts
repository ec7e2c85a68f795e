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

/** Time in milliseconds for which an object may be not ready before its Events are read: most become ready meanwhile. */
const GRACE_MS = 5_000;

/**
 * Pause between two reads in milliseconds: it doubles while nothing changes. Most Events arrive within minutes; later ones
 * come with another state of the object, which is read at once.
 */
const PAUSE = { first: 3_000, longest: 20_000, later: 120_000 };
/** Time after the last change of the objects or of their Events from which the pause is longest, in milliseconds. */
const LATER_MS = 600_000;

/** An object that is not ready. */
interface Waiting {
  readonly state: string;
  /** When it was observed first, monotonic milliseconds. */
  readonly since: number;
  /** Whether its Events have not been read in this state. */
  readonly isDue: boolean;
}

interface Target {
  source: EventSource;
  /** By uid. */
  waiting: ReadonlyMap<string, Waiting>;
  read: EventsRead;
  pauseMs: number;
  /** Time of the last change of the objects or of their Events, monotonic milliseconds. */
  changedAt: number;
}

interface Answer {
  /** States of the objects that were read, by uid. */
  readonly states: ReadonlyMap<string, string>;
  /** Undefined if the read failed. */
  readonly read?: EventsRead;
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
      check: (target, signal) => this.#readDue(target, signal),
      onResult: (key, target, answer) => this.#record(key, target, answer),
      pauseMs: ({ pauseMs }) => spread(pauseMs, options.random),
    });
  }

  /** Last result for a control plane. @param key `namespace/name` of the Karmada object */
  of(key: string): EventsRead {
    return this.#poller.get(key)?.read ?? NOTHING;
  }

  /**
   * Sets the objects whose Events are read as soon as they have been not ready for some seconds. Then an object with another state
   * is read at once; without objects, nothing is read.
   */
  observe(key: string, source: EventSource): void {
    const known = this.#poller.get(key);
    if (source.targets.length === 0) {
      if (known !== undefined) this.#poller.forget(key);
      return;
    }
    const now = this.#options.clock.monotonic();
    const waiting = waitingOf(source.targets, known?.waiting, now);
    if (known === undefined) {
      const fresh = { read: NOTHING, pauseMs: PAUSE.first, changedAt: now };
      this.#poller.add(key, { source, waiting, ...fresh });
      return;
    }
    const isChanged = !isDeepStrictEqual(statesOf(waiting), statesOf(known.waiting));
    Object.assign(known, { source, waiting });
    if (!isChanged) return;
    Object.assign(known, { pauseMs: PAUSE.first, changedAt: now });
    if (dueOf(waiting, now).some(([, { isDue }]) => isDue)) this.#poller.check(key);
  }

  /** Stops the reads for a control plane. */
  forget(key: string): void {
    this.#poller.forget(key);
  }

  close(): void {
    this.#poller.close();
  }

  #readDue(target: Target, signal: AbortSignal): Promise<Answer> {
    return readAll(target, dueOf(target.waiting, this.#options.clock.monotonic()), signal);
  }

  #record(key: string, target: Target, { states, read = target.read }: Answer): void {
    const now = this.#options.clock.monotonic();
    target.waiting = new Map(
      [...target.waiting].map(([uid, one]) => {
        const isRead = states.get(uid) === one.state;
        return [uid, { ...one, isDue: one.isDue && !isRead }] as const;
      }),
    );
    const isSame = isDeepStrictEqual(lasting(target.read), lasting(read));
    const longest = now - target.changedAt < LATER_MS ? PAUSE.longest : PAUSE.later;
    const isDue = [...target.waiting.values()].some((one) => one.isDue);
    target.read = read;
    target.pauseMs = isSame && !isDue ? Math.min(2 * target.pauseMs, longest) : PAUSE.first;
    if (isSame) return;
    target.changedAt = now;
    this.#options.onChange(key);
  }
}

/** Adds the times since which the objects are known, and which of them have another state. */
function waitingOf(
  targets: readonly EventTarget[],
  known: Target['waiting'] | undefined,
  now: number,
): Target['waiting'] {
  return new Map(
    targets.map(({ uid, state }) => {
      const before = known?.get(uid);
      const since = before?.since ?? now;
      return [uid, { state, since, isDue: before?.isDue === true || before?.state !== state }];
    }),
  );
}

const statesOf = (waiting: Target['waiting']): object =>
  [...waiting].map(([uid, { state }]) => [uid, state]);

/** Objects that have been not ready for some seconds: those with another state, or else all. */
function dueOf(waiting: Target['waiting'], now: number): readonly (readonly [string, Waiting])[] {
  const old = [...waiting].filter(([, { since }]) => now - since >= GRACE_MS);
  const due = old.filter(([, { isDue }]) => isDue);
  return due.length > 0 ? due : old;
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
async function readAll(
  { source, read, waiting }: Target,
  due: readonly (readonly [string, Waiting])[],
  signal: AbortSignal,
): Promise<Answer> {
  const states = new Map(due.map(([uid, { state }]) => [uid, state]));
  // What was read of other objects is true still, as long as these are not ready.
  const events = read.events.filter(({ uid }) => waiting.has(uid) && !states.has(uid));
  try {
    for (const uid of states.keys()) events.push(...(await readOne(source, uid, signal)));
    return { states, read: { events, isAllowed: true } };
  } catch (error) {
    return isStatus(error, 403) ? { states, read: { events: [], isAllowed: false } } : { states };
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
