import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { isNotFound } from '../../../src/kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { Traffic } from './attack.ts';
import { resources, type ObjectKey } from '../../../src/kubernetes/objects/resources.ts';

/** Calls under way at once. */
const AT_ONCE = 4;

/** Calls a function for each item, a few at a time, until the signal is aborted. */
async function each<T>(
  items: readonly T[],
  action: (item: T) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    if (signal?.aborted === true) return;
    await Promise.all(items.slice(start, start + AT_ONCE).map(action));
  }
}

/** Clients for the management cluster and for the control plane of the attacker. */
export interface Clients {
  readonly host: KubernetesClient;
  readonly inside: KubernetesClient;
}

const keyOf = ({ metadata: { name, namespace } }: KubernetesObject): ObjectKey =>
  namespace === undefined ? { name } : { name, namespace };

/** Creates the objects, with their namespaces. Those in the control plane may exist from an earlier attack. */
export async function create(clients: Clients, traffic: Traffic): Promise<void> {
  const { host, inside } = clients;
  for (const name of traffic.namespaces)
    await host.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await each(traffic.objects, (object) => host.create(object));
  await each(traffic.inside ?? [], (object) =>
    inside.apply(object, { fieldManager: 'tenant', force: true }),
  );
}

/** Deletes the Karmadas and what is in other namespaces, then the namespaces, and waits until these are gone. */
export async function remove(client: KubernetesClient, traffic: Traffic): Promise<void> {
  const own = traffic.objects.filter(
    ({ kind, metadata }) =>
      kind === 'Karmada' || !traffic.namespaces.includes(metadata.namespace ?? ''),
  );
  const gone = async (action: Promise<unknown>): Promise<void> => {
    await action.catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  };
  await each(own, (object) => gone(client.delete(client.typeOf(object), keyOf(object))));
  for (const name of traffic.namespaces) await gone(client.delete(resources.Namespace, { name }));
  for (const name of traffic.namespaces)
    await poll(
      `namespace ${name} is gone`,
      async (seen) => {
        const found = await client.find(resources.Namespace, { name });
        seen(JSON.stringify(found?.['status']));
        return found === undefined ? true : undefined;
      },
      { deadlineMs: 300_000 },
    );
}

/** Changes all objects again and again, and creates them again if they are deleted. */
export function keepChanging(
  { host, inside }: Clients,
  traffic: Traffic,
): {
  /** Ends the changes. @returns number of changes */
  end(): Promise<number>;
} {
  const ending = new AbortController();
  const { signal } = ending;
  let changes = 0;
  const targets = [
    ...traffic.objects.map((object) => ({ object, client: host })),
    ...(traffic.inside ?? []).map((object) => ({ object, client: inside })),
  ];
  const change = async ({ object, client }: (typeof targets)[number]): Promise<void> => {
    changes += 1;
    const metadata = { annotations: { 'example.com/change': String(changes) } };
    await client
      .patch(client.typeOf(object), keyOf(object), { metadata })
      .catch(async (error: unknown) => {
        // The operator deletes objects with the labels of a control plane that it does not contain.
        if (!isNotFound(error)) throw error;
        await client.create(object);
      });
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) await each(targets, change, signal);
  };
  const running = run();
  // The error is thrown by `end`.
  running.catch(() => undefined);
  return {
    async end() {
      ending.abort();
      await running;
      return changes;
    },
  };
}
