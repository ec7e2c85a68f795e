/** A client that records its writes instead of sending them. */
import { anyClient } from '../../../kubernetes/client/any-client.fixture.ts';
import type { KubernetesClient } from '../../../kubernetes/client/client-interface.ts';
import type { ObjectKey } from '../../../kubernetes/objects/resources.ts';

/** A write. */
export interface Call {
  readonly verb: 'patch' | 'delete';
  readonly kind: string;
  readonly key: ObjectKey;
  readonly body?: object;
  readonly options?: object;
}

/** @param failure error of a write; undefined for a write that succeeds */
export function recordedClient(failure: (call: Call) => Error | undefined = () => undefined): {
  readonly client: Pick<KubernetesClient, 'patch' | 'delete'>;
  readonly calls: readonly Call[];
} {
  const calls: Call[] = [];
  const write = async (call: Call): Promise<void> => {
    calls.push(call);
    const error = failure(call);
    if (error !== undefined) throw error;
  };
  return {
    calls,
    client: anyClient({
      patch: async ({ kind }, key, body, options) => {
        await write({ verb: 'patch', kind, key, body, ...(options && { options }) });
        return { apiVersion: 'v1', kind, metadata: { name: key.name } };
      },
      delete: ({ kind }, key, options) =>
        write({ verb: 'delete', kind, key, ...(options && { options }) }),
    }),
  };
}
