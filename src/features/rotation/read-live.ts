/** Reads the objects of a control plane that decide about rotations, immediately before the decision. */
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import { COMPONENT_SUFFIX, instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Known } from '../../actions/round.ts';
import { isWorkload } from '../../components/workload.ts';
import { withUpdatedMembers } from '../../etcd-cluster/pods/membership.ts';
import type { Clock } from '../../kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject, ObjectMeta } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { findOwn, findOwnSecrets } from '../../instance/own-objects.ts';
import { rolesOf } from '../../pki/authority-facts.ts';
import type { RotationAuthority } from './authority.ts';
import { consumerOf, labelsOf, type Workloads } from './pod-facts.ts';
import { readSharedTrust } from './read-shared-trust.ts';
import type { SharedTrust } from './shared-trust.ts';

type Client = Pick<KubernetesClient, 'find' | 'list'>;

interface ReadTools {
  readonly host: { readonly client: Client };
  readonly clock: Clock;
  /** Client of the Karmada API; absent while it is not ready. */
  readonly controlPlane: Pick<KubernetesClient, 'find'> | undefined;
}

/** What was read. */
export interface LiveObjects {
  readonly secrets: ReadonlyMap<string, KubernetesObject>;
  readonly workloads: Workloads;
  readonly pods: readonly Pod[];
  /** Monotonic. */
  readonly listedAt: number;
  readonly shared?: SharedTrust;
  /** PVCs of the Pods. */
  readonly claims: readonly KubernetesObject[];
}

/** Secrets with the record, the keys, and the certificate of the operator. */
const SECRETS = [SECRET_SUFFIX.caBackup, SECRET_SUFFIX.serviceAccountKey, SECRET_SUFFIX.cert];

/**
 * Reads the objects of the authorities.
 * @throws ApiError, NetworkError; ForeignObjectError if an object is not one of the operator
 */
export async function readLive(
  { host: { client }, clock, controlPlane }: ReadTools,
  { snapshot, pki }: Known,
  authorities: readonly RotationAuthority[],
): Promise<LiveObjects> {
  const { name, namespace = '' } = snapshot.karmada.metadata;
  const listedAt = clock.monotonic();
  const roles = authorities.flatMap((one) =>
    one === 'service-account-key' ? [] : rolesOf(pki, one),
  );
  const suffixes = [...new Set<string>([...SECRETS, ...roles])];
  const names = suffixes.map((suffix) => instanceName(name, suffix));
  const [secrets, found, pods, shared] = await Promise.all([
    findOwnSecrets(client, { name, namespace }, names),
    readWorkloads(client, { name, namespace }, authorities),
    readPods(client, { name, namespace }, labelsOf(authorities)),
    controlPlane && authorities.some((one) => one === 'front-proxy-ca' || one === 'ca')
      ? readSharedTrust(controlPlane, clock)
      : undefined,
  ]);
  // The controller of etcd's StatefulSet counts also members as outdated that need no restart.
  const workloads = workloadsOf(withUpdatedMembers(found, pods, name), authorities);
  const claims = await readClaims(client, pods);
  return { secrets, workloads, pods, listedAt, claims, ...(shared && { shared }) };
}

/** @param labels values of the label of the component; no value would be an invalid selector */
async function readPods(
  client: Client,
  { name, namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>,
  labels: readonly string[],
): Promise<readonly Pod[]> {
  if (labels.length === 0) return [];
  const labelSelector = `${INSTANCE}=${name},${COMPONENT} in (${labels.join(',')})`;
  return (await client.list(resources.Pod, { namespace, labelSelector })).items;
}

/** Reads the PVCs of Pods. One that does not exist is left out. */
async function readClaims(client: Client, pods: readonly Pod[]): Promise<LiveObjects['claims']> {
  const found = await Promise.all(
    pods.flatMap(({ metadata: { namespace = '' }, spec }) =>
      (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
        claim === undefined
          ? []
          : client.find(resources.PersistentVolumeClaim, { namespace, name: claim.claimName }),
      ),
    ),
  );
  return found.filter((claim) => claim !== undefined);
}

async function readWorkloads(
  client: Client,
  { name, namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>,
  authorities: readonly RotationAuthority[],
): Promise<readonly KubernetesObject[]> {
  const suffixes: Readonly<Partial<Record<string, string>>> = COMPONENT_SUFFIX;
  const found = await Promise.all(
    labelsOf(authorities).map(async (component) => {
      const key = { namespace, name: instanceName(name, suffixes[component] ?? component) };
      const type = component === 'etcd' ? resources.StatefulSet : resources.Deployment;
      return findOwn(client, type, key, name);
    }),
  );
  return found.filter((one) => one !== undefined);
}

const workloadsOf = (
  found: readonly KubernetesObject[],
  authorities: readonly RotationAuthority[],
): Workloads =>
  new Map(
    found.flatMap((one) => {
      if (!isWorkload(one)) return [];
      const consumer = authorities.flatMap((name) => consumerOf(one, name) ?? [])[0];
      return consumer === undefined ? [] : [[consumer, one] as const];
    }),
  );
