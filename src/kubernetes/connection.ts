import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
import type { AddressPolicy } from './addresses.ts';

/** What one connection and one request need to be accepted by an API server. */
export interface Credentials {
  /** PEM bundle of the CAs that may have signed the serving certificate; absent: the system's. */
  readonly ca?: string;
  /** Client certificate chain and key, PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** Name to verify in the serving certificate instead of the host in the URL. */
  readonly serverName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** Authorization and impersonation headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Dials one connection in place of TCP to the host of the URL, for instance through a port-forward. */
export type Route = (target: { readonly host: string; readonly port: number }) => Promise<Duplex>;

/** Where an API server is and how to get in. */
export interface Endpoint {
  /** `https://host:port`, with an optional path. */
  readonly server: string;
  /** http, https or socks5 proxy. */
  readonly proxyUrl?: string;
  readonly route?: Route;
  /** Finds the addresses of the server, when neither proxy nor route does; Node's own way when absent. */
  readonly lookup?: LookupFunction;
  /** For a server that a user names: which addresses may be connected to. Any when absent. */
  readonly addresses?: AddressPolicy;
  /** Gives the credentials of the moment; asked again every few seconds and after a 401. */
  credentials(): Promise<Credentials>;
}

/** Fixed credentials, all PEM or plain text, as the operator holds for a Karmada API server. */
export interface ExplicitAccess {
  readonly server: string;
  readonly caData?: string;
  readonly certData?: string;
  readonly keyData?: string;
  readonly token?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly proxyUrl?: string;
  readonly route?: Route;
  readonly lookup?: LookupFunction;
  readonly addresses?: AddressPolicy;
}

/** An endpoint with fixed credentials. */
export function explicitEndpoint(access: ExplicitAccess): Endpoint {
  const { server, proxyUrl, route, lookup, addresses } = access;
  const credentials = explicitCredentials(access);
  return {
    server,
    ...optional('proxyUrl', proxyUrl),
    ...optional('route', route),
    ...optional('lookup', lookup),
    ...optional('addresses', addresses),
    credentials: () => Promise.resolve(credentials),
  };
}

export function explicitCredentials(access: ExplicitAccess): Credentials {
  return {
    ...optional('ca', access.caData),
    ...optional('cert', access.certData),
    ...optional('key', access.keyData),
    ...optional('serverName', access.tlsServerName),
    ...optional('insecureSkipTlsVerify', access.insecureSkipTlsVerify),
    headers: access.token === undefined ? {} : { authorization: `Bearer ${access.token}` },
  };
}

/** What KubeConfig.applyToHTTPSOptions fills in. */
interface HttpsOptions {
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
  auth?: string;
  headers?: Record<string, string>;
}

/**
 * An endpoint from the current context of a kubeconfig, a file's or the in-cluster one. Files
 * (tokens, certificates) are read anew on each call of `credentials`, exec plugins are asked again
 * after their expiry. Only for kubeconfigs of the operator itself: one that comes from a user may
 * name commands and local files.
 * @throws Error when the kubeconfig has no usable current context
 */
export function kubeConfigEndpoint(kubeConfig: KubeConfig): Endpoint {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) {
    throw new Error('the kubeconfig has no current context that names one of its clusters');
  }
  return {
    server: cluster.server,
    ...optional('proxyUrl', cluster.proxyUrl),
    credentials: async () => {
      const options: HttpsOptions = {};
      await kubeConfig.applyToHTTPSOptions(options);
      return fromHttpsOptions(options);
    },
  };
}

function fromHttpsOptions(options: HttpsOptions): Credentials {
  const basic: Record<string, string> =
    options.auth === undefined
      ? {}
      : { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` };
  const given = Object.entries(options.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value).trim(),
  ]);
  return {
    ...optional('ca', options.ca?.toString()),
    ...optional('cert', options.cert?.toString()),
    ...optional('key', options.key?.toString()),
    ...optional('serverName', options.servername),
    ...(options.rejectUnauthorized === false ? { insecureSkipTlsVerify: true } : {}),
    headers: { ...basic, ...(Object.fromEntries(given) as Record<string, string>) },
  };
}

function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]: V });
}
