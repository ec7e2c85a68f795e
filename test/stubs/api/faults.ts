/** Faults in the responses of stub APIs, as those of the fault proxy. */
import { createDecider, type Decision, type Plan } from '../../harness/fault-proxy/faults.ts';
import type { Place } from '../../harness/fault-proxy/calls.ts';
import { injectFaults } from '../../harness/fault-proxy/proxy.ts';
import { respond, type Serving } from './serve.ts';

/** Serves the calls of one run with its faults. */
export interface FaultedServing {
  /** Calls so far, in order, with their faults. */
  readonly calls: readonly Decision[];
  readonly of: (place: Place) => Serving;
}

/** @param delayMs duration of a delay in milliseconds */
export function servingWithFaults(plan: Plan, delayMs: number): FaultedServing {
  const calls: Decision[] = [];
  const decide = createDecider(plan);
  const common = { namespace: plan.namespace, decide, delayMs };
  return {
    calls,
    of: (place) => (server, target) => {
      injectFaults(server, {
        ...common,
        place,
        report: (decision) => void calls.push(decision),
        forwardOf: () => (request, body, gone) => {
          const { method, url, headers } = request;
          const given = { method, url, headers, body: body.toString('utf8') };
          return Promise.resolve(respond(target(request), given, gone));
        },
      });
    },
  };
}
