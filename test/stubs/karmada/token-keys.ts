/** Keys of ServiceAccount tokens of an API server, which reads them when it starts: those that it publishes, and that which signs. */
import { createHash, createPublicKey } from 'node:crypto';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { notFound } from '../api/errors.ts';
import type { ApiResponse } from '../api/request.ts';
import type { Answering } from '../api/serve.ts';
import type { Store } from '../api/store.ts';
import { secretData, type ClusterView } from '../kubelet/cluster-view.ts';
import { specOf } from '../kubelet/pod-runtime.ts';

export interface TokenKeys {
  readonly published: readonly string[];
  readonly signs: string;
}

const VOLUME = 'karmada-service-account-key';

/** ID of a key, as in Kubernetes. */
const kidOf = (pem: string): string =>
  createHash('sha256')
    .update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .digest('base64url');

/** Reads the keys that a Pod mounts now. */
export function mountedKeys(view: ClusterView, pod: KubernetesObject): TokenKeys {
  const found = specOf(pod).volumes?.find(({ name }) => name === VOLUME)?.secret;
  const data = secretData(view, pod.metadata.namespace ?? '', found?.secretName ?? '');
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const blocks = text('service-account.pub').match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g);
  return { published: (blocks ?? []).map(kidOf), signs: kidOf(text('service-account.key')) };
}

const TOKEN = /^\/api\/v1\/namespaces\/([^/]+)\/serviceaccounts\/([^/]+)\/token/;

/** Answers a request about keys and tokens. @returns undefined for another request */
export function answerOfKeys(
  { published, signs }: TokenKeys,
  { method, url }: { readonly method: string; readonly url: string },
  store: Pick<Store, 'get'>,
): Answering | undefined {
  if (url === '/openid/v1/jwks') return jwks(published);
  const [, namespace = '', name = ''] = method === 'POST' ? (TOKEN.exec(url) ?? []) : [];
  if (name === '') return undefined;
  if (store.get('/serviceaccounts', `${namespace}/${name}`) === undefined)
    return notFound(`serviceaccounts "${name}"`);
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: signs })).toString('base64url');
  const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  return {
    status: 201,
    body: { ...kind, metadata: { name }, status: { token: `${header}.e30.` } },
  };
}

const jwks = (keys: readonly string[]): ApiResponse => ({
  status: 200,
  body: { keys: keys.map((kid) => ({ use: 'sig', kty: 'RSA', kid, alg: 'RS256' })) },
});
