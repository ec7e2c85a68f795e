/** Which call gets which fault: pure, but for the count of the calls so far. */
import type { Call, Sort } from './calls.ts';

/** What the client gets instead of its answer. */
export type Kind = 'conflict' | 'busy' | 'error' | 'timeout' | 'cut' | 'half' | 'short' | 'delay';

/**
 * - `-done`: the API server has carried the call out before, and the client does not learn it
 * - `-late`: it carries it out when the client has given it up and may have looked again
 */
export type Fault =
  Kind | ('error-done' | 'timeout-done' | 'cut-done' | 'half-done' | 'short-done') | 'cut-late';

/** Of a read it is all the same whether the server saw it; half a body needs a true one. */
const ofReads: readonly Fault[] = [
  ...(['conflict', 'timeout', 'half-done', 'busy', 'cut', 'error'] as const),
  ...(['short-done', 'delay'] as const),
];

/**
 * - conflict, busy, error: a Status with 409, with 429 and Retry-After, with 500
 * - timeout: no answer until the client gives up
 * - cut: the connection is reset, with all that is under way on it
 * - half: all headers and half of the body, then the one answer is broken off
 * - short: the same, and it ends as if that were all
 * - delay: the true answer, later
 */
export const faultsOf: Readonly<Record<Sort, readonly Fault[]>> = {
  read: ofReads,
  watch: ofReads,
  write: [
    ...(['cut-done', 'conflict', 'half-done', 'timeout', 'error-done', 'busy'] as const),
    ...([
      'timeout-done',
      'cut',
      'short-done',
      'error',
      'half',
      'cut-late',
      'delay',
      'short',
    ] as const),
  ],
};

export const isDone = (fault: Fault): boolean => fault.endsWith('-done');
export const isLate = (fault: Fault): boolean => fault.endsWith('-late');
export const kindOf = (fault: Fault): Kind => fault.replace(/-(done|late)$/, '') as Kind;

/** A fault for one call: the `occurrence`-th of this kind, counted from 1. */
export interface Rule {
  readonly what: string;
  readonly occurrence: number;
  readonly fault: Fault;
}

/** The faults of one run. */
export interface Plan {
  /** Namespace of the run. */
  readonly namespace: string;
  readonly rules: readonly Rule[];
  /** By chance: the n-th call gets a fault when the n-th number, from [0, 1), is below the share. */
  readonly chance?: {
    readonly share: number;
    readonly numbers: readonly number[];
    /** Which there are; any when absent. */
    readonly faults?: Readonly<Record<Sort, readonly Fault[]>>;
  };
}

/** A call in its place among those of its kind, and what is to happen to it. */
export interface Decision extends Call {
  readonly occurrence: number;
  readonly fault?: Fault;
}

/** Decides about one call after the other, in the order in which they come. */
export function createDecider(plan: Plan): (call: Call) => Decision {
  const counts = new Map<string, number>();
  let calls = 0;
  return (call) => {
    const occurrence = (counts.get(call.what) ?? 0) + 1;
    counts.set(call.what, occurrence);
    const rule = plan.rules.find(
      (item) => item.what === call.what && item.occurrence === occurrence,
    );
    const fault = rule?.fault ?? byChance(plan, call, calls);
    calls += 1;
    return { ...call, occurrence, ...(fault && { fault }) };
  };
}

function byChance({ chance }: Plan, { sort }: Call, index: number): Fault | undefined {
  const number = chance?.numbers[index];
  if (chance === undefined || number === undefined || number >= chance.share) return undefined;
  const faults = (chance.faults ?? faultsOf)[sort];
  return faults[Math.floor((number / chance.share) * faults.length)];
}
