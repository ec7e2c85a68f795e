import type { Duplex } from 'node:stream';
import type { KubeConfig } from '@kubernetes/client-node';
import { clientKeyPem } from '../../untrusted/x509.ts';
import type { TenantAddresses } from './addresses.ts';
import { optionalField } from '../objects/records.ts';

/** TLS settings and headers that authenticate connections and requests to an API server. */
export interface Credentials {
  /** PEM bundle of the CAs that verify the serving certificate; the system CAs when absent. */
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

/** Dials a connection instead of TCP to the host of the URL, for example by port-forward. */
export type Dialer = (target: { readonly host: string; readonly port: number }) => Promise<Duplex>;

/** Address of an API server, how to connect to it, and its credentials. */
export interface Endpoint {
  /** `https://host:port`, with an optional path. */
  readonly server: string;
  /** http, https or socks5 proxy. */
  readonly proxyUrl?: string;
  readonly route?: Dialer;
  /** For a server that a user specifies. When absent, all addresses are allowed, and Node.js resolves the name. */
  readonly addresses?: TenantAddresses;
  /** Returns the current credentials. The transport calls it again after 10 seconds and after a 401. */
  credentials(): Promise<Credentials>;
}

/** Address and fixed credentials of an API server, as PEM or plain text. */
export interface ExplicitAccess {
  readonly server: string;
  readonly caData?: string;
  readonly certData?: string;
  readonly keyData?: string;
  readonly token?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly proxyUrl?: string;
  readonly route?: Dialer;
  readonly addresses?: TenantAddresses;
}

/** Creates an endpoint with fixed credentials. */
export function explicitEndpoint(access: ExplicitAccess): Endpoint {
  const { server, proxyUrl, route, addresses } = access;
  const credentials = explicitCredentials(access);
  return {
    server,
    ...optionalField('proxyUrl', proxyUrl),
    ...optionalField('route', route),
    ...optionalField('addresses', addresses),
    credentials: () => Promise.resolve(credentials),
  };
}

/** Credentials of an ExplicitAccess in the form of an endpoint. @throws Error for a client key that is unreadable or above a limit */
export function explicitCredentials(access: ExplicitAccess): Credentials {
  return {
    ...optionalField('ca', access.caData),
    ...optionalField('cert', access.certData),
    ...optionalField('key', access.keyData && clientKeyPem(access.keyData)),
    ...optionalField('serverName', access.tlsServerName),
    ...optionalField('insecureSkipTlsVerify', access.insecureSkipTlsVerify),
    headers: access.token === undefined ? {} : { authorization: `Bearer ${access.token}` },
  };
}

/** Options that KubeConfig.applyToHTTPSOptions sets. */
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
 * Creates an endpoint from the current context of a kubeconfig. Each call of `credentials` rereads token and
 * certificate files, and runs exec plugins again after their credentials expired. Use it only for kubeconfigs
 * of the operator itself, because a kubeconfig of a user may reference commands and local files.
 * @throws Error when the kubeconfig has no usable current context
 */
export function kubeConfigEndpoint(kubeConfig: KubeConfig): Endpoint {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) {
    throw new Error('kubeconfig: current-context is not set or does not reference a cluster');
  }
  return {
    server: cluster.server,
    ...optionalField('proxyUrl', cluster.proxyUrl),
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
    ...optionalField('ca', options.ca?.toString()),
    ...optionalField('cert', options.cert?.toString()),
    ...optionalField('key', options.key?.toString()),
    ...optionalField('serverName', options.servername),
    ...(options.rejectUnauthorized === false ? { insecureSkipTlsVerify: true } : {}),
    headers: { ...basic, ...Object.fromEntries(given) },
  };
}
