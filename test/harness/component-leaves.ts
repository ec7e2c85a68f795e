/** Client certificates of the components of a control plane. */
import { X509Certificate } from 'node:crypto';
import { MASTERS_GROUP } from '../../src/api/identities.ts';
import { instanceName } from '../../src/api/naming.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { certificateBlocks } from '../../src/untrusted/pem.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { getObject } from './cluster.ts';
import type { InstanceAt } from './etcd-members.ts';

type Secret = KubernetesObject & { data?: Readonly<Record<string, string>> };

interface SecretVolume {
  readonly secret?: { readonly secretName?: string };
  readonly projected?: { readonly sources?: readonly { readonly secret?: { name?: string } }[] };
}

interface Pod {
  readonly spec: { readonly volumes?: readonly SecretVolume[] };
}

const decoded = (text = ''): string => Buffer.from(text, 'base64').toString('utf8');

const organizationOf = (pem: string): string =>
  /^O=(.*)$/m.exec(new X509Certificate(pem).subject)?.[1] ?? '';

/** Returns the organization in the certificate of a component. */
export async function organizationOfComponent(
  { cluster, name, namespace }: InstanceAt,
  component: string,
): Promise<string> {
  const secret = instanceName(name, `${component}-config`);
  const { data = {} } = await getObject<Secret>(cluster, 'secret', secret, namespace);
  return organizationOf(decoded(data['tls.crt']));
}

async function list<T>(cluster: Cluster, kind: string, namespace: string): Promise<readonly T[]> {
  const text = await kubectl(cluster, ['get', kind, '-n', namespace, '-o', 'json']);
  return (JSON.parse(text) as { items: T[] }).items;
}

/** Certificates in PEM text, or in a kubeconfig. */
const certificatesIn = (text: string): readonly string[] => [
  ...certificateBlocks(text),
  ...[...text.matchAll(/client-certificate-data: (\S+)/g)].flatMap(([, data]) =>
    certificateBlocks(decoded(data)),
  ),
];

/** Names of Secrets that a volume of a Pod contains, also a projected one. */
const secretsOf = ({ spec: { volumes = [] } }: Pod): readonly string[] =>
  volumes.flatMap(({ secret, projected }) => [
    secret?.secretName ?? '',
    ...(projected?.sources ?? []).map((source) => source.secret?.name ?? ''),
  ]);

/** Returns Secret and key of each certificate in the group `system:masters` that a Pod of a namespace mounts. */
export async function mountedMasters(
  cluster: Cluster,
  namespace: string,
): Promise<readonly string[]> {
  const [pods, secrets] = await Promise.all([
    list<Pod>(cluster, 'pods', namespace),
    list<Secret>(cluster, 'secrets', namespace),
  ]);
  const mounted = new Set(pods.flatMap(secretsOf));
  return secrets
    .filter(({ metadata }) => mounted.has(metadata.name))
    .flatMap(({ metadata, data = {} }) =>
      Object.entries(data)
        .filter(([, value]) =>
          certificatesIn(decoded(value)).some((pem) => organizationOf(pem) === MASTERS_GROUP),
        )
        .map(([key]) => `${metadata.name}/${key}`),
    );
}
