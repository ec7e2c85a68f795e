/** Connects to the host cluster of a control plane, and reads its state, under the rules by which the operator uses host clusters. */
import type { HostFacts } from '../api/defaults/defaults.ts';
import type { Karmada } from '../api/karmada.ts';
import type { Problem } from '../api/reasons/problem.ts';
import { readHostSecret } from '../host-clusters/read-host-secret.ts';
import {
  explicitEndpoint,
  type Endpoint,
  type ExplicitAccess,
} from '../kubernetes/connection/connection.ts';
import type { KubernetesClient } from '../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import type { Pod } from '../kubernetes/objects/pod-kinds.ts';
import { resources } from '../kubernetes/objects/resources.ts';
import { markAutoscaled } from '../host-clusters/autoscaled.ts';
import { withUpdatedMembers } from '../etcd-cluster/pods/membership.ts';
import { isDefaultClass } from '../host-clusters/storage-classes.ts';
import { karmadas } from '../host-clusters/host.ts';
import { hostLimitProblem, wantsNewHost } from '../host-clusters/host-limits.ts';
import { ipFamilyOf } from '../host-clusters/host-facts.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../api/labels.ts';
import { hostReference, isHostInUse, type HostReference } from '../host-clusters/host-reference.ts';
import { hostSecretRefusal } from '../host-clusters/host-user.ts';
import { createSecretPolicy } from '../api/secrets/secret-policy.ts';
import type { SecretPolicy } from '../api/secrets/secret-grant.ts';
import { isStatus } from '../kubernetes/client/errors.ts';
import {
  differentHostCluster,
  isDifferentHostCluster,
} from '../features/remote-host/host-resolution.ts';
import type { HostSnapshot } from '../instance/snapshot.ts';

export interface HostTools {
  /** Client of the management cluster, which stores the Karmada objects. */
  readonly client: KubernetesClient;
  /** Creates a client for a remote host cluster. */
  readonly connect: (access: ExplicitAccess) => KubernetesClient;
  /** Policy for Secrets in other namespaces. Defaults to that of an operator without `--cross-namespace-secrets`. */
  readonly secretPolicy?: SecretPolicy;
}

const DEFAULT_POLICY = createSecretPolicy('Granted', () => []);

