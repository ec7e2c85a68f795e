/** Selects the fault of each call. Pure except for the number of calls so far. */
import type { Call, Sort } from './calls.ts';

/** What the client gets instead of the response. */
export type Kind = 'conflict' | 'busy' | 'error' | 'timeout' | 'cut' | 'half' | 'short' | 'delay';

/**
 * - `-done`: the API server has executed the call, and the client does not learn the result
 * - `-late`: the API server executes the call after the client has given up and may have read the state again
 */
export type Fault =
  Kind | ('error-done' | 'timeout-done' | 'cut-done' | 'half-done' | 'short-done') | 'cut-late';

/** Faults of reads. It does not matter whether the server processes a read; half a body requires a real response. */
const ofReads: readonly Fault[] = [
  ...(['conflict', 'timeout', 'half-done', 'busy', 'cut', 'error'] as const),
  ...(['short-done', 'delay'] as const),
];

/**
 * - conflict, busy, error: a Status with code 409, with 429 and Retry-After, with 500
 * - timeout: no response until the client gives up
 * - cut: reset of the connection with all its active calls
 * - half: all headers and half of the body, then an error of this response only
 * - short: all headers and half of the body, then a regular end
 * - delay: the real response, later
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

/** Fault for one call: the `occurrence`-th call with this `what`, counted from 1. */
export interface Rule {
  readonly what: string;
  readonly occurrence: number;
  readonly fault: Fault;
}

/** Faults of one run. */
export interface Plan {
  /** Namespace of the run. */
  readonly namespace: string;
  readonly rules: readonly Rule[];
  /** Random faults: the n-th call gets a fault if the n-th number in [0, 1) is below `share`. */
  readonly chance?: {
    readonly share: number;
    readonly numbers: readonly number[];
    /** Faults to select from; defaults to all. */
    readonly faults?: Readonly<Record<Sort, readonly Fault[]>>;
  };
}

/** Call with its occurrence number and the selected fault. */
export interface Decision extends Call {
  readonly occurrence: number;
  readonly fault?: Fault;
}

/** Returns a function that selects the fault of each call, in the order of the calls. */
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
