/** Events of Pods, workloads and PVCs, reduced to what explains a problem. Pure functions. */
import type { Event } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { parseTime } from '../kubernetes/time/time.ts';

/** What an Event says about an object. All texts come from other programs. */
export interface EventFact {
  /** UID of the object. */
  readonly uid: string;
  readonly reason: string;
  readonly note: string;
  /** Container of a Pod; absent for the Pod itself. */
  readonly container?: string;
  /** Number of times that it was reported. */
  readonly count: number;
  /** Time of the first and of the last report, wall clock in milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Result of a read of Events. */
export interface EventsRead {
  readonly events: readonly EventFact[];
  /** Whether the operator may read Events there. */
  readonly isAllowed: boolean;
}

/** Longest note that is kept, in characters. Kubernetes limits it to 1 KiB. */
const MAX_NOTE_LENGTH = 1_024;

const timeOf = (...texts: readonly (string | null | undefined)[]): number => {
  const [found] = texts.map((text) => parseTime(text)).filter((ms) => !Number.isNaN(ms));
  return found ?? 0;
};

/** Reduces an Event. @returns undefined if it names no object */
export function eventFact(event: Event): EventFact | undefined {
  const { reason = '', note = '', regarding: { uid = '', fieldPath = '' } = {} } = event;
  if (uid === '') return undefined;
  const [, container] = CONTAINER.exec(fieldPath) ?? [];
  return {
    uid,
    reason: reason.slice(0, 128),
    note: note.slice(0, MAX_NOTE_LENGTH),
    ...(container !== undefined && { container }),
    ...repetition(event),
  };
}

const CONTAINER = /^spec\.(?:initC|c)ontainers\{([a-z0-9-]{1,63})\}$/;

function repetition({
  metadata,
  eventTime,
  series,
  ...given
}: Event): Pick<EventFact, 'count' | 'firstAt' | 'lastAt'> {
  const firstAt = timeOf(given.deprecatedFirstTimestamp, eventTime, metadata.creationTimestamp);
  const lastAt = timeOf(series?.lastObservedTime, given.deprecatedLastTimestamp, eventTime);
  const count = series?.count ?? given.deprecatedCount ?? 1;
  return { count, firstAt, lastAt: Math.max(firstAt, lastAt) };
}

/** Events of an object, the last one first. */
export const eventsOf = (
  events: readonly EventFact[],
  { metadata }: Pick<KubernetesObject, 'metadata'>,
): readonly EventFact[] =>
  events
    .filter(({ uid }) => uid === metadata.uid)
    .toSorted((one, other) => other.lastAt - one.lastAt);
