/** What a control plane needs of its host cluster: permissions, DNS domain, credentials of registries, StorageClasses. */
import type { KubernetesClient } from '../../kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { apiVersionOf, resources } from '../../kubernetes/resources.ts';
import { missingPermissionsText } from '../../permissions/missing-permissions-text.ts';
import { permissionsOf } from '../../permissions/needed.ts';
import { permissionText, type Permission } from '../../permissions/permission.ts';
import { isWorkload } from '../../components/workload.ts';
import { OPERATOR } from '../information/version-command.ts';
import { serviceZones } from './dns-domain.ts';
import { registriesIn, registryOf } from './pull-secrets.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

/** Permissions that the operator lacks in the host cluster. */
export async function permissions({ tools, client, karmada, isRemote }: Subject): Promise<Found> {
  const { namespace = '' } = karmada.metadata;
  const ok = 'the operator has all permissions';
  if (isRemote) {
    const missing = await denied(client, permissionsOf('remote'), { namespace });
    return { ok, problems: lacking('the remote host cluster', missing, 'remote') };
  }
  const users = await operatorUsers(tools.client);
  if (users.length === 0)
    throw new Error('no Deployment of the operator found, so its permissions are unknown');
  const missing = await Promise.all(
    users.map((user) => denied(tools.client, permissionsOf('operator'), { namespace, user })),
  );
  return { ok, problems: lacking('the cluster of the operator', missing.flat(), 'own') };
}

const lacking = (
  at: string,
  missing: readonly Permission[],
  where: 'own' | 'remote',
): Found['problems'] =>
  missing.length === 0
    ? []
    : [
        {
          outcome: 'failed',
          reason: 'HostRightsMissing',
          message: missingPermissionsText(at, missing.map(permissionText), { where }),
        },
      ];

/** Users of the ServiceAccounts of the operator. */
async function operatorUsers(client: KubernetesClient): Promise<readonly string[]> {
  const { items } = await client.list(resources.Deployment, { labelSelector: OPERATOR });
  return items.map(({ metadata, spec }) => {
    const { template } = spec as {
      readonly template: { readonly spec: { readonly serviceAccountName?: string } };
    };
    const account = template.spec.serviceAccountName ?? 'default';
    return `system:serviceaccount:${metadata.namespace ?? ''}:${account}`;
  });
}

/** Reviews permissions in a namespace: those of a user, or those of the client. */
async function denied(
  client: Pick<KubernetesClient, 'create'>,
  needed: readonly Permission[],
  { namespace, user }: { readonly namespace: string; readonly user?: string },
): Promise<readonly Permission[]> {
  const kind = user === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  const missing: Permission[] = [];
  for (const permission of needed) {
    const { verb, group, name } = permission;
    const [resource, subresource] = permission.resource.split('/');
    const resourceAttributes = { verb, group, resource, subresource, name, namespace };
    const answer = await client.create({
      apiVersion: apiVersionOf(resources[kind]),
      kind,
      metadata: { name: '' },
      spec: { resourceAttributes, ...(user !== undefined && { user }) },
    });
    const { allowed } = (answer['status'] ?? {}) as { readonly allowed?: boolean };
    if (allowed !== true) missing.push(permission);
  }
  return missing;
}

/** The DNS domain of the host cluster, as CoreDNS has it. */
export async function dnsDomain({ client, spec }: Subject): Promise<Found> {
  const found = await client.find(resources.ConfigMap, {
    namespace: 'kube-system',
    name: 'coredns',
  });
  const { Corefile = '' } = (found?.['data'] ?? {}) as { readonly Corefile?: string };
  const zones = serviceZones(Corefile);
  if (zones.length === 0)
    throw new Error(
      'ConfigMap kube-system/coredns does not show the DNS domain of the host cluster',
    );
  const { dnsDomain: domain } = spec.hostCluster.networking;
  if (zones.includes(domain))
    return { problems: [], ok: `${domain} is the DNS domain of the cluster` };
  const message = `spec.hostCluster.networking.dnsDomain: is ${domain}, and CoreDNS serves ${zones.join(', ')}; set ${zones[0] ?? ''}`;
  return { ok: '', problems: [{ outcome: 'failed', message }] };
}

/** Pull Secrets without credentials for the registries of the images. Such a registry may also be public. */
export async function images({ tools, karmada, spec, rendered }: Subject): Promise<Found> {
  const registries = new Set(
    rendered
      .filter(isWorkload)
      .flatMap((workload) => workload.spec.template.spec.containers)
      .map((container) => registryOf(String(container['image']))),
  );
  const names = (spec.imagePullSecrets ?? []).map(({ name }) => name);
  const list = [...registries].sort().join(', ');
  if (names.length === 0) return { problems: [], ok: `images of ${list}, without pull Secrets` };
  const { namespace = '' } = karmada.metadata;
  const found = await Promise.all(
    names.map(async (name) => ({
      name,
      secret: await tools.client.find(resources.Secret, { namespace, name }),
    })),
  );
  const known = found.flatMap(({ secret }) => (secret ? registriesIn(dockerConfig(secret)) : []));
  const missing = found.filter(({ secret }) => secret === undefined);
  const unknown = [...registries].filter((registry) => !known.includes(registry));
  return {
    ok: `the pull Secrets have credentials for ${list}`,
    problems: [
      ...missing.map(({ name }) => ({
        outcome: 'failed' as const,
        message: `spec.imagePullSecrets: Secret ${namespace}/${name} does not exist; create it`,
      })),
      ...unknown.map((registry) => ({
        outcome: 'warning' as const,
        message: `spec.imagePullSecrets: no Secret has credentials for ${registry}; add them if the registry is not public`,
      })),
    ],
  };
}

function dockerConfig(secret: KubernetesObject): string {
  const { '.dockerconfigjson': encoded = '' } = (secret['data'] ?? {}) as Readonly<
    Record<string, string>
  >;
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** The StorageClass of the etcd volumes. */
export async function storage({ client, spec, facts }: Subject): Promise<Found> {
  const { local } = spec.components.etcd;
  const claim = local?.volumeData.volumeClaim;
  if (claim === undefined) return { problems: [], ok: 'etcd uses no PersistentVolumeClaim' };
  const field = 'spec.components.etcd.local.volumeData.volumeClaim.spec.storageClassName';
  const { storageClassName, volumeName } = claim.spec;
  const failed = (message: string): Found => ({
    ok: '',
    problems: [{ outcome: 'failed', message }],
  });
  if (storageClassName === undefined) {
    if (facts.defaultStorageClass)
      return { problems: [], ok: 'etcd uses the default StorageClass' };
    return failed(`${field}: is not set, and the host cluster has no default StorageClass; set it`);
  }
  if (storageClassName === '' || volumeName !== undefined)
    return { problems: [], ok: 'etcd uses existing volumes' };
  const found = await client.find(resources.StorageClass, { name: storageClassName });
  if (found === undefined)
    return failed(
      `${field}: StorageClass ${storageClassName} does not exist; create it, or set another`,
    );
  return { problems: [], ok: `StorageClass ${storageClassName} exists` };
}
