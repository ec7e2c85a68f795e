import { createClient } from '../../kubernetes/client/client.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { ClientOptions, KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Endpoint } from '../../kubernetes/connection/connection.ts';
import type { Limits } from '../../kubernetes/client/limits.ts';

/** Time for all questions to one server, in milliseconds. */
export const TIMEOUT_MS = 2_000;

/** Maximum length of an answer in bytes. */
export const MAX_ANSWER = 64 * 1_024;

/** Keys, tokens, reviews and refusals are short. All Pods of many control planes may respond at once. */
const LIMITS: Limits = { answer: MAX_ANSWER, list: 0, line: 0, watch: 0 };

export interface PodClientOptions extends Pick<ClientOptions, 'term' | 'userAgent' | 'resources'> {
  readonly clock: Clock;
}

/** Asks the server in one Pod with a client of its own. A reconcile waits for the answer, so the signal ends calls before they are repeated. */
export async function withPodClient<T>(
  endpoint: Endpoint,
  options: PodClientOptions,
  ask: (client: KubernetesClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const client = createClient(endpoint, { ...options, timeoutMs: TIMEOUT_MS, limits: LIMITS });
  const deadline = new AbortController();
  const cancel = options.clock.after(TIMEOUT_MS, () => deadline.abort(new Error('no answer')));
  try {
    return await ask(client, deadline.signal);
  } finally {
    cancel();
    await client.close();
  }
}
