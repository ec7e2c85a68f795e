/** The cluster that a control plane is in, as a plan reads it. */
import type { HostFacts } from '../api/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import { readAccess } from '../hosts/read-access.ts';
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { KubernetesClient } from '../kubernetes/contract.ts';
import { resources } from '../kubernetes/resources.ts';
import { noteAutoscaler } from '../hosts/note-autoscaler.ts';
import { withUpdatedMembers } from '../reconcile/etcd/membership.ts';
import { isDefaultClass } from '../hosts/host.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../api/labels.ts';
import { hostReference } from '../hosts/host-reference.ts';
import type { HostSnapshot } from '../reconcile/snapshot.ts';

export interface HostTools {
  /** Of the cluster with the Karmadas. */
  readonly client: KubernetesClient;
  /** Opens another cluster. */
  readonly connect: (access: ExplicitAccess) => KubernetesClient;
}

/** A client of the cluster that a Karmada names, and its end; the end of the operator's own cluster is its owner's. */
export interface OpenHost {
  readonly client: KubernetesClient;
  close(): Promise<void>;
}

/** @throws Error with the cause, for the user, when the Secret of the host is of no use */
export async function openHost(
  { client, connect }: HostTools,
  karmada: Karmada,
): Promise<OpenHost> {
  const reference = hostReference(karmada);
  if (reference === undefined) return { client, close: () => Promise.resolve() };
  const found = await readAccess(client, reference);
  if ('problem' in found) throw new Error(found.problem.message);
  const remote = connect(found.access);
  return { client: remote, close: () => remote.close() };
}

/** What is there of an instance. */
export async function hostSnapshot(
  client: KubernetesClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<HostSnapshot> {
  const instance = `${INSTANCE}=${name}`;
  const ours = { namespace, labelSelector: `${MANAGED_BY}=${MANAGER},${instance}` };
  const { Deployment, StatefulSet, Service, PodDisruptionBudget } = resources;
  const lists = await Promise.all([
    ...[Deployment, StatefulSet, Service, PodDisruptionBudget].map((type) =>
      client.list(type, ours),
    ),
    // What is in them is read by whoever needs it.
    client.list(resources.Secret, { ...ours, metadataOnly: true }),
  ]);
  const [pods, claims] = await Promise.all(
    [resources.Pod, resources.PersistentVolumeClaim].map((type) =>
      client.list(type, { namespace, labelSelector: instance }),
    ),
  );
  const members = pods?.items ?? [];
  const objects = lists.flatMap(({ items }) => items).map(noteAutoscaler);
  return {
    objects: withUpdatedMembers(objects, members),
    pods: members,
    claims: claims?.items ?? [],
  };
}

/** What of a host decides about defaults. */
export async function hostFacts(client: KubernetesClient): Promise<HostFacts> {
  const classes = await client.list(resources.StorageClass, { metadataOnly: true });
  return { defaultStorageClass: classes.items.some(isDefaultClass) };
}
