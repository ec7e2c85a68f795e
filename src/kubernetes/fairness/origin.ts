/** For whom a call is sent, so that the rate limiter can share its rate among them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Flow, Priority } from './fair-order.ts';

/** What one reconcile keeps. */
export interface ReadBudget {
  /** Counts a response. @throws NetworkError when it is too much */
  add(characters: number, request: string): void;
  /** The reconcile has ended. What its background tasks read later does not count. */
  end(): void;
}

/** Whose call it is. The group is a namespace, the tenant an object in it. */
export interface Origin {
  readonly flow: Flow;
  readonly priority: Priority;
  /** Counts what a reconcile keeps of the responses. */
  readonly reads?: ReadBudget;
}

/** Calls that the operator sends for no single object, such as lists of its caches. */
export const OPERATOR: Origin = { flow: { group: '', tenant: '' }, priority: 'normal' };

/**
 * Origin of the calls of each asynchronous execution. A parameter of all functions between a reconcile and its calls would
 * be easy to forget, and a call without an origin would take the share of the operator.
 */
export class Origins {
  readonly #storage = new AsyncLocalStorage<Origin>();

  /** Runs `work`. Its calls, and those of background tasks that it starts, have this origin. */
  run<T>(origin: Origin, work: () => T): T {
    return this.#storage.run(origin, work);
  }

  get current(): Origin {
    return this.#storage.getStore() ?? OPERATOR;
  }
}
