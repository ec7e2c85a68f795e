/** Reads the objects of a control plane that are left to delete. */
import type { KubernetesClient } from '../../../kubernetes/client/client-interface.ts';
import { isStatus } from '../../../kubernetes/client/errors.ts';
import { reducedTo } from '../../../kubernetes/informers/reduced-list.ts';
import { COMPONENT, INSTANCE, isOurs, MANAGED_BY, MANAGER } from '../../../api/labels.ts';
import type { Karmada } from '../../../api/karmada.ts';
import { COMPONENTS } from '../../../components/registry.ts';
import { isTerminating, type KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { Pod } from '../../../kubernetes/objects/pod-kinds.ts';
import {
  apiVersionOf,
  resources,
  type ResourceType,
} from '../../../kubernetes/objects/resources.ts';
import {
  etcdClaimsOf,
  isNamedClaim,
  isOwnClaim,
} from '../../../etcd-cluster/storage/persistent-volume-claims.ts';
import { retentionOf, type RemainingObjects } from './deletion-plan.ts';

/** Kinds of the objects of a control plane with the labels of the operator. */
const KINDS = [resources.Deployment, resources.Service, resources.StatefulSet, resources.Secret];

/** Lists the remaining objects live, since a cache may lag behind. @throws ApiError, NetworkError */
export async function listRemains(
  { client }: { readonly client: Pick<KubernetesClient, 'list'> },
  karmada: Pick<Karmada, 'metadata' | 'spec'>,
): Promise<RemainingObjects> {
  const { name, namespace = '' } = karmada.metadata;
  const list = async (type: ResourceType, more: object): Promise<KubernetesObject[]> => {
    const page = await client.list(type, { namespace, ...more, metadataOnly: true });
    // A metadata list returns items of kind PartialObjectMetadata.
    return page.items.map((item) => ({ ...item, apiVersion: apiVersionOf(type), kind: type.kind }));
  };
  const labelled = (labels: string) => ({ labelSelector: `${INSTANCE}=${name},${labels}` });
  const components = labelled(
    `${COMPONENT} in (${COMPONENTS.map((component) => component.name).join(',')})`,
  );
  const [pods, claims, ...objects] = await Promise.all([
    list(resources.Pod, components),
    // By name: a PVC that lost its labels still has data.
    list(resources.PersistentVolumeClaim, etcdClaimsOf(name)),
    // With the labels of its Pods.
    list(resources.PodDisruptionBudget, components),
    ...KINDS.map((type) => list(type, labelled(`${MANAGED_BY}=${MANAGER}`))),
    list(resources.NetworkPolicy, labelled(`${MANAGED_BY}=${MANAGER}`)).catch(noneIfForbidden),
  ]);
  const remains = ownRemains(name, { pods, claims, objects: objects.flat() });
  if (!needsClaimUsers(karmada, remains)) return { ...remains, claimUsers: new Map() };
  const { items } = await client.list(resources.Pod, { namespace, ...reducedTo(volumesOfPod) });
  return { ...remains, claimUsers: claimUsersOf(items) };
}

/**
 * Without the permission, which a role of an earlier operator version lacks, a deletion leaves NetworkPolicies behind. They select
 * no Pods then.
 */
function noneIfForbidden(error: unknown): readonly [] {
  if (isStatus(error, 403)) return [];
  throw error;
}

type OwnRemains = Omit<RemainingObjects, 'claimUsers'>;

/** Selects the objects of the control plane from lists of its namespace. Pure function. */
export function ownRemains(name: string, { objects, pods, claims }: OwnRemains): OwnRemains {
  return {
    objects: objects.filter((object) => isOurs(object, name)),
    // A Pod that a user created with the same labels is not deleted.
    pods: pods.filter(isControlled),
    claims: claims.filter((claim) => isNamedClaim(claim, name)),
  };
}

/** Whether a terminating PVC may be in use by a Pod of another owner, which the status then names. Pure function. */
export function needsClaimUsers(
  { metadata, spec }: Pick<Karmada, 'metadata' | 'spec'>,
  { claims }: Pick<OwnRemains, 'claims'>,
): boolean {
  const ending = claims.some((claim) => isTerminating(claim) && isOwnClaim(claim, metadata.name));
  return ending && retentionOf({ spec }) === 'Delete';
}

/** What `claimUsersOf` reads. */
function volumesOfPod({ apiVersion, kind, metadata, ...pod }: Pod): Pod {
  const { phase } = pod.status ?? {};
  const claims = (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [{ name, persistentVolumeClaim: { claimName: claim.claimName } }],
  );
  const { name, namespace = '' } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { volumes: claims },
    status: { phase },
  };
}

/** Names of the Pods that use a PVC, by the name of the PVC. A Pod that has ended uses none. Pure function. */
export function claimUsersOf(pods: readonly Pod[]): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const pod of pods) {
    const { phase } = pod.status ?? {};
    if (phase === 'Succeeded' || phase === 'Failed') continue;
    for (const { persistentVolumeClaim: claim } of pod.spec?.volumes ?? []) {
      if (claim === undefined) continue;
      const names = users.get(claim.claimName);
      if (names === undefined) users.set(claim.claimName, [pod.metadata.name]);
      else names.push(pod.metadata.name);
    }
  }
  return users;
}

/** Whether a controller owns the object. */
function isControlled({ metadata }: KubernetesObject): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
}
