/** Bounds what a comparison keeps: a member cluster and its control plane decide how many objects they list, and how they are named. */
import { sizeText } from '../../untrusted/limits.ts';

/** Characters of identities and differences; about 100,000 objects that all differ. */
const MAX_BYTES = 32 * 2 ** 20;
/** Cost of a page, which may be empty and name another one. */
const PAGE = 1_000;

export class ReadBudget {
  #left = MAX_BYTES;

  /** Spends the cost of a page. @throws Error if the comparison keeps too much */
  spendPage(): void {
    this.#spend(PAGE);
  }

  /** Spends what the comparison keeps. @throws Error if the comparison keeps too much */
  spend(kept: readonly unknown[]): void {
    this.#spend(kept.reduce((sum: number, one) => sum + JSON.stringify(one).length, 0));
  }

  #spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0)
      throw new Error(`it has too many objects: a comparison keeps at most ${sizeText(MAX_BYTES)}`);
  }
}
