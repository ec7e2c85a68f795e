/** Reads a control plane that the Go operator created. All reads are live: caches contain only labelled objects. */
import type { Karmada } from '../../api/karmada.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import { ownedBy, type Host } from '../../host-clusters/host.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { resources, type ResourceType } from '../../kubernetes/resources.ts';
import { ADOPTION_ANNOTATION, type GoControlPlane } from './decide-adoption.ts';
import { readGoOperator, type LeaseTools } from './go-operator-lease.ts';
import { budgetNames, isOwnBudget, isOwnService, unlabelledService } from './go-objects.ts';
import { anchorOf, belongsTo, goSecretNames, type Anchor } from './go-secrets.ts';

export interface AdoptionTools extends LeaseTools {
  readonly host: Pick<Host, 'client' | 'owned'>;
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
