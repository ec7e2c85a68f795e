/** Reads a control plane that the Go operator created. All reads are live: caches contain only labelled objects. */
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { ownedBy, type Host, type ManagementCluster } from '../../host-clusters/host.ts';
import type { Clock } from '../../kubernetes/clock.ts';
import { isStatus } from '../../kubernetes/errors.ts';
import { specOf } from '../../kubernetes/lease.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { resources, type ResourceType } from '../../kubernetes/resources.ts';
import {
  ADOPTION_ANNOTATION,
  type GoControlPlane,
  type RunningGoOperator,
} from './decide-adoption.ts';
import { budgetNames, isOwnBudget, isOwnService, unlabelledService } from './go-objects.ts';
import { anchorOf, belongsTo, goSecretNames, type Anchor } from './go-secrets.ts';

export interface AdoptionTools {
  readonly host: Pick<Host, 'client' | 'owned'>;
  readonly local: Pick<ManagementCluster, 'client'>;
  readonly clock: Clock;
  /** Leader Lease of this operator; the Go operator has one of the same name in its own namespace. */
  readonly ownLease?: { readonly namespace: string; readonly name: string } | undefined;
}

/**
 * Reads the objects of a control plane that lack the label of its Karmada.
 * @param key `namespace/name` of the Karmada
 * @returns undefined if the operator created the control plane, has adopted it, or if there is none
 * @throws ApiError, NetworkError; a failed read never counts as "not created by the Go operator"
 */
export async function readAdoption(
  tools: AdoptionTools,
  key: string,
  karmada: Karmada,
): Promise<GoControlPlane | undefined> {
  const { client } = tools.host;
  const { name, namespace = '', annotations = {} } = karmada.metadata;
  const owned = ownedBy(tools.host.owned, key);
  const mark = instanceName(name, SECRET_SUFFIX.cert);
  if (owned.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === mark))
    return undefined;
  const cert = await client.find(resources.Secret, { namespace, name: mark });
  const anchor = cert && anchorOf(cert, namespace);
  if (cert === undefined || anchor === undefined) return undefined;
  const workloads = owned.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind));
  const [others, running] = await Promise.all([
    readOthers(tools, karmada, { anchor, workloads }),
    readGoOperator(tools),
  ]);
  const mode = annotations[ADOPTION_ANNOTATION];
  const etcd = workloads.find(({ kind }) => kind === 'StatefulSet');
  return {
    karmada: { name, namespace },
    ...(mode !== undefined && { mode }),
    recognized: [...others.recognized, cert],
    foreign: others.foreign,
    deployments: workloads.filter(({ kind }) => kind === 'Deployment'),
    ...(etcd && { etcd }),
    ...(running && { running }),
  };
}

interface Known {
  readonly anchor: Anchor;
  readonly workloads: readonly KubernetesObject[];
}

async function readOthers(
  { host: { client } }: AdoptionTools,
  { metadata, spec }: Karmada,
  { anchor, workloads }: Known,
): Promise<Pick<GoControlPlane, 'recognized' | 'foreign'>> {
  const { name, namespace = '' } = metadata;
  const findAll = async (type: ResourceType, names: readonly string[]) => {
    const found = names.map((one) => client.find(type, { namespace, name: one }));
    return (await Promise.all(found)).filter((object) => object !== undefined);
  };
  const [, ...others] = goSecretNames(
    name,
    spec?.components?.etcd?.external ? 'external' : 'local',
  );
  const [secrets, services, budgets] = await Promise.all([
    findAll(resources.Secret, others),
    findAll(resources.Service, [unlabelledService(name)]),
    findAll(resources.PodDisruptionBudget, budgetNames(name)),
  ]);
  const isLabelled = ({ metadata: { labels = {} } }: KubernetesObject): boolean =>
    labels['app.kubernetes.io/instance'] === name;
  const own = secrets.filter((secret) => belongsTo(anchor, secret, name));
  return {
    recognized: [
      ...own,
      ...services.filter((service) => isOwnService(service, name)),
      ...budgets.filter((budget) => isOwnBudget(budget, workloads)),
    ],
    foreign: secrets.filter((secret) => !own.includes(secret) && !isLabelled(secret)),
  };
}

/** Name of the leader Lease of the Go operator, its default and that of its chart. */
const GO_LEASE = 'karmada-operator';

/** Finds the Lease of a Go operator that runs. Without permission to list Leases the result is undefined. */
async function readGoOperator({
  local,
  clock,
  ownLease,
}: AdoptionTools): Promise<RunningGoOperator | undefined> {
  try {
    const { items } = await local.client.list(resources.Lease, {
      fieldSelector: `metadata.name=${GO_LEASE}`,
    });
    const now = clock.wall();
    const lease = items.find((item) => !isOwn(item, ownLease) && isHeld(item, now));
    if (lease === undefined) return undefined;
    const { namespace = '', name } = lease.metadata;
    return { lease: `${namespace}/${name}`, holder: specOf(lease).holderIdentity ?? '' };
  } catch (error) {
    if (isStatus(error, 403)) return undefined;
    throw error;
  }
}

const isOwn = ({ metadata }: KubernetesObject, own: AdoptionTools['ownLease']): boolean =>
  metadata.namespace === own?.namespace && metadata.name === own?.name;

const SECOND_MS = 1000;

/** Whether a process holds the Lease and has renewed it within its duration. */
function isHeld(lease: KubernetesObject, now: number): boolean {
  const { holderIdentity = '', renewTime, leaseDurationSeconds = 0 } = specOf(lease);
  if (holderIdentity === '' || renewTime === undefined) return false;
  return now - Date.parse(renewTime) < leaseDurationSeconds * SECOND_MS;
}