/** Client of the host cluster of a Karmada. */
export interface OpenHost {
  readonly client: KubernetesClient;
  /** Closes a client of a remote host cluster; no-op for the management cluster, whose client the caller owns. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a client of the host cluster that a Karmada references.
 * @throws Error with a message for the user if the Secret of the host cluster is unusable, the Karmada may not use it, or it points to
 *   another cluster than the one that runs the control plane; ApiError, NetworkError
 */
export async function openHost(tools: HostTools, karmada: Karmada): Promise<OpenHost> {
  const reference = hostReference(karmada);
  if (reference === undefined) return { client: tools.client, close: () => Promise.resolve() };
  const access = await readAccess(tools, reference, karmada);
  const remote = tools.connect(access);
  try {
    await refuseOtherCluster(remote, access, karmada);
  } catch (error) {
    await remote.close();
    throw error;
  }
  return { client: remote, close: () => remote.close() };
}

/**
 * Returns why the operator does not connect to the host cluster that a Karmada references, because of its limit.
 * @param client of the management cluster
 * @param limit host clusters of a namespace
 * @throws ApiError, NetworkError
 */
export async function aboveHostLimit(
  client: Pick<KubernetesClient, 'list'>,
  karmada: Karmada,
  limit: number,
): Promise<Problem | undefined> {
  if (!wantsNewHost(karmada)) return undefined;
  const { name, namespace = '' } = karmada.metadata;
  const { items } = await client.list(karmadas, { namespace });
  const others = items.filter(({ metadata }) => metadata.name !== name);
  return hostLimitProblem(karmada, [...others, karmada], limit);
}

/** The operator changes nothing in such a cluster, so commands must not show its objects as those of the control plane. */
async function refuseOtherCluster(
  remote: Pick<KubernetesClient, 'find'>,
  { server }: ExplicitAccess,
  karmada: Karmada,
): Promise<void> {
  if (karmada.status?.hostUID === undefined) return;
  const uid = await clusterUid(remote);
  if (isDifferentHostCluster(karmada, uid))
    throw new Error(differentHostCluster(karmada, server).message);
}

/** UID of a cluster. Unknown without the permission, as for the operator. */
async function clusterUid(remote: Pick<KubernetesClient, 'find'>): Promise<string | undefined> {
  try {
    return (await remote.find(resources.Namespace, { name: 'kube-system' }))?.metadata.uid;
  } catch (error) {
    if (isStatus(error, 403)) return undefined;
    throw error;
  }
}

/**
 * Returns the endpoint of the host cluster that a Karmada references.
 * @param management endpoint and client of the management cluster
 * @throws Error with a message for the user if the Secret of the host cluster is unusable, or the Karmada may not use it
 */
export async function hostEndpoint(
  management: { readonly client: KubernetesClient; readonly endpoint: Endpoint },
  karmada: Karmada,
): Promise<Endpoint> {
  const reference = hostReference(karmada);
  if (reference === undefined) return management.endpoint;
  return explicitEndpoint(await readAccess(management, reference, karmada));
}

/**
 * Reads the credentials. The author of the Karmada must neither use the Secret of another user without a grant, nor choose where its
 * token is sent, also if the user of the command may read the Secret.
 */
async function readAccess(
  {
    client,
    secretPolicy = DEFAULT_POLICY,
  }: Pick<HostTools, 'secretPolicy'> & {
    readonly client: Pick<KubernetesClient, 'find'>;
  },
  reference: HostReference,
  { metadata, status = {} }: Karmada,
): Promise<ExplicitAccess> {
  const found = await readHostSecret(client, reference);
  const { secret } = found;
  const user = { name: metadata.name, namespace: metadata.namespace ?? '' };
  const namesServer = 'access' in found ? found.namesServer : undefined;
  const refusal =
    secret === undefined || isHostInUse(status, reference)
      ? undefined
      : hostSecretRefusal({ secret, namesServer }, user, secretPolicy);
  // First, as for the operator: the problem says what the Secret contains.
  if (refusal !== undefined) throw new Error(`${refusal.reason}: ${refusal.message}`);
  if ('problem' in found) throw new Error(found.problem.message);
  return found.access;
}

/**
 * Lists the objects, Pods and PVCs of a control plane in the host cluster.
 * @param options `withoutSecrets`: leave out the Secrets if the user may not list them
 * @throws ApiError, NetworkError
 */
export async function hostSnapshot(
  client: KubernetesClient,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { withoutSecrets = false }: { readonly withoutSecrets?: boolean } = {},
): Promise<HostSnapshot> {
  const instance = `${INSTANCE}=${name}`;
  const ours = { namespace, labelSelector: `${MANAGED_BY}=${MANAGER},${instance}` };
  const { Deployment, StatefulSet, Service, PodDisruptionBudget, NetworkPolicy } = resources;
  const lists = await Promise.all([
    ...[Deployment, StatefulSet, Service].map((type) => client.list(type, ours)),
    // With the labels of its Pods.
    client.list(PodDisruptionBudget, { namespace, labelSelector: instance }),
    // A user may lack the permission for a kind that few control planes have.
    client.list(NetworkPolicy, ours).catch(noneIfForbidden),
    // Metadata only: callers that need the data of a Secret read it themselves.
    client
      .list(resources.Secret, { ...ours, metadataOnly: true })
      .catch(withoutSecrets ? noneIfForbidden : rethrow),
  ]);
  const [pods, claims] = await Promise.all(
    [resources.Pod, resources.PersistentVolumeClaim].map((type) =>
      client.list(type, { namespace, labelSelector: instance }),
    ),
  );
  const members = pods?.items ?? [];
  const objects = lists.flatMap(({ items }) => items).map(markAutoscaled);
  return {
    objects: withUpdatedMembers(objects, members, name),
    pods: members,
    claims: claims?.items ?? [],
  };
}

const rethrow = (error: unknown): never => {
  throw error;
};

/** @throws errors other than a missing permission */
function noneIfForbidden(error: unknown): { readonly items: readonly KubernetesObject[] } {
  if (isStatus(error, 403)) return { items: [] };
  throw error;
}

/**
 * Returns the facts about a host cluster that defaults depend on. Without the permissions to read them, they are those that the
 * operator assumes.
 * @param pods of the control plane, whose addresses show the IP family
 */
export async function hostFacts(
  client: KubernetesClient,
  pods: readonly Pod[] = [],
): Promise<HostFacts> {
  const [defaultStorageClass, nodes] = await Promise.all([
    client.list(resources.StorageClass, { metadataOnly: true }).then(
      ({ items }) => items.some(isDefaultClass),
      (error: unknown) => isStatus(error, 403) || rethrow(error),
    ),
    client.list(resources.Node).then(
      ({ items }) => items,
      () => [],
    ),
  ]);
  const ipFamily = ipFamilyOf(pods, nodes);
  return { defaultStorageClass, ...(ipFamily !== undefined && { ipFamily }) };
}
