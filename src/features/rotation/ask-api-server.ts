/**
 * Asks the API server in one Pod which keys of ServiceAccount tokens it publishes, and with which one it signs. Through a Service
 * only one Pod would answer. Writes nothing: a token that is requested is not stored.
 */
import { SYSTEM_NAMESPACE } from '../../controlplane/input.ts';
import type { Credentials } from '../../control-plane-access/credentials.ts';
import { podDialer } from '../../host-clusters/dial-pod.ts';
import type { Remote } from '../../host-clusters/host.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { TenantAddresses } from '../../kubernetes/connection/addresses.ts';
import { explicitEndpoint } from '../../kubernetes/connection/connection.ts';
import { isNotFound } from '../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { fieldsOf } from '../../kubernetes/objects/records.ts';
import { resources } from '../../kubernetes/objects/resources.ts';
import { without } from '../../etcd-cluster/recovery/without.ts';
import { parseJsonWithin } from '../../untrusted/documents.ts';
import { MAX_ANSWER, TIMEOUT_MS, withPodClient, type PodClientOptions } from './pod-client.ts';

const PORT = 5443;

/** ServiceAccount in the control plane for whose tokens a rotation asks. It has no permissions. */
export const TOKEN_ACCOUNT = { namespace: SYSTEM_NAMESPACE, name: 'karmada-operator-rotation' };

/** What the API server of one Pod showed. Keys are SHA-256 of public keys. */
export interface KeysOfPod {
  /** Published keys; absent if the Pod did not show them. */
  readonly published?: readonly string[];
  /** Key that signed a token; absent if the Pod issued none. */
  readonly signs?: string;
  /** Whether the ServiceAccount does not exist. */
  readonly lacksAccount?: true;
}

export interface PodAccess extends Omit<PodClientOptions, 'resources'> {
  readonly credentials: Credentials;
  readonly remote: Remote | undefined;
  readonly addresses?: TenantAddresses | undefined;
}

/** Asks the API server in a Pod. Never rejects: what it does not show is absent. */
export async function askApiServer(pod: Pod, access: PodAccess): Promise<KeysOfPod> {
  const dialer = podDialer(pod, access.remote);
  if (dialer === undefined) return {};
  const route = () => dialer(PORT)(AbortSignal.timeout(TIMEOUT_MS));
  const { credentials, addresses, ...options } = without(access, 'remote');
  const { server, ca, certificate, key } = credentials;
  const endpoint = explicitEndpoint({
    server,
    caData: ca,
    certData: certificate,
    keyData: key,
    route,
    ...(addresses && { addresses }),
  });
  return withPodClient(
    endpoint,
    { ...options, resources: [TOKEN_REQUEST] },
    async (client, signal) => {
      const [published, token] = await Promise.all([
        publishedKeys(client, signal),
        signingKey(client, signal),
      ]);
      return { ...(published && { published }), ...token };
    },
  );
}

/** Keys and values of a JWKS are short. */
export const JWKS_LIMITS = { size: MAX_ANSWER, values: 1_000 } as const;

async function publishedKeys(
  client: Pick<KubernetesClient, 'raw'>,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const { status, body } = await client.raw('/openid/v1/jwks', { signal });
    return status === 200 ? keysIn(body) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a JWKS (RFC 7517). @returns undefined if it is none */
export function keysIn(body: string): readonly string[] | undefined {
  try {
    const { keys } = fieldsOf(parseJsonWithin(body, JWKS_LIMITS));
    if (!Array.isArray(keys)) return undefined;
    return keys.map((key: unknown) => hashOfKid(fieldsOf(key)['kid']));
  } catch {
    return undefined;
  }
}

/** The ID of a key in Kubernetes is the SHA-256 of its public half, as base64 for URLs. */
const hashOfKid = (kid: unknown): string =>
  typeof kid === 'string' ? Buffer.from(kid, 'base64url').toString('hex') : '';

/** TokenRequest of a ServiceAccount. */
const TOKEN_REQUEST = {
  group: 'authentication.k8s.io',
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  namespaced: true,
};

/** A token for an audience that accepts it nowhere. */
const REQUEST: KubernetesObject = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata: TOKEN_ACCOUNT,
  spec: { audiences: ['karmada-operator-rotation'], expirationSeconds: 600 },
};

async function signingKey(
  client: Pick<KubernetesClient, 'create'>,
  signal: AbortSignal,
): Promise<Pick<KeysOfPod, 'signs' | 'lacksAccount'>> {
  try {
    const options = { parent: resources.ServiceAccount, subresource: 'token', signal };
    const answer = await client.create(REQUEST, options);
    const { token } = fieldsOf(answer['status']);
    const signs = typeof token === 'string' ? signerOf(token) : undefined;
    return signs === undefined ? {} : { signs };
  } catch (error) {
    return isNotFound(error) ? { lacksAccount: true } : {};
  }
}

const HEADER_LIMITS = { size: 4 * 1_024, values: 50 } as const;

/** Returns the key that signed a token (RFC 7519). */
export function signerOf(token: string): string | undefined {
  try {
    const [header = ''] = token.split('.', 1);
    const json = parseJsonWithin(Buffer.from(header, 'base64url').toString(), HEADER_LIMITS);
    const hash = hashOfKid(fieldsOf(json)['kid']);
    return hash === '' ? undefined : hash;
  } catch {
    return undefined;
  }
}
