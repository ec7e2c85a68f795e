/** Reads everything that a report of control planes contains, except logs. */
import type { Karmada, SecretReference } from '../../api/karmada.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { Deployment, Secret } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { OPERATOR, operatorLines, serverVersion } from '../information/version-command.ts';
import { openHost } from '../plan-host.ts';
import type { Connection } from '../program/connect.ts';
import {
  type HostObjects,
  type ObjectLists,
  type Omissions,
  readHostObjects,
  readManagementObjects,
} from './read-objects.ts';

export interface ControlPlaneFacts {
  readonly karmada: Karmada;
  /** Undefined if the host cluster cannot be read. */
  readonly host: HostObjects | undefined;
  readonly management: ObjectLists;
}

interface OperatorFacts {
  readonly deployments: readonly Deployment[];
  readonly pods: readonly Pod[];
}

export interface ReportFacts {
  readonly controlPlanes: readonly ControlPlaneFacts[];
  readonly operator: OperatorFacts;
  /** Secrets whose values other texts may contain. They are compared and not stored. */
  readonly secrets: readonly Secret[];
  /** Lines such as `Kubernetes: v1.35.4`. */
  readonly versions: readonly string[];
}

/** Reads the objects of control planes. Never throws for what the user may not read; see `omissions`. */
export async function readReport(
  connection: Connection,
  karmadas: readonly Karmada[],
  omissions: Omissions,
): Promise<ReportFacts> {
  const { client } = connection;
  const controlPlanes: ControlPlaneFacts[] = [];
  const secrets: KubernetesObject[] = [];
  // One after the other: a fleet must not put its whole load on the API server at once.
  for (const karmada of karmadas) {
    const read = await readControlPlane(connection, karmada, omissions);
    controlPlanes.push(read.facts);
    secrets.push(...read.secrets);
  }
  const operator = await readOperator(client, omissions);
  secrets.push(...operator.secrets);
  const plane = await omissions.value('version of Kubernetes', () => serverVersion(client));
  const lines = await omissions.value('version of the operator', () => operatorLines(client));
  const versions = [...(lines ?? []), ...(plane === undefined ? [] : [`Kubernetes: ${plane}`])];
  return { controlPlanes, operator, secrets, versions };
}

async function readControlPlane(
  connection: Connection,
  karmada: Karmada,
  omissions: Omissions,
): Promise<{
  readonly facts: ControlPlaneFacts;
  readonly secrets: readonly Secret[];
}> {
  const { client } = connection;
  const { name, namespace = '' } = karmada.metadata;
  const { hostCluster, components, customCertificate } = karmada.spec ?? {};
  const management = await readManagementObjects(client, karmada, omissions);
  const secrets = [
    ...(await referenced(client, karmada, [hostCluster?.secretRef], omissions)),
    ...(hostCluster?.secretRef?.name
      ? await omissions.list(client, resources.Secret, { in: 'management cluster', namespace })
      : []),
  ];
  const host = await omissions.value(`host cluster of ${name}`, async () => {
    const opened = await openHost(connection, karmada);
    try {
      const objects = await readHostObjects(opened.client, karmada, omissions);
      const more = [components?.etcd?.external?.secretRef, customCertificate?.apiServerCACert];
      secrets.push(...(await referenced(opened.client, karmada, more, omissions)));
      return objects;
    } finally {
      await opened.close();
    }
  });
  return {
    facts: { karmada, host, management },
    secrets: [...secrets, ...(host?.secrets ?? [])],
  };
}

/** Secrets in other namespaces. Those of the namespace of the Karmada are listed. */
async function referenced(
  client: KubernetesClient,
  karmada: Karmada,
  references: readonly (SecretReference | undefined)[],
  omissions: Omissions,
): Promise<readonly KubernetesObject[]> {
  const found: KubernetesObject[] = [];
  for (const { name = '', namespace = '' } of references.flatMap((one) => one ?? [])) {
    if (name === '' || namespace === '' || namespace === karmada.metadata.namespace) continue;
    const secret = await omissions.value(`Secret ${namespace}/${name}`, () =>
      client.find(resources.Secret, { namespace, name }),
    );
    if (secret !== undefined) found.push(secret);
  }
  return found;
}

async function readOperator(
  client: KubernetesClient,
  omissions: Omissions,
): Promise<OperatorFacts & { readonly secrets: readonly Secret[] }> {
  const where = { in: 'management cluster', labelSelector: OPERATOR };
  const deployments = await omissions.list(client, resources.Deployment, where);
  const namespaces = new Set(deployments.map(({ metadata }) => metadata.namespace ?? ''));
  const pods: KubernetesObject[] = [];
  const secrets: KubernetesObject[] = [];
  for (const namespace of namespaces) {
    pods.push(...(await omissions.list(client, resources.Pod, { ...where, namespace })));
    const all = { in: 'management cluster', namespace };
    secrets.push(...(await omissions.list(client, resources.Secret, all)));
  }
  return { deployments, pods, secrets };
}
