/**
 * Bounds how much of the responses the reconciles of one namespace keep in memory at once. Each of them keeps what it has read until it
 * ends, and an API server that is not trusted decides how large each object is, and how long the last response takes.
 */
import { exceeded } from './limits.ts';
import type { ReadBudget } from '../fairness/origin.ts';
import { sizeText } from '../../untrusted/limits.ts';

const MIB = 1_048_576;

/** In characters. Secrets and CRDs of a control plane have about 2.5 MiB, and a namespace has at most 32 reconciles at once. */
const MAX_KEPT = { reconcile: 24 * MIB, namespace: 96 * MIB } as const;

export class ReadBudgets {
  /** What the reconciles of each namespace keep, in characters. */
  readonly #kept = new Map<string, number>();

  /** Begins a reconcile. */
  begin(namespace: string): ReadBudget {
    let own = 0;
    let ended = false;
    return {
      add: (characters, request) => {
        if (ended) return;
        own += characters;
        const all = this.#add(namespace, characters);
        check('one reconcile reads', own, MAX_KEPT.reconcile, request);
        check('the reconciles of its namespace read', all, MAX_KEPT.namespace, request);
      },
      end: () => {
        if (!ended) this.#add(namespace, -own);
        ended = true;
      },
    };
  }

  #add(namespace: string, characters: number): number {
    const kept = (this.#kept.get(namespace) ?? 0) + characters;
    if (kept > 0) this.#kept.set(namespace, kept);
    else this.#kept.delete(namespace);
    return kept;
  }
}

function check(what: string, kept: number, most: number, request: string): void {
  if (kept > most) throw exceeded(request, `all that ${what} is larger than ${sizeText(most)}`);
}
