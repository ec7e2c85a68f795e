import { sleep, systemClock } from '../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { ApiError, isExpired, NetworkError } from '../../src/kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import type { ResourceType } from '../../src/kubernetes/objects/resources.ts';
import type { WatchEvent } from '../../src/kubernetes/client/watch.ts';

const PAUSE_MS = 200;

/** True if the API server is unreachable or not ready yet; the watch is then retried. */
const isTransient = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && error.code >= 500);

/**
 * Watches all objects of a kind in a namespace. A broken watch resumes at the last resourceVersion. If that version has
 * expired, the watch starts with the current objects.
 * @param client is closed by `stop`
 * @param note called with each version of each object
 */
export function followObjects(
  client: KubernetesClient,
  type: ResourceType,
  namespace: string,
  note: (object: KubernetesObject) => void,
): {
  /** @throws Error if the watch ended earlier, because versions may then be missing */
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  let resourceVersion = '0';
  const hear = ({ type: change, object }: WatchEvent): void => {
    resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
    // A bookmark has no content.
    if (change !== 'BOOKMARK') note(object);
  };
  const follow = async (): Promise<string> => {
    for (;;) {
      try {
        const options = { namespace, resourceVersion, signal };
        for await (const event of client.watch(type, options)) hear(event);
      } catch (error) {
        if (isExpired(error)) resourceVersion = '0';
        else if (!isTransient(error)) return String(error);
      }
      await sleep(systemClock, PAUSE_MS, signal);
    }
  };
  const ended = follow();
  return {
    stop: async () => {
      const early = await Promise.race([ended, Promise.resolve(undefined)]);
      stopping.abort(new Error('enough'));
      await ended;
      await client.close();
      if (early !== undefined)
        throw new Error(`${type.plural} of ${namespace}: versions may be missing: ${early}`);
    },
  };
}
