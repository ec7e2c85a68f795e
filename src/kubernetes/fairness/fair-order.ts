/**
 * Order of waiting work with shares. Work belongs to a flow: a group, and a tenant of that group. Groups take turns, and so
 * do the tenants of a group, so the amount of work of one does not delay another.
 */

/**
 * Priorities. High for what changes a working control plane: a change by a user, or a repair. Low for what no user waits for, such as
 * reading everything after a start, as in controller-runtime.
 */
export type Priority = (typeof PRIORITIES)[number];

/** From the first to the last. */
const PRIORITIES = ['high', 'normal', 'low'] as const;

/** Whether the first priority comes before the second one. */
export const isHigher = (one: Priority, other: Priority): boolean =>
  PRIORITIES.indexOf(one) < PRIORITIES.indexOf(other);

/** Whose work it is. */
export interface Flow {
  readonly group: string;
  /** Unique only within its group. */
  readonly tenant: string;
}

/**
 * Present load. Each function returns how much work is in progress, or undefined if no more may begin. The group, then
 * the tenant with the least load is next.
 */
export interface Load {
  readonly ofGroup: (group: string, priority: Priority) => number | undefined;
  readonly ofTenant: (flow: Flow, priority: Priority) => number | undefined;
}

/** Load for work that takes no time, such as sending a request. */
export const NO_LOAD: Load = { ofGroup: () => 0, ofTenant: () => 0 };

/** While work of a lower priority waits, one of this many turns is for it, or of one more with all three, so that it always proceeds. */
const LOW_TURN = 5;
/** Flows whose last turn is remembered. A forgotten flow counts as not served. */
const MAX_REMEMBERED = 2_000;

interface Waiting<T> {
  readonly key: string;
  readonly flow: Flow;
  readonly items: Readonly<Record<Priority, Set<T>>>;
}

interface Place<T> {
  readonly waiting: Waiting<T>;
  readonly priority: Priority;
}

/** Load and last turn of a group, or of a tenant. The lowest in this order is next. */
type Rank = readonly number[];

interface Ranked<T> {
  readonly waiting: Waiting<T>;
  readonly rank: Rank;
}

/** Waiting work, each item once. Within a flow and a priority, the first added is the first taken. */
export class FairOrder<T> {
  readonly #places = new Map<T, Place<T>>();
  /** Flows with waiting items by group, then by key. */
  readonly #groups = new Map<string, Map<string, Waiting<T>>>();
  /** Number of the last turn of each group and flow, least recent first. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  readonly #sizes = { high: 0, normal: 0, low: 0 };
  /** Turns in a row for higher priorities while one waited. */
  readonly #passedOver = { high: 0, normal: 0, low: 0 };

  get size(): number {
    return this.#places.size;
  }

  has(item: T): boolean {
    return this.#places.has(item);
  }

  /** Adds an item. If it waits with a lower priority, this one replaces that; otherwise it keeps its place. */
  add(item: T, flow: Flow, priority: Priority): void {
    const known = this.#places.get(item);
    if (known !== undefined && !isHigher(priority, known.priority)) return;
    this.delete(item);
    const key = flowKey(flow);
    const none = { key, flow, items: sets<T>() };
    const flows = this.#groups.get(flow.group) ?? new Map<string, Waiting<T>>();
    this.#groups.set(flow.group, flows);
    const waiting: Waiting<T> = flows.get(key) ?? none;
    flows.set(key, waiting);
    waiting.items[priority].add(item);
    this.#places.set(item, { waiting, priority });
    this.#sizes[priority] += 1;
  }

  /** Removes an item. @returns its priority; undefined if it does not wait */
  delete(item: T): Priority | undefined {
    const place = this.#places.get(item);
    if (place === undefined) return undefined;
    const { waiting, priority } = place;
    this.#places.delete(item);
    this.#sizes[priority] -= 1;
    const { items, key, flow } = waiting;
    items[priority].delete(item);
    if (PRIORITIES.some((one) => items[one].size > 0)) return priority;
    const flows = this.#groups.get(flow.group);
    flows?.delete(key);
    if (flows?.size === 0) this.#groups.delete(flow.group);
    return priority;
  }

