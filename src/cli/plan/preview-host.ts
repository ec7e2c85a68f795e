/** What a preview reads from the clusters for the rounds before the components. Reads only. */
import type { Karmada } from '../../api/karmada.ts';
import { secretRefusal, type SecretPolicy } from '../../api/secrets/secret-grant.ts';
import { readEvidence } from '../../features/etcd-bootstrap/evidence.ts';
import { etcdWorkload } from '../../features/etcd-storage/plan-etcd.ts';
import { copyOf, pullSecretActions } from '../../features/remote-host/pull-secrets.ts';
import { hostEndpointOf, hostReference, hostSecretOf } from '../../host-clusters/host-reference.ts';
import type { EtcdData } from '../../instance/etcd-bootstrap.ts';
import type { CertificatesView, RemoteSnapshot, Snapshot } from '../../instance/snapshot.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import { isStatus } from '../../kubernetes/client/errors.ts';
import { resources } from '../../kubernetes/objects/resources.ts';

type Reader = Pick<KubernetesClient, 'find'>;
type Subject = Pick<Snapshot, 'karmada' | 'spec' | 'host'>;

/** What the operator needs on a remote host cluster besides the components. */
export interface RemotePreview {
  readonly remote: RemoteSnapshot;
  /** Names of the pull Secrets that the operator would copy. */
  readonly pullSecrets: ReadonlySet<string>;
}

/**
 * Reads the namespace on a remote host cluster, and the pull Secrets that are not there.
 * @returns undefined for the management cluster
 * @throws ApiError, NetworkError
 */
export async function previewRemote(
  clients: { readonly management: Reader; readonly host: Reader },
  subject: Subject,
  policy: SecretPolicy,
): Promise<RemotePreview | undefined> {
  const { karmada } = subject;
  const reference = hostReference(karmada);
  if (reference === undefined) return undefined;
  const { namespace: name = '' } = karmada.metadata;
  const missing = pullSecretActions(subject).filter(({ cached }) => cached === undefined);
  const [hasNamespace, copied] = await Promise.all([
    exists(clients.host, name),
    Promise.all(
      missing.map(async (action) =>
        (await isCopied(clients.management, karmada, action.name, policy)) ? [action.name] : [],
      ),
    ),
  ]);
  const endpoint = hostEndpointOf(reference, '');
  const secret = hostSecretOf(reference);
  return {
    remote: { server: endpoint, secret, endpoint, hasNamespace, namespaceLabels: {} },
    pullSecrets: new Set(copied.flat()),
  };
}

/** Without the permission to read a Namespace, it counts as existing. */
async function exists(client: Reader, name: string): Promise<boolean> {
  try {
    return (await client.find(resources.Namespace, { name })) !== undefined;
  } catch (error) {
    if (isStatus(error, 403)) return true;
    throw error;
  }
}

/** Whether the operator copies a Secret: it exists, has the type of a pull Secret, and the Karmada may use it. */
async function isCopied(
  client: Reader,
  { metadata }: Pick<Karmada, 'metadata'>,
  name: string,
  policy: SecretPolicy,
): Promise<boolean> {
  const { namespace = '' } = metadata;
  const source = await client.find(resources.Secret, { namespace, name });
  if (source === undefined) return false;
  const use = { field: 'spec.imagePullSecrets', user: { name: metadata.name, namespace } };
  return (
    secretRefusal(source.metadata, use, policy) === undefined &&
    copyOf(source, { metadata }) !== undefined
  );
}

/** Data of a local etcd without a StatefulSet. */
interface EtcdDataPreview {
  readonly data?: EtcdData;
  /** Why it could not be read. */
  readonly unread?: string;
}

/**
 * Reads which data a local etcd without a StatefulSet has. Never throws.
 * @returns nothing for an external etcd, and for one with a StatefulSet
 */
export async function previewEtcdData(
  client: Pick<KubernetesClient, 'find' | 'list'>,
  subject: Subject,
  { etcdAuthorities }: Pick<CertificatesView, 'etcdAuthorities'>,
): Promise<EtcdDataPreview> {
  const isLocal = subject.spec.components.etcd.local !== undefined;
  if (!isLocal || etcdWorkload(subject) !== undefined) return {};
  const host = { client, rights: { lacks: () => false } };
  const { statefulSet, ...data } = await readEvidence(host, subject.karmada, etcdAuthorities);
  const { unread } = data.evidence;
  if (unread !== undefined) return { unread };
  return statefulSet === undefined ? { data } : {};
}
