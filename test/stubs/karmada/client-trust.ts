/**
 * CAs of the clients of API servers, and the ConfigMap with which these publish them. As kube-apiserver, a stub only ever adds to
 * it.
 */
import { X509Certificate } from 'node:crypto';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { ApiResponse } from '../api/request.ts';
import type { StubApi } from '../api/stub-api.ts';
import type { ClusterView } from '../kubelet/cluster-view.ts';
import { specOf } from '../kubelet/pod-runtime.ts';

/** Bundles of CAs, PEM. */
interface ClientTrust {
  readonly clients: string;
  readonly frontProxies: string;
}

const VOLUME = 'apiserver-cert';

/** Returns what an API server reads of its mounted files, which stay when their Secret is deleted. */
export function mountedTrust(view: ClusterView, pod: KubernetesObject): () => ClientTrust {
  const found = specOf(pod).volumes?.find(({ name }) => name === VOLUME)?.secret;
  let seen: KubernetesObject | undefined;
  let trust: ClientTrust = { clients: '', frontProxies: '' };
  return () => {
    const secret = view.secret(pod.metadata.namespace ?? '', found?.secretName ?? '');
    if (secret === undefined || secret === seen) return trust;
    seen = secret;
    const data = dataOf(secret);
    const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
    trust = { clients: text('ca.crt'), frontProxies: text('front-proxy-ca.crt') };
    return trust;
  };
}

const ETCD_CA = 'etcd-ca.crt';

/** CAs of etcd that an API server reads when it starts. */
export function etcdTrustOf(view: ClusterView, pod: KubernetesObject): string {
  const volume = specOf(pod).volumes?.find(({ secret }) =>
    secret?.items?.some(({ key }) => key === ETCD_CA),
  );
  const secret = view.secret(pod.metadata.namespace ?? '', volume?.secret?.secretName ?? '');
  return Buffer.from(dataOf(secret)[ETCD_CA] ?? '', 'base64').toString('utf8');
}

/** A request with the connection that it arrived on. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly socket: object;
}

interface Connection {
  readonly authorized?: boolean;
  readonly getPeerX509Certificate?: () => X509Certificate | undefined;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Name that may speak for others (`--requestheader-allowed-names`). */
const FRONT_PROXY = 'front-proxy-client';

export const blocksIn = (bundle: string): readonly string[] => bundle.match(CERTIFICATE) ?? [];

export const hashesIn = (bundle: string): readonly string[] =>
  blocksIn(bundle).map((pem) => hashOf(new X509Certificate(pem)));

const hashOf = ({ fingerprint256 }: X509Certificate): string =>
  fingerprint256.replaceAll(':', '').toLowerCase();

/** Whether one of the CAs of a bundle has issued a certificate. */
export const isIssuedBy = (certificate: X509Certificate, bundle: string): boolean =>
  blocksIn(bundle).some((pem) => {
    const issuer = new X509Certificate(pem);
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  });

const nameIn = ({ subject }: X509Certificate): string => /CN=(.*)/.exec(subject)?.[1] ?? '';

/** User of a request; undefined if the server does not accept its certificate. */
export function userOf({ headers, socket }: Received, trust: ClientTrust): string | undefined {
  const connection = socket as Connection;
  const certificate = connection.getPeerX509Certificate?.();
  if (certificate === undefined) return undefined;
  const user = headers['x-remote-user'];
  const isFrontProxy =
    typeof user === 'string' &&
    nameIn(certificate) === FRONT_PROXY &&
    isIssuedBy(certificate, trust.frontProxies);
  if (isFrontProxy) return user;
  return connection.authorized === true || isIssuedBy(certificate, trust.clients)
    ? nameIn(certificate)
    : undefined;
}

const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** Answers a review of the own user. @returns undefined for another request */
export const answerOfReview = (
  { method, url }: Pick<Received, 'method' | 'url'>,
  username: string,
): ApiResponse | undefined =>
  method === 'POST' && url.startsWith(REVIEWS)
    ? {
        status: 201,
        body: {
          ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} },
          status: { userInfo: { username } },
        },
      }
    : undefined;

/** Place of the ConfigMap in the store. */
const [RESOURCE, KEY] = ['/configmaps', 'kube-system/extension-apiserver-authentication'] as const;
const URL = '/api/v1/namespaces/kube-system/configmaps';

type Data = Readonly<Record<string, string>>;

const dataOf = (found: KubernetesObject | undefined): Data => (found?.['data'] ?? {}) as Data;

/** CAs that aggregated API servers accept. */
export function publishedTrust({ store }: Pick<StubApi, 'store'>): ClientTrust {
  const data = dataOf(store.get(RESOURCE, KEY));
  return {
    clients: data['client-ca-file'] ?? '',
    frontProxies: data['requestheader-client-ca-file'] ?? '',
  };
}

const joined = (published: string, own: string): string =>
  [...new Set([...blocksIn(published), ...blocksIn(own)])].map((pem) => `${pem}\n`).join('');

/** Returns how one API server adds its CAs to the ConfigMap. It compares only what has changed. */
export function publisher(): (api: StubApi, own: ClientTrust) => void {
  let last: { readonly found?: KubernetesObject | undefined; readonly own?: ClientTrust } = {};
  return (api, own) => {
    if (last.own === own && last.found === api.store.get(RESOURCE, KEY)) return;
    publish(api, own);
    last = { own, found: api.store.get(RESOURCE, KEY) };
  };
}

function publish(api: StubApi, own: ClientTrust): void {
  const found = api.store.get(RESOURCE, KEY);
  const { clients, frontProxies } = publishedTrust(api);
  const data = {
    'client-ca-file': joined(clients, own.clients),
    'requestheader-client-ca-file': joined(frontProxies, own.frontProxies),
  };
  const before = dataOf(found);
  if (Object.entries(data).every(([key, value]) => before[key] === value)) return;
  const [namespace, name = ''] = KEY.split('/');
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data };
  api.handle({
    method: found === undefined ? 'POST' : 'PATCH',
    url: found === undefined ? URL : `${URL}/${name}`,
    headers: { 'user-agent': 'kube-apiserver', 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  });
}
