/** What went wrong on the way to a server, in words for the status: pure, and never with a whole URL. */
import { ADDRESS_NOT_ALLOWED } from '../kubernetes/addresses.ts';
import { SourceError } from './outcome.ts';

const FIELD = 'spec.crdTarball.httpSource';

/** Where a request went. */
export interface Route {
  /** The URL of this request, without what may be secret. */
  readonly shown: string;
  /** Whether it went through a proxy, and whether the Karmada names that one. */
  readonly proxy: 'none' | 'own' | 'environment';
}

/** How the server failed, with the field that mends it. */
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
  remedy: "set it to the PEM, in base64, of the CA that signed the server's certificate",
});

const NOT_ALLOWED: Fault = {
  cause:
    'it is at an address that the operator does not connect to (loopback, link-local, or a metadata service)',
  field: 'url',
  remedy: 'use another address, or start the operator with --allow-addresses',
};

const FAULTS: Readonly<Record<string, Fault>> = {
  [ADDRESS_NOT_ALLOWED]: NOT_ALLOWED,
  ENOTFOUND: unreachable('the name cannot be resolved'),
  EAI_AGAIN: unreachable('the name cannot be resolved at present'),
  ECONNREFUSED: unreachable('the connection is refused'),
  EHOSTUNREACH: unreachable('the host cannot be reached'),
  ENETUNREACH: unreachable('the network cannot be reached'),
  ETIMEDOUT: unreachable('the connection times out'),
  UND_ERR_CONNECT_TIMEOUT: unreachable('the connection times out'),
  ECONNRESET: unreachable('the connection was cut'),
  EPIPE: unreachable('the connection was cut'),
  UND_ERR_SOCKET: unreachable('the connection was cut'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: unreachable('the answer is shorter than it said'),
  DEPTH_ZERO_SELF_SIGNED_CERT: distrusted('its certificate is signed by itself'),
  SELF_SIGNED_CERT_IN_CHAIN: distrusted('its certificate is signed by a CA that is not trusted'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: distrusted(
    'its certificate is signed by a CA that is not trusted',
  ),
  UNABLE_TO_GET_ISSUER_CERT: distrusted('its certificate is signed by a CA that is not trusted'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: distrusted(
    'its certificate is signed by a CA that is not trusted',
  ),
  CERT_SIGNATURE_FAILURE: distrusted('its certificate is signed by another CA of the same name'),
  CERT_HAS_EXPIRED: { ...distrusted('its certificate has expired'), remedy: 'renew it there' },
  CERT_NOT_YET_VALID: {
    ...distrusted('its certificate is not valid yet'),
    remedy: 'check the clocks of both machines',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    cause: 'its certificate is made out to other names',
    field: 'url',
    remedy: 'use a name that is in the certificate',
  },
};

/** Refused by our own rules, or by a status. */
export function refusal({ shown }: Route, cause: string, remedy: string): SourceError {
  return new SourceError(
    'CrdArchiveDownloadFailed',
    `${FIELD}.url: ${shown} cannot be downloaded: ${cause}; ${remedy}`,
  );
}

/** A download took too long. */
export function tooSlow(route: Route, cause: string): SourceError {
  return fault(route, unreachable(cause));
}

/** The URL has no answer that could be used. */
export function badStatus(route: Route, status: number): SourceError {
  if (status === 407) return fault(route, { ...PROXY_REFUSED, cause: 'the proxy answers 407' });
  const remedy =
    STATUS_REMEDIES[status] ??
    (status >= 500 ? 'see to the server; it is tried again' : 'check it');
  return refusal(route, `the server answers ${status}`, remedy);
}

const STATUS_REMEDIES: Readonly<Record<number, string>> = {
  401: 'the server wants to know who asks: use an address without log-in, or a Secret (spec.crdTarball.secretRef)',
  403: 'the server does not let everybody read it: use an address without log-in, or a Secret (spec.crdTarball.secretRef)',
  404: 'check the address',
  429: 'the server wants fewer requests; it is tried again',
};

const PROXY_REFUSED: Fault = {
  cause: 'the proxy refuses the connection',
  field: 'proxy',
  remedy: 'check its address, user and password, and whether it lets this address through',
};

/** What undici or Node threw. Their own words may hold parts of a URL and are not used. */
export function thrown(route: Route, error: unknown): SourceError {
  const { code, message } = innermost(error);
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  if (status !== undefined)
    return fault(route, { ...PROXY_REFUSED, cause: `the proxy answers ${status}` });
  const known = FAULTS[code];
  if (known !== undefined) return fault(route, known);
  if (code.startsWith('UND_ERR_PRX') || code.startsWith('UND_ERR_SOCKS'))
    return fault(route, PROXY_REFUSED);
  if (code.startsWith('HPE_')) return fault(route, unreachable('the answer is not HTTP'));
  return fault(route, unreachable(`the connection fails (${code})`));
}

/** Whom a failure to connect is about: with a proxy it is the proxy that is connected to. */
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
    : "the operator's variable https_proxy or http_proxy";
}

/** An error may be wrapped, and one of several that were tried. */
function innermost(error: unknown): { readonly code: string; readonly message: string } {
  const { code, name, message, cause, errors } = error as {
    readonly code?: unknown;
    readonly name?: unknown;
    readonly message?: unknown;
    readonly cause?: unknown;
    readonly errors?: readonly unknown[];
  };
  const inner = cause ?? errors?.[0];
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
