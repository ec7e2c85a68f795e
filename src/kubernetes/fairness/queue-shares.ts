/** Limits of a work queue, and the present load against them: pure. */
import { flowKey, type Flow, type Load, type Priority } from './fair-order.ts';

/**
 * Shares of keys. A group is a namespace, and its tenants are the host clusters of its keys. Groups take turns first: the
 * author of a namespace decides how many host clusters its keys belong to.
 */
export interface QueueShares {
  /** Current flow of a key. */
  readonly of: (key: string) => Flow;
  /** Maximum number of keys of one host cluster that are processed concurrently. */
  readonly width: number;
  /** Maximum number of keys of all groups that are processed concurrently. */
  readonly total: number;
  /**
   * A key that is processed for longer than this, in milliseconds, waits for an API server. It no longer counts towards
   * `width` and `total`, so that an unreachable API server does not block other keys.
   */
  readonly slowAfterMs: number;
  /**
   * Whether a call of the key waits for the rate limit of the operator. It then counts on, because more keys would only wait, too, and
   * need memory.
   */
  readonly isLimited?: (key: string) => boolean;
  /**
   * Maximum number of keys in progress, also of those that wait for an API server. Otherwise a slow API server would bring
   * all keys in progress at once, with the memory that each of them needs. Keys of low priority use only half of `group`,
   * `host` and `total`, so that there is always room for the others, and keys of high priority may exceed all by a quarter.
   */
  readonly max: {
    /** Of a namespace on one host cluster. */
    readonly tenant: number;
    /** Of a namespace. */
    readonly group: number;
    /** Of a host cluster. */
    readonly host: number;
    readonly total: number;
  };
}

/** No limits. */
export const UNLIMITED: QueueShares = {
  of: () => ({ group: '', tenant: '' }),
  width: Infinity,
  total: Infinity,
  slowAfterMs: Infinity,
  max: { tenant: Infinity, group: Infinity, host: Infinity, total: Infinity },
};

/** A key in progress. */
export interface KeyInProgress {
  readonly flow: Flow;
  /** Whether the key counts towards `width` and `total`. */
  counts: boolean;
}

/** Shares of keys in `most`. */
const SHARES: Readonly<Record<Priority, number>> = { high: 1.25, normal: 1, low: 0.5 };

/** Shares of keys in `width` and `total`. */
const ROOM: Readonly<Record<Priority, number>> = { high: 2, normal: 1, low: 1 };

/** Load of the keys in progress. */
export function loadOf(
  inProgress: Iterable<KeyInProgress>,
  { width, total, max }: Pick<QueueShares, 'width' | 'total' | 'max'>,
): Load {
  const all = [...inProgress];
  const counting = all.filter(({ counts }) => counts);
  const active = countBy(counting.map(({ flow }) => flow.group));
  const activeOnHosts = countBy(counting.map(({ flow }) => flow.tenant));
  const groups = countBy(all.map(({ flow }) => flow.group));
  const hosts = countBy(all.map(({ flow }) => flow.tenant));
  const tenants = countBy(all.map(({ flow }) => flowKey(flow)));
  return {
    ofGroup(group, priority) {
      const share = SHARES[priority];
      if (counting.length >= total * ROOM[priority] || all.length >= max.total * share)
        return undefined;
      if ((groups.get(group) ?? 0) >= max.group * share) return undefined;
      return active.get(group) ?? 0;
    },
    ofTenant(flow, priority) {
      if ((hosts.get(flow.tenant) ?? 0) >= max.host * SHARES[priority]) return undefined;
      if ((activeOnHosts.get(flow.tenant) ?? 0) >= width * ROOM[priority]) return undefined;
      const count = tenants.get(flowKey(flow)) ?? 0;
      return count < max.tenant ? count : undefined;
    },
  };
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
