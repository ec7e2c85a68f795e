/**
 * Summaries of what clients report, of bounded length: a client that fails without a pause fails thousands of times. Pure functions.
 */
import type { ClientKind, FailedCalls, ObjectNames, Way } from './report.ts';

/** Entries of a kind that are kept. */
const KEPT = 5;
/** Longest text of an error, in characters. */
const MAX_ERROR = 300;
/** Kinds of errors of a client that are told apart. */
const MAX_KINDS = 10;
const OTHERS = 'other errors';

/** Part of an error that equal failures share: without numbers, such as ports and versions, except the HTTP status. */
function kindOf(error: string): string {
  const [status] = /^HTTP \d+/.exec(error) ?? [];
  return status ?? error.slice(0, 80).replaceAll(/\d+/g, 'N');
}

interface Failure {
  /** Milliseconds. */
  readonly at: number;
  readonly client: ClientKind;
  readonly way: Way;
  readonly error: string;
}

/** Counts failed calls by their kind, and keeps the first ones of each. */
export class Failures {
  readonly #kinds = new Map<string, FailedCalls>();

  add({ at, client, way, error }: Failure): void {
    const source = `${client} ${way}`;
    const known = [...this.#kinds.keys()].filter((key) => key.startsWith(`${source} `)).length;
    const own = kindOf(error);
    const isNew = !this.#kinds.has(`${source} ${own}`);
    const kind = isNew && known >= MAX_KINDS ? OTHERS : own;
    const key = `${source} ${kind}`;
    const calls = this.#kinds.get(key) ?? { client, way, kind, count: 0, first: [] };
    const one = { at: new Date(at).toISOString(), error: error.slice(0, MAX_ERROR) };
    const first = calls.first.length < KEPT ? [...calls.first, one] : calls.first;
    this.#kinds.set(key, { ...calls, count: calls.count + 1, first });
  }

  /** Failures by kind, in the order of their first occurrence; empty if no call failed. */
  get summary(): FailedCalls[] {
    return [...this.#kinds.values()];
  }
}

/** Counts names by the client that created them, and keeps the first ones of each; empty without names. */
export function summaryOf(names: readonly string[]): ObjectNames[] {
  const clients = Map.groupBy(names, (name) => name.split('-')[0] ?? '');
  return [...clients].map(([client, all]) => ({
    client,
    count: all.length,
    first: all.slice(0, KEPT),
  }));
}

/** Number of calls or objects of a summary. */
export const countIn = (summary: readonly { readonly count: number }[]): number =>
  summary.reduce((sum, { count }) => sum + count, 0);