  /** Removes all items. */
  clear(): void {
    for (const item of [...this.#places.keys()]) this.delete(item);
  }

  /** Removes and returns the next item; undefined if none may begin. */
  take(load: Load): { readonly item: T; readonly priority: Priority } | undefined {
    const overdue = PRIORITIES.filter((priority) => this.#passedOver[priority] >= LOW_TURN - 1);
    for (const priority of new Set([...overdue, ...PRIORITIES])) {
      const found = this.#takeOf(priority, load);
      if (found === undefined) continue;
      this.#count(priority);
      return found;
    }
    return undefined;
  }

  /** Counts a turn of a priority for those that waited. */
  #count(taken: Priority): void {
    for (const priority of PRIORITIES) {
      const isPassedOver = isHigher(taken, priority) && this.#sizes[priority] > 0;
      if (isPassedOver) this.#passedOver[priority] += 1;
      else if (priority === taken || this.#sizes[priority] === 0) this.#passedOver[priority] = 0;
    }
  }

  #takeOf(
    priority: Priority,
    load: Load,
  ): { readonly item: T; readonly priority: Priority } | undefined {
    const next = this.#sizes[priority] > 0 ? this.#next(priority, load) : undefined;
    const [item] = next?.items[priority] ?? [];
    if (next === undefined || item === undefined) return undefined;
    this.delete(item);
    this.#served(next);
    return { item, priority };
  }

  /** Flow with the lowest rank. Examines the flows of a group only if the group may be next, because a group may have thousands. */
  #next(priority: Priority, load: Load): Waiting<T> | undefined {
    let next: Ranked<T> | undefined;
    for (const [group, flows] of this.#groups) {
      const ofGroup = load.ofGroup(group, priority);
      if (ofGroup === undefined) continue;
      const rank = [ofGroup, this.#turnOf(group)];
      if (next !== undefined && !isLess(rank, next.rank)) continue;
      const waiting = this.#nextOf(flows.values(), priority, load);
      if (waiting !== undefined) next = { waiting, rank };
    }
    return next?.waiting;
  }

  #nextOf(flows: Iterable<Waiting<T>>, priority: Priority, load: Load): Waiting<T> | undefined {
    let next: Ranked<T> | undefined;
    for (const waiting of flows) {
      if (waiting.items[priority].size === 0) continue;
      const ofTenant = load.ofTenant(waiting.flow, priority);
      if (ofTenant === undefined) continue;
      const rank = [ofTenant, this.#turnOf(waiting.key)];
      if (next === undefined || isLess(rank, next.rank)) next = { waiting, rank };
    }
    return next?.waiting;
  }

  #turnOf(key: string): number {
    return this.#turns.get(key) ?? 0;
  }

  #served({ flow: { group }, key: flow }: Waiting<T>): void {
    this.#turn += 1;
    for (const key of [group, flow]) {
      this.#turns.delete(key);
      this.#turns.set(key, this.#turn);
    }
    for (const key of this.#turns.keys()) {
      if (this.#turns.size <= MAX_REMEMBERED) return;
      this.#turns.delete(key);
    }
  }
}

/** Text of a flow. No name of Kubernetes contains a line break, so it differs from that of each group. */
export const flowKey = ({ group, tenant }: Flow): string => `${group}\n${tenant}`;

const sets = <T>(): Readonly<Record<Priority, Set<T>>> => ({
  high: new Set(),
  normal: new Set(),
  low: new Set(),
});

function isLess(one: Rank, other: Rank): boolean {
  const different = one.findIndex((value, index) => value !== other[index]);
  return different >= 0 && (one[different] ?? 0) < (other[different] ?? 0);
}
