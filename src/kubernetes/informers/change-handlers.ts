import type { Log } from '../time/clock.ts';
import { errorText } from '../client/errors.ts';
import type { Change } from './informer-options.ts';
import type { KubernetesObject } from '../objects/object.ts';
import { describe, type ResourceType } from '../objects/resources.ts';

/** Those who hear of the changes of a cache. Their errors are logged and affect nothing else. */
export class ChangeHandlers<T extends KubernetesObject> {
  readonly #options: { readonly type: ResourceType; readonly log: Log };
  readonly #handlers: ((change: Change<T>) => void)[] = [];

  constructor(options: { readonly type: ResourceType; readonly log: Log }) {
    this.#options = options;
  }

  /** Adds a handler. @param present changes that it hears at once */
  add(handler: (change: Change<T>) => void, present: readonly Change<T>[]): void {
    this.#handlers.push(handler);
    for (const change of present) this.#call(handler, change);
  }

  tell(change: Change<T>): void {
    for (const handler of this.#handlers) this.#call(handler, change);
  }

  #call(handler: (change: Change<T>) => void, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      const fields = { resource: describe(this.#options.type), error: errorText(error) };
      this.#options.log.error(fields, 'change handler failed');
    }
  }
}
