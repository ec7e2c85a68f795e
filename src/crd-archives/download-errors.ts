/** Converts download errors to status messages. Pure functions. A message never contains an unredacted URL. */
import { fieldsOf } from '../kubernetes/objects/records.ts';
import { ADDRESS_NOT_ALLOWED } from '../kubernetes/connection/addresses.ts';
import { SourceError } from './outcome.ts';

const FIELD = 'spec.crdTarball.httpSource';

/** Target of a request. */
export interface Route {
  /** Redacted URL of this request. */
  readonly shown: string;
  /** Proxy of the request: none, the proxy of the Karmada spec, or that of the operator environment. */
  readonly proxy: 'none' | 'own' | 'environment';
}

/** Cause of a failed download, with the field to correct and the action for the user. */
interface Fault {
  readonly cause: string;
  readonly field: 'url' | 'caBundle' | 'sha256' | 'proxy';
  readonly remedy: string;
}

const REACH = 'check the address, the DNS and the network policies of the operator';

const unreachable = (cause: string): Fault => ({ cause, field: 'url', remedy: REACH });
const distrusted = (cause: string): Fault => ({
  cause,
  field: 'caBundle',
  remedy: 'set it to the base64-encoded PEM of the CA that signed the server certificate',
});

const NOT_ALLOWED: Fault = {
  cause:
    'the operator does not connect to this address (loopback, link-local, or a metadata service)',
  field: 'url',
  remedy: 'use another address, or start the operator with --allow-addresses',
};

const FAULTS: Readonly<Record<string, Fault>> = {
  [ADDRESS_NOT_ALLOWED]: NOT_ALLOWED,
  ENOTFOUND: unreachable('the host name cannot be resolved'),
  EAI_AGAIN: unreachable('the host name cannot be resolved (temporary DNS error)'),
  ECONNREFUSED: unreachable('connection refused'),
  EHOSTUNREACH: unreachable('host unreachable'),
  ENETUNREACH: unreachable('network unreachable'),
  ETIMEDOUT: unreachable('connection timed out'),
  UND_ERR_CONNECT_TIMEOUT: unreachable('connection timed out'),
  ECONNRESET: unreachable('the connection was closed unexpectedly'),
  EPIPE: unreachable('the connection was closed unexpectedly'),
  UND_ERR_SOCKET: unreachable('the connection was closed unexpectedly'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: unreachable(
    'the response is shorter than its Content-Length',
  ),
  DEPTH_ZERO_SELF_SIGNED_CERT: distrusted('the server certificate is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: distrusted('the server certificate is signed by an untrusted CA'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: distrusted(
    'the server certificate is signed by an untrusted CA',
  ),
  UNABLE_TO_GET_ISSUER_CERT: distrusted('the server certificate is signed by an untrusted CA'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: distrusted(
    'the server certificate is signed by an untrusted CA',
  ),
  CERT_SIGNATURE_FAILURE: distrusted(
    'the server certificate is signed by another CA with the same name',
  ),
  CERT_HAS_EXPIRED: {
    ...distrusted('the server certificate has expired'),
    remedy: 'renew it on the server',
  },
  CERT_NOT_YET_VALID: {
    ...distrusted('the server certificate is not valid yet'),
    remedy: 'check the clocks of the server and of the operator node',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    cause: 'the server certificate is not valid for this host name',
    field: 'url',
    remedy: 'use a host name from the SANs of the certificate',
  },
};

/** Returns the error for a download that the operator rejects, or that failed with an HTTP status. */
export function refusal({ shown }: Route, cause: string, remedy: string): SourceError {
  return new SourceError(
    'CrdArchiveDownloadFailed',
    `${FIELD}.url: ${shown} cannot be downloaded: ${cause}; ${remedy}`,
  );
}

/** Returns the error for a download that exceeded a timeout. */
export function tooSlow(route: Route, cause: string): SourceError {
  return fault(route, unreachable(cause));
}

/** Returns the error for an HTTP status other than 200. */
export function badStatus(route: Route, status: number): SourceError {
  if (status === 407)
    return fault(route, { ...PROXY_REFUSED, cause: 'the proxy returns status 407' });
  const remedy =
    STATUS_REMEDIES[status] ??
    (status >= 500 ? 'check the server; the operator retries' : 'check the address');
  return refusal(route, `the server returns status ${status}`, remedy);
}

const STATUS_REMEDIES: Readonly<Record<number, string>> = {
  401: 'the server requires authentication: use an address without login, or a Secret (spec.crdTarball.secretRef)',
  403: 'the server denies access: use an address without login, or a Secret (spec.crdTarball.secretRef)',
  404: 'check the address',
  429: 'the server limits the request rate; the operator retries',
};

const PROXY_REFUSED: Fault = {
  cause: 'the proxy rejects the connection',
  field: 'proxy',
  remedy: 'check its address, user and password, and whether it allows this address',
};

/** Converts an error of undici or Node.js. Their messages may contain parts of a URL and are not used. */
export function thrown(route: Route, error: unknown): SourceError {
  const { code, message } = innermost(error);
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  if (status !== undefined)
    return fault(route, { ...PROXY_REFUSED, cause: `the proxy returns status ${status}` });
  const known = FAULTS[code];
  if (known !== undefined) return fault(route, known);
  if (code.startsWith('UND_ERR_PRX') || code.startsWith('UND_ERR_SOCKS'))
    return fault(route, PROXY_REFUSED);
  if (code.startsWith('HPE_')) return fault(route, unreachable('the response is not HTTP'));
  return fault(route, unreachable(`connection failed (${code})`));
}

/** Builds the error. A connection error concerns the proxy if the request uses one. */
function fault(route: Route, { cause, field, remedy }: Fault): SourceError {
  const proxied = route.proxy !== 'none' && (field === 'proxy' || remedy === REACH);
  const via = proxied ? ' through the proxy' : '';
  return new SourceError(
    'CrdArchiveDownloadFailed',
    `${fieldPath(route, proxied ? 'proxy' : field)}: ${route.shown} cannot be downloaded${via}: ${cause}; ${remedy}`,
  );
}

function fieldPath({ proxy }: Route, field: Fault['field']): string {
  if (field !== 'proxy') return `${FIELD}.${field}`;
  return proxy === 'own'
    ? `${FIELD}.proxy.proxyURL`
    : 'environment variable https_proxy or http_proxy of the operator';
}

/** Returns code and message of the innermost error: `cause`, or the first error of an AggregateError. */
function innermost(error: unknown): { readonly code: string; readonly message: string } {
  const { code, name, message, cause, errors } = fieldsOf(error);
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const inner = cause ?? first;
  if (typeof inner === 'object' && inner !== null) {
    const found = innermost(inner);
    if (found.code !== 'unknown') return found;
  }
  return {
    code: codeOf(code, name),
    message: typeof message === 'string' ? message : '',
  };
}

function codeOf(code: unknown, name: unknown): string {
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)) return code;
  return name === 'HTTPParserError' ? 'HPE_INVALID' : 'unknown';
}
