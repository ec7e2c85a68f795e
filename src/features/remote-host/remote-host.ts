/** Additional objects of a control plane on a remote host cluster: its Namespace and copies of Secrets. */
import { instanceName } from '../../api/naming.ts';
import { FIELD_MANAGER, type Karmada } from '../../api/karmada.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import type { Secret } from '../../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { pruneObject } from '../../kubernetes/apply/prune.ts';
import { hashSecretValues } from '../../kubernetes/objects/cache-transform.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import {
  AdminKubeconfigError,
  checkAdminKubeconfig,
} from '../../control-plane-access/admin-kubeconfig.ts';
import { KARMADAS_LABEL } from '../../host-clusters/host-namespace.ts';
import { ownedBy, type Host, type ManagementCluster } from '../../host-clusters/host.ts';
import { INSTANCE, isOurs, MANAGED_BY, MANAGER } from '../../api/labels.ts';
import { findOwn } from '../../instance/own-objects.ts';
import { pullSecretActions } from './pull-secrets.ts';
import type { Action, CreateNamespace } from '../../actions/action.ts';
import type { Done } from '../../actions/execution-result.ts';
import type { Snapshot } from '../../instance/snapshot.ts';

/** Returns the actions that prepare a remote host cluster; empty on the management cluster. */
export function prepareRemoteActions(
  snapshot: Pick<Snapshot, 'karmada' | 'spec' | 'host' | 'remote'>,
): readonly Action[] {
  const { remote, karmada } = snapshot;
  if (remote === undefined) return [];
  const { namespace: name = '' } = karmada.metadata;
  // The Namespace stays after deletion, since it may contain objects of other owners.
  return remote.hasNamespace
    ? pullSecretActions(snapshot)
    : [
        { kind: 'createNamespace', name, labels: remote.namespaceLabels },
        ...pullSecretActions(snapshot),
      ];
}

/** Creates the Namespace on the host cluster. @throws ApiError, also if a Namespace without its label exists; NetworkError */
export async function createNamespace(
  { client }: Pick<Host, 'client'>,
  { name, labels }: CreateNamespace,
): Promise<Done> {
  try {
    const metadata = { name, labels: { ...labels } };
    await client.create(
      { apiVersion: 'v1', kind: 'Namespace', metadata },
      { fieldManager: FIELD_MANAGER },
    );
    return { writes: 1 };
  } catch (error) {
    // The cache may be older than the Namespace. The next reconcile reports one without the label.
    const live = isStatus(error, 409)
      ? await client.find(resources.Namespace, { name })
      : undefined;
    const [label, value] = [KARMADAS_LABEL, labels[KARMADAS_LABEL]];
    if (live?.metadata.labels?.[label] !== value) throw error;
    return {};
  }
}

const copyName = (name: string): string => instanceName(name, 'admin-config');

/** Returns the cached copy of the admin kubeconfig in the namespace of the Karmada. */
export function kubeconfigCopy(
  local: Pick<ManagementCluster, 'owned'>,
  { metadata: { name, namespace = '' } }: Pick<Karmada, 'metadata'>,
): KubernetesObject | undefined {
  return ownedBy(local.owned, `${namespace}/${name}`).find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === copyName(name),
  );
}

/** Returns the action that copies the admin kubeconfig from the host cluster if the copy differs. */
export function kubeconfigActions({
  karmada,
  host,
  remote,
}: Pick<Snapshot, 'karmada' | 'host' | 'remote'>): readonly Action[] {
  if (remote === undefined) return [];
  const name = copyName(karmada.metadata.name);
  const wanted = host.objects.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === name,
  );
  const { kubeconfig: cached } = remote;
  if (wanted === undefined || sameData(wanted, cached)) return [];
  return [{ kind: 'copyKubeconfig', ...(cached && { cached }) }];
}

/** Copies the admin kubeconfig to the namespace of the Karmada. @throws ApiError, NetworkError */
export async function copyKubeconfig(
  local: Pick<ManagementCluster, 'applier'>,
  host: Pick<Host, 'client'>,
  { metadata }: Pick<Karmada, 'metadata'>,
): Promise<Done> {
  const { name, namespace = '' } = metadata;
  const called = copyName(name);
  const source = await findOwn(host.client, resources.Secret, { namespace, name: called }, name);
  if (source === undefined) return {};
  const values = kubeconfigsIn(source);
  const fault = faultIn(values);
  if (fault !== undefined)
    return {
      problem: {
        step: 'karmada-apiserver',
        reason: 'Conflict',
        message: `Secret ${namespace}/${called} on the host cluster is not copied: ${fault}`,
      },
    };
  // The host cluster may belong to another owner: the copy takes only these values and no metadata.
  const labels = { [MANAGED_BY]: MANAGER, [INSTANCE]: name };
  const desired = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: called, namespace, labels },
    data: Object.fromEntries(values),
  };
  const owns = (live: KubernetesObject): boolean => isOurs(live, name);
  await local.applier.apply({ desired, owns, reduce: hashSecretValues });
  return {};
}

/** Whether two cached Secrets have equal data. The cache stores hashes instead of values. */
const sameData = (one: KubernetesObject, other: KubernetesObject | undefined): boolean =>
  JSON.stringify(kubeconfigsIn(one)) === JSON.stringify(kubeconfigsIn(other));

const KEYS = ['karmada.config', 'kubeconfig'];

function kubeconfigsIn(secret: Secret | undefined): readonly (readonly [string, unknown])[] {
  const data = secret?.data ?? {};
  return KEYS.flatMap((key) => (Object.hasOwn(data, key) ? [[key, data[key]] as const] : []));
}

/** Why users of kubectl must not get a kubeconfig: it may run commands, and users of the host cluster can change it. */
function faultIn(values: ReturnType<typeof kubeconfigsIn>): string | undefined {
  try {
    for (const [, value] of values) {
      const encoded = typeof value === 'string' ? value : '';
      checkAdminKubeconfig(Buffer.from(encoded, 'base64').toString('utf8'));
    }
    return undefined;
  } catch (error) {
    if (error instanceof AdminKubeconfigError) return error.message;
    throw error;
  }
}

/** Deletes the copy of the admin kubeconfig after its control plane is deleted. @throws ApiError, NetworkError */
export async function removeLocalKubeconfig(
  local: ManagementCluster,
  karmada: Pick<Karmada, 'metadata'>,
): Promise<void> {
  const { name } = karmada.metadata;
  const copy = kubeconfigCopy(local, karmada);
  if (copy === undefined) return;
  const owns = (live: KubernetesObject): boolean => isOurs(live, name);
  await pruneObject(local.client, { object: copy, owns });
  local.applier.forget(copy);
}
