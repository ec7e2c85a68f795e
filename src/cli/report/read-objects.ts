/** Reads the objects of a report. What the user may not read makes the report smaller, and is named in it. */
import {
  karmadaBackups,
  karmadaBackupSchedules,
  karmadaBackupStores,
  karmadaRestores,
} from '../../api/backup/kinds.ts';
import type { Karmada } from '../../api/karmada.ts';
import { INSTANCE, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import { instanceName } from '../../api/naming.ts';
import type { KubernetesClient, Selection } from '../../kubernetes/client/client-interface.ts';
import { isNotFound } from '../../kubernetes/client/errors.ts';
import type { Secret, Event } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../kubernetes/objects/resources.ts';
import { readCertificates, type CertificateRow } from '../certificates/read-certificates.ts';
import { serverVersion } from '../information/version-command.ts';
import { attempt } from '../program/karmada.ts';

/** Objects by the name of their file, such as `pods`. */
export type ObjectLists = Readonly<Record<string, readonly KubernetesObject[]>>;

/** Objects of one control plane in its host cluster. */
export interface HostObjects {
  readonly lists: ObjectLists;
  /** All Secrets of its namespace, to remove their values from other texts. */
  readonly secrets: readonly Secret[];
  readonly certificates: readonly CertificateRow[] | undefined;
  readonly kubernetesVersion: string;
}

/** What could not be read, and why. */
export class Omissions {
  readonly #notes = new Set<string>();

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  add(note: string): void {
    this.#notes.add(note);
  }

  /** Runs a read. @returns undefined after a failure */
  async value<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    const result = await attempt(what, read);
    if ('value' in result) return result.value;
    this.add(result.note);
    return undefined;
  }

  /** Lists objects. @param where such as `host cluster` */
  async list(
    client: KubernetesClient,
    type: ResourceType,
    where: { readonly in: string; readonly namespace?: string; readonly labelSelector?: string },
  ): Promise<readonly KubernetesObject[]> {
    const { in: cluster, ...selection } = where;
    const place = selection.namespace === undefined ? '' : ` of namespace ${selection.namespace}`;
    const what = `${type.plural}${place} in the ${cluster}`;
    return (await this.value(what, () => listServed(client, type, selection))) ?? [];
  }
}

/** A kind that the cluster does not serve, such as those of backups, has no objects. */
async function listServed(
  client: KubernetesClient,
  type: ResourceType,
  selection: Selection,
): Promise<readonly KubernetesObject[]> {
  try {
    return (await client.list(type, selection)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

const HOST = 'host cluster';
const MANAGEMENT = 'management cluster';

/**
 * Reads what a control plane consists of in its host cluster.
 * @throws NetworkError if the host cluster does not respond, so that not every read waits for it
 */
export async function readHostObjects(
  client: KubernetesClient,
  karmada: Karmada,
  omissions: Omissions,
): Promise<HostObjects> {
  const { name, namespace = '' } = karmada.metadata;
  const kubernetesVersion = await serverVersion(client);
  const instance = { in: HOST, namespace, labelSelector: `${INSTANCE}=${name}` };
  const managed = { ...instance, labelSelector: `${MANAGED_BY}=${MANAGER},${INSTANCE}=${name}` };
  const read = (type: ResourceType, where: Parameters<Omissions['list']>[2]) =>
    omissions.list(client, type, where);
  const lists = {
    deployments: await read(resources.Deployment, managed),
    statefulsets: await read(resources.StatefulSet, managed),
    pods: await read(resources.Pod, instance),
    services: await read(resources.Service, managed),
    poddisruptionbudgets: await read(resources.PodDisruptionBudget, instance),
    networkpolicies: await read(resources.NetworkPolicy, managed),
    persistentvolumeclaims: await read(resources.PersistentVolumeClaim, instance),
    configmaps: await read(resources.ConfigMap, instance),
    resourcequotas: await read(resources.ResourceQuota, { in: HOST, namespace }),
    limitranges: await read(resources.LimitRange, { in: HOST, namespace }),
    nodes: await read(resources.Node, { in: HOST }),
    storageclasses: await read(resources.StorageClass, { in: HOST }),
    events: ofControlPlane(await read(resources.Event, { in: HOST, namespace }), karmada),
  };
  return {
    lists,
    secrets: await read(resources.Secret, { in: HOST, namespace }),
    certificates: await omissions.value(`certificates of ${name}`, () =>
      readCertificates(client, karmada),
    ),
    kubernetesVersion,
  };
}

/** Events of the objects of a control plane, also of deleted ones. PVCs have their template in front of the name. */
function ofControlPlane(
  events: readonly KubernetesObject[],
  { metadata }: Karmada,
): readonly KubernetesObject[] {
  const prefix = instanceName(metadata.name, '');
  return events.filter((event) => {
    const { kind, name } = regarding(event);
    return kind === 'PersistentVolumeClaim' ? name.includes(prefix) : name.startsWith(prefix);
  });
}

/** An object of any kind of backups. */
interface BackupObject extends KubernetesObject {
  readonly spec?: {
    readonly karmadaRef?: { readonly name?: string };
    readonly template?: { readonly karmadaRef?: { readonly name?: string } };
  };
}

/** Reads what belongs to a control plane in the management cluster, without the Karmada object itself. */
export async function readManagementObjects(
  client: KubernetesClient,
  karmada: Karmada,
  omissions: Omissions,
): Promise<ObjectLists> {
  const { name, namespace = '' } = karmada.metadata;
  const read = (type: ResourceType): Promise<readonly KubernetesObject[]> =>
    omissions.list(client, type, { in: MANAGEMENT, namespace });
  const ofKarmada = ({ spec = {} }: BackupObject): boolean => {
    const { karmadaRef, template } = spec;
    return (karmadaRef ?? template?.karmadaRef)?.name === name;
  };
  const backups = (await read(karmadaBackups)).filter(ofKarmada);
  const schedules = (await read(karmadaBackupSchedules)).filter(ofKarmada);
  const restores = (await read(karmadaRestores)).filter(ofKarmada);
  const names = [...backups, ...schedules, ...restores].map(({ metadata }) => metadata.name);
  return {
    karmadabackups: backups,
    karmadabackupschedules: schedules,
    karmadarestores: restores,
    karmadabackupstores: await read(karmadaBackupStores),
    'management-events': eventsOf(await read(resources.Event), [name, ...names]),
  };
}

/** Events of the Karmada object and of its backups. */
function eventsOf(
  events: readonly KubernetesObject[],
  names: readonly string[],
): readonly KubernetesObject[] {
  return events.filter((event) => {
    const { kind, name } = regarding(event);
    return kind.startsWith('Karmada') && names.includes(name);
  });
}

function regarding(event: Event): { readonly kind: string; readonly name: string } {
  const { kind = '', name = '' } = event.regarding ?? {};
  return { kind, name };
}
