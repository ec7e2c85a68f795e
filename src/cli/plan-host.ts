/** Reads the state of the host cluster of a control plane for a change preview. */
import type { HostFacts } from '../api/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import { readHostSecret } from '../host-clusters/read-host-secret.ts';
import { explicitEndpoint, type Endpoint, type ExplicitAccess } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/client-interface.ts';
import { resources } from '../kubernetes/resources.ts';
import { markAutoscaled } from '../host-clusters/autoscaled.ts';
import { withUpdatedMembers } from '../reconcile/etcd/membership.ts';
import { isDefaultClass } from '../host-clusters/host.ts';
import { ipFamilyOf } from '../host-clusters/host-facts.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../api/labels.ts';
import { hostReference, isHostInUse, type HostReference } from '../host-clusters/host-reference.ts';
import { serverRefusal } from '../host-clusters/host-user.ts';
import type { HostSnapshot } from '../reconcile/snapshot.ts';

export interface HostTools {
  /** Client of the management cluster, which stores the Karmada objects. */
  readonly client: KubernetesClient;
  /** Creates a client for a remote host cluster. */
  readonly connect: (access: ExplicitAccess) => KubernetesClient;
}

/** Client of the host cluster of a Karmada. */
export interface OpenHost {
  readonly client: KubernetesClient;
  /** Closes a client of a remote host cluster; no-op for the management cluster, whose client the caller owns. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a client of the host cluster that a Karmada references.
 * @throws Error with a message for the user if the Secret of the host cluster is unusable
 */
export async function openHost(
  { client, connect }: HostTools,
  karmada: Karmada,
): Promise<OpenHost> {
  const reference = hostReference(karmada);
  if (reference === undefined) return { client, close: () => Promise.resolve() };
  const remote = connect(await readAccess(client, reference, karmada));
  return { client: remote, close: () => remote.close() };
}

/**
 * Returns the endpoint of the host cluster that a Karmada references.
 * @param management endpoint and client of the management cluster
 * @throws Error with a message for the user if the Secret of the host cluster is unusable
 */
export async function hostEndpoint(
  management: { readonly client: KubernetesClient; readonly endpoint: Endpoint },
  karmada: Karmada,
): Promise<Endpoint> {
  const reference = hostReference(karmada);
  if (reference === undefined) return management.endpoint;
  return explicitEndpoint(await readAccess(management.client, reference, karmada));
}

/** Reads the credentials. The author of the Karmada must not choose where the token of another namespace is sent. */
async function readAccess(
  client: Pick<KubernetesClient, 'find'>,
  reference: HostReference,
  { metadata, status = {} }: Karmada,
): Promise<ExplicitAccess> {
  const found = await readHostSecret(client, reference);
  if ('problem' in found) throw new Error(found.problem.message);
  const { access, secret, namesServer } = found;
  const user = { name: metadata.name, namespace: metadata.namespace ?? '' };
  const refusal =
    secret === undefined || isHostInUse(status, reference)
      ? undefined
      : serverRefusal({ secret, namesServer }, user, { crossNamespace: 'Granted' });
  if (refusal !== undefined) throw new Error(refusal.message);
  return access;
}

/** Lists the objects, Pods and PVCs of a control plane in the host cluster. */
export async function hostSnapshot(
  client: KubernetesClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<HostSnapshot> {
  const instance = `${INSTANCE}=${name}`;
  const ours = { namespace, labelSelector: `${MANAGED_BY}=${MANAGER},${instance}` };
  const { Deployment, StatefulSet, Service, PodDisruptionBudget } = resources;
  const lists = await Promise.all([
    ...[Deployment, StatefulSet, Service].map((type) => client.list(type, ours)),
    // With the labels of its Pods.
    client.list(PodDisruptionBudget, { namespace, labelSelector: instance }),
    // Metadata only: callers that need the data of a Secret read it themselves.
    client.list(resources.Secret, { ...ours, metadataOnly: true }),
  ]);
  const [pods, claims] = await Promise.all(
    [resources.Pod, resources.PersistentVolumeClaim].map((type) =>
      client.list(type, { namespace, labelSelector: instance }),
    ),
  );
  const members = pods?.items ?? [];
  const objects = lists.flatMap(({ items }) => items).map(markAutoscaled);
  return {
    objects: withUpdatedMembers(objects, members),
    pods: members,
    claims: claims?.items ?? [],
  };
}

/** Returns the facts about a host cluster that defaults depend on. */
export async function hostFacts(client: KubernetesClient): Promise<HostFacts> {
  const [classes, nodes] = await Promise.all([
    client.list(resources.StorageClass, { metadataOnly: true }),
    client.list(resources.Node).then(
      ({ items }) => items,
      () => [],
    ),
  ]);
  const ipFamily = ipFamilyOf([], nodes);
  return {
    defaultStorageClass: classes.items.some(isDefaultClass),
    ...(ipFamily !== undefined && { ipFamily }),
  };
}
