/** Reads a control plane that the Go operator created. All reads are live: caches contain only labeled objects. */
import type { Karmada } from '../../api/karmada.ts';
import { INSTANCE } from '../../api/labels.ts';
import { instanceName, SECRET_SUFFIX } from '../../api/naming.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import { isOwn } from '../../instance/own-objects.ts';
import type { PresentSecrets } from '../../instance/present-secrets.ts';
import { ADOPTION_ANNOTATION, type GoControlPlane } from './decide-adoption.ts';
import { readGoOperator, type LeaseTools } from './go-operator-lease.ts';
import { isOwnService, unlabeledService } from './go-objects.ts';
import { anchorOf, belongsTo, goSecretNames, isKubeconfigOf, type Anchor } from './go-secrets.ts';

export interface AdoptionTools extends LeaseTools {
  readonly host: Pick<Host, 'client' | 'remote'>;
}

/** What is known of a control plane in its host cluster. */
interface Existing {
  /** Objects with the label of the Karmada. */
  readonly owned: readonly KubernetesObject[];
  /** Without it, the Secret with the CAs is read by name. */
  readonly present?: PresentSecrets;
}

/**
 * Reads the objects of a control plane that lack the label of its Karmada.
 * @returns undefined if the operator created the control plane, has adopted it, or if there is none
 * @throws ApiError, NetworkError; a failed read never counts as "not created by the Go operator"
 */
export async function readAdoption(
  tools: AdoptionTools,
  existing: Existing,
  karmada: Karmada,
): Promise<GoControlPlane | undefined> {
  const { name, namespace = '', annotations = {} } = karmada.metadata;
  const read = await readGoObjects(tools.host.client, existing, karmada);
  if (read === undefined) return undefined;
  const { anchor, ...objects } = read;
  const workloads = existing.owned.filter(({ kind }) =>
    ['Deployment', 'StatefulSet'].includes(kind),
  );
  const [running, copy] = await Promise.all([
    readGoOperator(tools),
    readCopy(tools, karmada, anchor),
  ]);
  const mode = annotations[ADOPTION_ANNOTATION];
  const etcd = workloads.find(({ kind }) => kind === 'StatefulSet');
  return {
    karmada: { name, namespace },
    ...(mode !== undefined && { mode }),
    ...objects,
    ...(copy && { copy }),
    deployments: workloads.filter(({ kind }) => kind === 'Deployment'),
    ...(etcd && { etcd }),
    ...(running && { running }),
  };
}

type GoObjects = Pick<GoControlPlane, 'recognized' | 'foreign'>;

/**
 * Reads the objects of the host cluster that an adoption labels.
 * @returns undefined as `readAdoption`
 */
export async function readGoObjects(
  client: AdoptionClient,
  { owned, present }: Existing,
  karmada: Karmada,
): Promise<(GoObjects & { readonly anchor: Anchor }) | undefined> {
  const { name, namespace = '' } = karmada.metadata;
  const mark = instanceName(name, SECRET_SUFFIX.cert);
  if (owned.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === mark))
    return undefined;
  if (present !== undefined && !(await present()).has(mark)) return undefined;
  const marked = await readMark(client, { namespace, name: mark });
  if (marked === undefined) return undefined;
  const { cert, anchor } = marked;
  const { recognized, foreign } = await readOthers(client, karmada, anchor);
  return { recognized: [...recognized, cert], foreign, anchor };
}

type AdoptionClient = Pick<KubernetesClient, 'find'>;

/** Reads the Secret with the CAs. @returns undefined if the Go operator did not write it */
async function readMark(
  client: AdoptionClient,
  key: { readonly namespace: string; readonly name: string },
): Promise<{ readonly cert: KubernetesObject; readonly anchor: Anchor } | undefined> {
  const cert = await client.find(resources.Secret, key);
  const anchor = cert && anchorOf(cert, key.namespace);
  return cert && anchor && { cert, anchor };
}

/** Reads the kubeconfig next to a Karmada on a remote host cluster. Some releases of the Go operator do not label it. */
async function readCopy(
  { host, local }: AdoptionTools,
  { metadata: { name, namespace = '' } }: Karmada,
  anchor: Anchor,
): Promise<KubernetesObject | undefined> {
  if (host.remote === undefined) return undefined;
  const key = { namespace, name: instanceName(name, SECRET_SUFFIX.adminConfig) };
  const found = await local.client.find(resources.Secret, key);
  if (found === undefined || found.metadata.labels?.[INSTANCE] !== undefined) return undefined;
  return isKubeconfigOf(anchor, found) ? found : undefined;
}

async function readOthers(
  client: AdoptionClient,
  { metadata, spec }: Karmada,
  anchor: Anchor,
): Promise<GoObjects> {
  const { name, namespace = '' } = metadata;
  const findAll = async (type: ResourceType, names: readonly string[]) => {
    const found = names.map((one) => client.find(type, { namespace, name: one }));
    return (await Promise.all(found)).filter((object) => object !== undefined);
  };
  const [, ...others] = goSecretNames(
    name,
    spec?.components?.etcd?.external ? 'external' : 'local',
  );
  const ownNames = [SECRET_SUFFIX.caBackup, SECRET_SUFFIX.serviceAccountKey].map((suffix) =>
    instanceName(name, suffix),
  );
  const [secrets, services, kept] = await Promise.all([
    findAll(resources.Secret, others),
    findAll(resources.Service, [unlabeledService(name)]),
    findAll(resources.Secret, ownNames),
  ]);
  const isLabelled = ({ metadata: { labels = {} } }: KubernetesObject): boolean =>
    labels[INSTANCE] === name;
  const own = secrets.filter((secret) => belongsTo(anchor, secret, name));
  return {
    recognized: [...own, ...services.filter((service) => isOwnService(service, name))],
    foreign: [
      ...secrets.filter((secret) => !own.includes(secret) && !isLabelled(secret)),
      // The Go operator does not write them.
      ...kept.filter((secret) => !isOwn(secret, name)),
    ],
  };
}
