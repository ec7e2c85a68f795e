/** What an instance on another host than the operator's own cluster has besides. */
import { instanceName } from '../../api/naming.ts';
import { FIELD_MANAGER } from '../../api/karmada.ts';
import { isStatus } from '../../kubernetes/errors.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { pruneObject } from '../../kubernetes/prune.ts';
import { reduceSecret } from '../../kubernetes/reduce.ts';
import { resources } from '../../kubernetes/resources.ts';
import { ownedBy, type Host, type Local } from '../host.ts';
import { INSTANCE, isOurs, MANAGED_BY, MANAGER } from '../objects.ts';
import { keepPullSecrets } from './pull-secrets.ts';
import type { Snapshot } from '../snapshot.ts';

/** What has to be on the host before anything runs there. */
export async function prepareRemote(
  tools: { readonly local: Local },
  host: Host,
  snapshot: Pick<Snapshot, 'karmada' | 'spec' | 'host'>,
): Promise<void> {
  await keepNamespace(host, snapshot.karmada.metadata.namespace ?? '');
  await keepPullSecrets(tools, host, snapshot);
}

/** Makes the namespace on the host when it is not there; it stays, as others may have put something into it. */
async function keepNamespace({ client, namespaces }: Host, name: string): Promise<void> {
  if (namespaces.cache.get({ name }) !== undefined) return;
  try {
    await client.create(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      { fieldManager: FIELD_MANAGER },
    );
  } catch (error) {
    if (!isStatus(error, 409)) throw error;
  }
}

const copyName = (name: string): string => instanceName(name, 'admin-config');

function copyIn(local: Local, name: string, namespace: string): KubernetesObject | undefined {
  return ownedBy(local.owned, `${namespace}/${name}`).find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === copyName(name),
  );
}

/** Keeps the administrator's kubeconfig beside the Karmada equal to that on the host. */
export async function keepLocalKubeconfig(
  { local }: { readonly local: Local },
  host: Host,
  { karmada, host: seen }: Pick<Snapshot, 'karmada' | 'host'>,
): Promise<void> {
  const { name, namespace = '' } = karmada.metadata;
  const called = copyName(name);
  const wanted = seen.objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === called,
  );
  const copy = copyIn(local, name, namespace);
  if (wanted === undefined || sameData(wanted, copy)) return;
  const source = await host.client.find(resources.Secret, { namespace, name: called });
  if (source === undefined) return;
  // The host is somebody else's: nothing of it but these values is taken over.
  const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: name };
  const desired = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: called, namespace, labels },
    data: Object.fromEntries(kubeconfigsIn(source)),
  };
  const owns = (live: KubernetesObject): boolean => isOurs(live, name);
  await local.applier.apply({ desired, owns, reduce: reduceSecret });
}

/** Whether two cached Secrets, which have hashes in the place of values, hold the same. */
const sameData = (one: KubernetesObject, other: KubernetesObject | undefined): boolean =>
  JSON.stringify(kubeconfigsIn(one)) === JSON.stringify(kubeconfigsIn(other));

const KEYS = ['karmada.config', 'kubeconfig'];

function kubeconfigsIn(
  secret: KubernetesObject | undefined,
): readonly (readonly [string, unknown])[] {
  const data = (secret?.['data'] ?? {}) as Readonly<Record<string, unknown>>;
  return KEYS.flatMap((key) => (Object.hasOwn(data, key) ? [[key, data[key]] as const] : []));
}

/** Takes the copy away, when its control plane is gone. */
export async function removeLocalKubeconfig(
  local: Local,
  { name, namespace = '' }: { readonly name: string; readonly namespace?: string },
): Promise<void> {
  const copy = copyIn(local, name, namespace);
  if (copy === undefined) return;
  const owns = (live: KubernetesObject): boolean => isOurs(live, name);
  await pruneObject(local.client, { object: copy, owns });
  local.applier.forget(copy);
}
