/** Parses the credentials of a remote host cluster from its Secret. Pure functions; runs no command, reads no file. */
import { quoted } from '../api/validation/field-error.ts';
import { isObject } from '../kubernetes/objects/compare.ts';
import type { ExplicitAccess } from '../kubernetes/connection/connection.ts';
import type { Secret } from '../kubernetes/objects/kinds.ts';
import { parseYamlWithin } from '../untrusted/documents.ts';
import { RSA_BITS, sizeText, UNTRUSTED, UntrustedLimitError } from '../untrusted/limits.ts';
import { certificateBlocks, pemFault } from '../untrusted/pem.ts';
import { privateKeyBlock, readCertificate, readPrivateKey } from '../untrusted/x509.ts';

export type ParsedCredentials =
  | {
      readonly access: ExplicitAccess;
      /** Whether the Secret names the server, and not the Karmada that references it. */
      readonly namesServer: boolean;
    }
  /** Error in the Secret with the action for the user. Never contains a value of the Secret. */
  | { readonly problem: string };

/** Returns the decoded values of a Secret. */
export function secretValues(secret: Secret): Readonly<Record<string, string>> {
  const values = Object.entries(secret.data ?? {});
  return Object.fromEntries(
    values.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

class Refusal extends Error {}

/**
 * Parses and validates the credentials.
 * @param data decoded values of the Secret
 * @param apiEndpoint `spec.hostCluster.apiEndpoint`, for a Secret with a token
 * @returns credentials, or a problem as a clause that follows the name of the Secret
 */
export function parseHostCredentials(
  data: Readonly<Record<string, string>>,
  apiEndpoint: string | undefined,
): ParsedCredentials {
  try {
    const { kubeconfig, token, caBundle, server } = data;
    if (kubeconfig !== undefined) return { access: fromKubeconfig(kubeconfig), namesServer: true };
    if (token !== undefined && caBundle !== undefined) {
      const named = server?.trim();
      const access = fromToken(token, caBundle, { apiEndpoint, server: named });
      return { access, namesServer: named !== undefined && isSameServer(access.server, named) };
    }
    throw new Refusal('has neither the key kubeconfig nor the keys token and caBundle; add them');
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
}

/** Servers that a Karmada and a Secret name. */
interface NamedServers {
  readonly apiEndpoint: string | undefined;
  readonly server: string | undefined;
}

function fromToken(
  token: string,
  caBundle: string,
  { apiEndpoint, server }: NamedServers,
): ExplicitAccess {
  if (!apiEndpoint && !server)
    throw new Refusal(
      'has a token, but neither its key server nor spec.hostCluster.apiEndpoint is set; set one to the URL of the API server',
    );
  return {
    server: apiEndpoint
      ? serverIn('spec.hostCluster.apiEndpoint', apiEndpoint)
      : serverIn('server', server),
    caData: certificatesIn('caBundle', caBundle),
    token: tokenIn('token', token),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fromKubeconfig(text: string): ExplicitAccess {
  const config = parsed(text);
  const current = config['current-context'];
  const context = named(config, 'contexts', current, 'current-context')['context'];
  const { cluster, user } = isObject(context) ? context : {};
  const place = (list: string, name: unknown, part: string): string =>
    `${list}[${quoted(name)}].${part}`;
  const at = (part: 'cluster' | 'user', name: unknown): Fields => {
    const entry = named(config, `${part}s`, name, `the ${part} of the current context`)[part];
    return isObject(entry) ? entry : {};
  };
  const clusterPlace = place('clusters', cluster, 'cluster');
  const userPlace = place('users', user, 'user');
  return {
    ...clusterAccess(clusterPlace, at('cluster', cluster)),
    ...userAccess(userPlace, at('user', user)),
  };
}

function parsed(text: string): Fields {
  let content: unknown;
  try {
    content = parseYamlWithin(text, { size: UNTRUSTED.kubeconfig });
  } catch (error) {
    if (error instanceof UntrustedLimitError)
      throw new Refusal(`has a kubeconfig that ${error.message}; remove unused entries`);
    // The message of the parser would show a part of the text.
  }
  if (!isObject(content)) throw new Refusal('has a kubeconfig that is not a YAML mapping');
  return content;
}

function named(config: Fields, list: string, name: unknown, whose: string): Fields {
  const entries = config[list];
  const found = (Array.isArray(entries) ? entries : []).find(
    (entry) => isObject(entry) && typeof name === 'string' && name !== '' && entry['name'] === name,
  );
  if (found === undefined) throw new Refusal(`has a kubeconfig without ${whose} in its ${list}`);
  return found;
}

/** Kubeconfig fields with a local file path, and the fields for inline content. */
const FILES: Readonly<Record<string, string>> = {
  'certificate-authority': 'certificate-authority-data',
  'client-certificate': 'client-certificate-data',
  'client-key': 'client-key-data',
  tokenFile: 'token',
};

/** Kubeconfig fields that the operator rejects because it would run a command or does not support them. */
const REFUSED: Readonly<Record<string, string>> = {
  exec: 'runs a command',
  'auth-provider': 'requires a cloud provider plugin',
  username: 'uses basic authentication, which Kubernetes no longer supports',
  password: 'uses basic authentication, which Kubernetes no longer supports',
  as: 'impersonates another user',
  'as-uid': 'impersonates another user',
  'as-groups': 'impersonates another user',
  'as-user-extra': 'impersonates another user',
};

const INSTEAD = 'use a token or a client certificate for the operator in the kubeconfig';

function refuseUnsafe(place: string, fields: Fields): void {
  for (const field of Object.keys(fields)) {
    const content = FILES[field];
    if (content !== undefined)
      throw new Refusal(
        `has ${place}.${field}, which is a file path; store the content of the file in ${content}`,
      );
    const reason = REFUSED[field];
    if (reason !== undefined)
      throw new Refusal(`has ${place}.${field}, which ${reason}; ${INSTEAD}`);
  }
}

function clusterAccess(place: string, fields: Fields): ExplicitAccess {
  refuseUnsafe(place, fields);
  const { server, 'tls-server-name': name, 'proxy-url': proxy } = fields;
  const authority = fields['certificate-authority-data'];
  const insecure = fields['insecure-skip-tls-verify'] === true;
  return {
    server: serverIn(`${place}.server`, server),
    ...(authority !== undefined && {
      caData: certificatesIn(`${place}.certificate-authority-data`, decoded(authority)),
    }),
    ...(insecure && { insecureSkipTlsVerify: true }),
    ...(typeof name === 'string' && name !== '' && { tlsServerName: name }),
    ...(proxy !== undefined && proxy !== '' && { proxyUrl: proxyIn(`${place}.proxy-url`, proxy) }),
  };
}

function userAccess(
  place: string,
  fields: Fields,
): Pick<ExplicitAccess, 'certData' | 'keyData' | 'token'> {
  refuseUnsafe(place, fields);
  const { token, 'client-certificate-data': certificate, 'client-key-data': key } = fields;
  if (token !== undefined) return { token: tokenIn(`${place}.token`, token) };
  if (certificate === undefined || key === undefined)
    throw new Refusal(`has neither ${place}.token nor a client certificate with its key; add one`);
  const certData = certificatesIn(`${place}.client-certificate-data`, decoded(certificate));
  const keyData = decoded(key);
  if (!belongs(certData, keyData))
    throw new Refusal(
      `has a ${place}.client-key-data that does not match its client certificate, or an RSA key with more than ${RSA_BITS.client} bits there`,
    );
  return { certData, keyData };
}

const decoded = (value: unknown): string =>
  typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';

function serverIn(place: string, value: unknown): string {
  const url = urlIn(value);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.search !== '')
    throw new Refusal(`has no valid URL in ${place}; use a URL such as https://host:6443`);
  return String(value);
}

function proxyIn(place: string, value: unknown): string {
  if (!['http:', 'https:', 'socks5:'].includes(urlIn(value)?.protocol ?? ''))
    throw new Refusal(`has no valid URL in ${place}; use a URL such as http://proxy:3128`);
  return String(value);
}

/** Whether two URLs name the same server. */
function isSameServer(one: string, other: string): boolean {
  const [left, right] = [urlIn(one)?.href, urlIn(other)?.href];
  return left !== undefined && left === right;
}

/** `URL.canParse` accepts some texts for which the constructor throws an error. */
function urlIn(value: unknown): URL | undefined {
  try {
    return typeof value === 'string' ? new URL(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the token. Other characters are not allowed in the Authorization header (RFC 6750, 2.1). */
function tokenIn(place: string, value: unknown): string {
  const token = typeof value === 'string' ? value.trim() : '';
  if (token.length > UNTRUSTED.token)
    throw new Refusal(`has a token of more than ${sizeText(UNTRUSTED.token)} in ${place}`);
  if (!/^[\w.~+/=-]+$/.test(token)) throw new Refusal(`has no valid bearer token in ${place}`);
  return token;
}

function certificatesIn(place: string, pem: string): string {
  const excess = pemFault(pem);
  if (excess !== undefined)
    throw new Refusal(`${excess} in ${place}; store only the certificates of the CA`);
  const blocks = certificateBlocks(pem);
  const sound = blocks.every((block) => readCertificate(block) !== undefined);
  if (blocks.length === 0 || !sound) throw new Refusal(`has no valid PEM certificate in ${place}`);
  return pem;
}

function belongs(certificates: string, key: string): boolean {
  const privateKey = readPrivateKey(privateKeyBlock(key));
  return (
    privateKey !== undefined && readCertificate(certificates)?.checkPrivateKey(privateKey) === true
  );
}
