/**
 * Shares of the namespaces in the rollouts of a new operator version. The control planes of one namespace belong to one tenant, who can
 * let all their rollouts fail or never end: no namespace alone stops the rollouts of another one, or keeps it from all slots. Pure.
 */
import type { Sibling } from '../../instance/rollout-turn.ts';
import { namespaceOf } from '../../kubernetes/objects/resources.ts';

/** How many control planes of each namespace have a state. */
export class NamespaceCounts {
  readonly #counts = new Map<string, number>();
  /** The two largest ones. */
  readonly #largest: readonly (readonly [string, number])[];
  #total = 0;

  constructor(siblings: readonly Sibling[], wanted: Sibling['state']) {
    for (const { key, state } of siblings) if (state === wanted) this.add(namespaceOf(key));
    this.#largest = [...this.#counts].sort(([, one], [, other]) => other - one).slice(0, 2);
  }

  add(namespace: string): void {
    this.#counts.set(namespace, this.of(namespace) + 1);
    this.#total += 1;
  }

  of(namespace: string): number {
    return this.#counts.get(namespace) ?? 0;
  }

  /** Number without those of the other namespace that has the most. */
  without(namespace: string): number {
    const [, most = 0] = this.#largest.find(([name]) => name !== namespace) ?? [];
    return this.#total - most;
  }

  /**
   * Whether another rollout may start in a namespace. If namespaces share the slots, one of them leaves one slot to the others. If one
   * namespace has all slots nevertheless, such as the only one, another namespace gets one more.
   * @param most slots of all namespaces; more than 0
   */
  hasSlot(namespace: string, most: number, isShared: boolean): boolean {
    const own = this.of(namespace);
    const share = isShared ? Math.max(1, most - 1) : most;
    if (own >= share) return false;
    return this.#total < most || (own === 0 && this.#counts.size === 1);
  }
}

/** Whether there are control planes in several namespaces. */
export const areShared = (keys: readonly string[]): boolean =>
  new Set(keys.map(namespaceOf)).size > 1;

/** Orders keys so that namespaces take turns: the first one of each in the order of the names, then the second one of each, … */
export function inTurns(keys: readonly string[]): readonly string[] {
  const ranks = new Map<string, number>();
  const ranked = keys.toSorted().map((key) => {
    const rank = ranks.get(namespaceOf(key)) ?? 0;
    ranks.set(namespaceOf(key), rank + 1);
    return { key, rank };
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ key }) => key);
}
