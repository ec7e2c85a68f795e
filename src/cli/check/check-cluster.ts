/** What a control plane needs of its host cluster: DNS domain, credentials of registries. */
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import { resources, type ObjectKey } from '../../kubernetes/objects/resources.ts';
import { isWorkload } from '../../components/workload.ts';
import { serviceZones } from './dns-domain.ts';
import { isFor, registriesOf, registryOf } from './pull-secrets.ts';
import type { Found } from './result.ts';
import type { Subject } from './subject.ts';

/** The DNS domain of the host cluster, as CoreDNS has it. */
export async function dnsDomain({ client, spec }: Subject): Promise<Found> {
  const found = await client.find(resources.ConfigMap, {
    namespace: 'kube-system',
    name: 'coredns',
  });
  const { Corefile = '' } = found?.data ?? {};
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
export async function images(subject: Subject): Promise<Found> {
  const { karmada, spec, rendered } = subject;
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
      secret: await pullSecret(subject, { namespace, name }),
    })),
  );
  const known = found.flatMap(({ secret }) => registriesOf(secret?.data ?? {}));
  const missing = found.filter(({ secret }) => secret === undefined);
  const unknown = [...registries].filter(
    (registry) => !known.some((pattern) => isFor(pattern, registry)),
  );
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

/** The operator copies the Secret to a remote host cluster, and leaves one that the user created there. */
async function pullSecret(
  { tools, client, isRemote }: Subject,
  key: ObjectKey,
): Promise<Secret | undefined> {
  const found = await tools.client.find(resources.Secret, key);
  return found ?? (isRemote ? client.find(resources.Secret, key) : undefined);
}
