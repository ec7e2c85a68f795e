/** Client certificates of the components of a control plane. */
import { MASTERS_GROUP } from '../../src/api/identities.ts';
import { COMPONENT } from '../../src/api/labels.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { describeCertificate } from '../../src/pki/certificate-info.ts';
import { certificateBlocks } from '../../src/untrusted/pem.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { secretText } from './adopted-karmada.ts';
import type { InstanceAt } from './etcd-members.ts';

type Secret = KubernetesObject & { data?: Readonly<Record<string, string>> };

/** A volume, or a source of a projected one. */
interface SecretSource {
  readonly secretName?: string;
  readonly name?: string;
  /** Keys that the Pod sees; all if absent. */
  readonly items?: readonly { readonly key: string }[];
}

interface Pod extends KubernetesObject {
  readonly spec: {
    readonly volumes?: readonly {
      readonly secret?: SecretSource;
      readonly projected?: { readonly sources?: readonly { readonly secret?: SecretSource }[] };
    }[];
  };
}

const decoded = (text = ''): string => Buffer.from(text, 'base64').toString('utf8');

/** @throws Error if the certificate is unreadable */
function organizationsOf(pem: string): readonly string[] {
  const certificate = describeCertificate(pem);
  if (certificate === undefined) throw new Error(`no readable certificate: ${pem.slice(0, 60)}`);
  return certificate.organizations;
}

/** Returns the organization in the certificate of a component; several are separated by commas. */
export const organizationOfComponent = async (at: InstanceAt, component: string): Promise<string> =>
  organizationsOf(await secretText(at, `${component}-config`, 'tls.crt')).join();

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

/** Secrets in the volumes of a Pod. */
const sourcesOf = ({ spec: { volumes = [] } }: Pod): readonly SecretSource[] =>
  volumes
    .flatMap(({ secret, projected }) => [
      secret,
      ...(projected?.sources ?? []).map((source) => source.secret),
    ])
    .filter((source) => source !== undefined);

/** Returns the keys of a Secret with a certificate in the group `system:masters`. */
const mastersIn = ({ data = {} }: Secret): readonly string[] =>
  Object.entries(data).flatMap(([key, value]) =>
    certificatesIn(decoded(value)).some((pem) => organizationsOf(pem).includes(MASTERS_GROUP))
      ? [key]
      : [],
  );

/** Returns component, Secret and key of each certificate in the group `system:masters` that a Pod of a namespace can read. */
export async function mountedMasters(
  cluster: Cluster,
  namespace: string,
): Promise<readonly string[]> {
  const [pods, secrets] = await Promise.all([
    list<Pod>(cluster, 'pods', namespace),
    list<Secret>(cluster, 'secrets', namespace),
  ]);
  const keysOf = new Map(secrets.map((secret) => [secret.metadata.name, mastersIn(secret)]));
  const found = pods.flatMap((pod) =>
    sourcesOf(pod).flatMap(({ secretName, name = secretName ?? '', items }) =>
      (keysOf.get(name) ?? [])
        .filter((key) => items?.some((item) => item.key === key) ?? true)
        .map((key) => `${pod.metadata.labels?.[COMPONENT] ?? pod.metadata.name}: ${name}/${key}`),
    ),
  );
  return [...new Set(found)].sort();
}
