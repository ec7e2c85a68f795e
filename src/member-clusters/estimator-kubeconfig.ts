/** Credentials of an estimator for a member cluster, and the Secret that contains them. Pure functions. */
import { instanceLabels } from '../api/labels.ts';
import {
  ACCESS_HASH,
  accessSecretName,
  CLUSTER_LABEL,
} from '../components/karmada-scheduler-estimator/karmada-scheduler-estimator.ts';
import { sha256 } from '../kubernetes/objects/intent.ts';
import type { Endpoint } from '../kubernetes/connection/connection.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { fields, isFlag, isText, listOf, optional, type Check } from '../untrusted/checks.ts';
import { parseJsonWithin } from '../untrusted/documents.ts';
import { UNTRUSTED } from '../untrusted/limits.ts';

/** Address and credentials of a member cluster. */
export interface MemberConnection {
  /** URL of its API server. */
  readonly server: string;
  /** Trusted PEM certificates. Absent if the server certificate is not verified. */
  readonly ca?: string;
  readonly insecure: boolean;
  readonly proxyUrl?: string;
  readonly token: string;
  /** Whether the token belongs to a ServiceAccount of the operator with least privilege. */
  readonly narrow: boolean;
}

/** Control plane to which the credentials belong. */
export interface AccessOwner {
  /** `metadata.name` of the Karmada object */
  readonly name: string;
  readonly namespace: string;
}

const DIRECTORY = '/etc/karmada/member';
/** Annotation: whether the operator must delete objects in the member cluster when it is removed. */
const NARROW = 'operator.karmada.io/narrow-access';

/** Hashes what an estimator reads only at start. Excludes the token, which it rereads from the mounted file. */
export function accessHash({ server, ca = '', insecure, proxyUrl = '' }: MemberConnection): string {
  return sha256(JSON.stringify([server, ca, insecure, proxyUrl]));
}

/** Returns the Secret that an estimator mounts. */
export function accessSecret(
  { name, namespace }: AccessOwner,
  cluster: string,
  access: MemberConnection,
): KubernetesObject {
  const files = {
    kubeconfig: kubeconfig(cluster, access),
    token: access.token,
    ...(access.ca !== undefined && { 'ca.crt': access.ca }),
  };
  const encoded = Object.entries(files).map(([file, text]) => [file, base64(text)] as const);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: accessSecretName(name, cluster),
      namespace,
      labels: {
        ...instanceLabels(name, 'karmada-scheduler-estimator'),
        [CLUSTER_LABEL]: cluster,
      },
      annotations: { [ACCESS_HASH]: accessHash(access), [NARROW]: String(access.narrow) },
    },
    type: 'Opaque',
    data: Object.fromEntries(encoded),
  };
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

interface KubeconfigCluster {
  readonly server: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'proxy-url'?: string;
}

/** Returns a kubeconfig as JSON, which is valid YAML. User values stay strings, so they cannot inject structure. */
function kubeconfig(cluster: string, access: MemberConnection): string {
  const entry: KubeconfigCluster & { readonly 'certificate-authority'?: string } = {
    server: access.server,
    ...(access.insecure && { 'insecure-skip-tls-verify': true }),
    ...(access.ca !== undefined && { 'certificate-authority': `${DIRECTORY}/ca.crt` }),
    ...(access.proxyUrl !== undefined && { 'proxy-url': access.proxyUrl }),
  };
  const user = 'scheduler-estimator';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: entry }],
    users: [{ name: user, user: { tokenFile: `${DIRECTORY}/token` } }],
    contexts: [{ name: cluster, context: { cluster, user } }],
    'current-context': cluster,
  });
}

/** Returns whether an access Secret belongs to objects of the operator in the member cluster. */
export function hasLeastPrivilegeToken({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.[NARROW] === 'true';
}

/**
 * Parses a Secret that `accessSecret` created.
 * @returns undefined if another client changed it so that it cannot be parsed
 */
export function readAccess(secret: Secret): MemberConnection | undefined {
  const data = secret.data ?? {};
  const text = (key: string): string | undefined =>
    data[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString('utf8');
  const entry = clusterEntry(text('kubeconfig'));
  const token = text('token');
  if (entry === undefined || token === undefined) return undefined;
  const ca = text('ca.crt');
  return {
    server: entry.server,
    ...(ca !== undefined && { ca }),
    insecure: entry['insecure-skip-tls-verify'] === true,
    ...(entry['proxy-url'] !== undefined && { proxyUrl: entry['proxy-url'] }),
    token,
    narrow: hasLeastPrivilegeToken(secret),
  };
}

const isCluster: Check<KubeconfigCluster> = fields({
  server: isText,
  'insecure-skip-tls-verify': optional(isFlag),
  'proxy-url': optional(isText),
});
const isKubeconfig = fields({ clusters: listOf(fields({ cluster: isCluster })) });

function clusterEntry(text = ''): KubeconfigCluster | undefined {
  try {
    const config = parseJsonWithin(text, { size: UNTRUSTED.kubeconfig });
    return isKubeconfig(config) ? config.clusters[0]?.cluster : undefined;
  } catch {
    return undefined;
  }
}

/** Converts the credentials to an endpoint for the Kubernetes client of the operator. */
export function accessEndpoint(access: Omit<MemberConnection, 'narrow'>): Endpoint {
  const { server, ca, insecure, proxyUrl, token } = access;
  return {
    server,
    ...(proxyUrl !== undefined && { proxyUrl }),
    credentials: () =>
      Promise.resolve({
        ...(ca !== undefined && { ca }),
        insecureSkipTlsVerify: insecure,
        headers: { authorization: `Bearer ${token}` },
      }),
  };
}
