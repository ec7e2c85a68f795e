import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';

/** Objects that a tenant writes, and then changes continuously. */
export interface Traffic {
  readonly namespaces: readonly string[];
  readonly objects: readonly KubernetesObject[];
  /** Objects in the control plane of the tenant. */
  readonly inside?: readonly KubernetesObject[];
}

/** An attack of a tenant that may write all objects in the namespaces of the attack. */
export interface Attack extends Traffic {
  /** Waits until the operator has handled the attack. @returns what shows that, for the report */
  reached(client: KubernetesClient): Promise<string>;
}

/** All of these attacks at once. */
export const together = (attacks: readonly Attack[]): Attack => ({
  namespaces: attacks.flatMap(({ namespaces }) => namespaces),
  objects: attacks.flatMap(({ objects }) => objects),
  inside: attacks.flatMap(({ inside = [] }) => inside),
  reached: async (client) =>
    (await Promise.all(attacks.map((attack) => attack.reached(client)))).join('; '),
});

/**
 * The same traffic on objects that the operator does not read: as many objects of the same size, without labels, and
 * ConfigMaps instead of Karmadas and Clusters.
 */
export const unlabelled = ({ namespaces, objects, inside = [] }: Traffic): Traffic => ({
  namespaces,
  objects: objects.map(unread),
  inside: inside.map(unread),
});

function unread({ apiVersion, kind, metadata, ...content }: KubernetesObject): KubernetesObject {
  const bare = { name: metadata.name, namespace: metadata.namespace ?? 'default' };
  if (apiVersion === 'v1') return { apiVersion, kind, metadata: bare, ...content };
  const renamed = { ...bare, name: `${kind.toLowerCase()}-${bare.name}` };
  const data = { spec: JSON.stringify(content) };
  return { ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: renamed }, data };
}

/** Waits until a condition of a Karmada has one of these reasons. @returns type, reason and message */
export async function untilTold(
  client: KubernetesClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  type: string,
  ...reasons: readonly string[]
): Promise<string> {
  return poll(
    `${type} of Karmada ${namespace}/${name} has the reason ${reasons.join(' or ')}`,
    async (seen) => {
      const found = (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
      const { conditions = [] } = found.status ?? {};
      seen(conditions.map((one) => `${one.type} ${one.reason} ${one.message}`).join('; '));
      const told = conditions.find((one) => one.type === type && reasons.includes(one.reason));
      return told && `${name}: ${type} ${told.reason}: ${told.message}`;
    },
    { deadlineMs: 600_000 },
  );
}
