/** How the API server of a remote host is reached, from the Secret that a Karmada names: pure, nothing is run or read. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { load } from 'js-yaml';
import { isObject } from '../api/fill.ts';
import type { ExplicitAccess } from '../kubernetes/connection.ts';
import type { KubernetesObject } from '../kubernetes/object.ts';

export type FoundAccess =
  | { readonly access: ExplicitAccess }
  /** Why the Secret is of no use, with what helps; never a value of it. */
  | { readonly problem: string };

/** A kubeconfig with a chain of certificates has 20 KiB. */
const LONGEST = 262_144;

/** The values of a Secret, decoded. */
export function secretValues(secret: KubernetesObject): Readonly<Record<string, string>> {
  const values = Object.entries((secret['data'] ?? {}) as Readonly<Record<string, string>>);
  return Object.fromEntries(
    values.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}

class Refusal extends Error {}

/**
 * @param data values of the Secret, decoded
 * @returns the way in, or why there is none, to be read after the name of the Secret
 */
export function accessFrom(
  data: Readonly<Record<string, string>>,
  apiEndpoint: string | undefined,
): FoundAccess {
  try {
    const { kubeconfig, token, caBundle } = data;
    if (kubeconfig !== undefined) return { access: fromKubeconfig(kubeconfig) };
    if (token !== undefined && caBundle !== undefined)
      return { access: fromToken(token, caBundle, apiEndpoint) };
    throw new Refusal('has neither the key kubeconfig nor the keys token and caBundle; add them');
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message };
    throw error;
  }
}

function fromToken(token: string, caBundle: string, server: string | undefined): ExplicitAccess {
  if (!server)
    throw new Refusal(
      'has a token, and spec.hostCluster.apiEndpoint does not say where to; set it',
    );
  return {
    server: serverIn('spec.hostCluster.apiEndpoint', server),
    caData: certificatesIn('caBundle', caBundle),
    token: tokenIn('token', token),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fromKubeconfig(text: string): ExplicitAccess {
  const config = parsed(text);
  const current = config['current-context'];
  const context = named(config, 'contexts', current, 'current-context')['context'];
  const { cluster, user } = isObject(context) ? (context as Fields) : {};
  const place = (list: string, name: unknown, part: string): string =>
    `${list}[${JSON.stringify(name)}].${part}`;
  const at = (part: 'cluster' | 'user', name: unknown): Fields => {
    const entry = named(config, `${part}s`, name, `the current context's ${part}`)[part];
    return isObject(entry) ? (entry as Fields) : {};
  };
  const clusterPlace = place('clusters', cluster, 'cluster');
  const userPlace = place('users', user, 'user');
  return {
    ...clusterAccess(clusterPlace, at('cluster', cluster)),
    ...userAccess(userPlace, at('user', user)),
  };
}

function parsed(text: string): Fields {
  if (text.length > LONGEST)
    throw new Refusal(
      `has a kubeconfig of more than ${LONGEST / 1024} KiB; remove what is not used`,
    );
  let content: unknown;
  try {
    content = load(text, { maxAliases: 0 });
  } catch {
    // What the parser says would show a part of the text.
  }
  if (!isObject(content)) throw new Refusal('has a kubeconfig that is no YAML mapping');
  return content as Fields;
}

function named(config: Fields, list: string, name: unknown, whose: string): Fields {
  const entries = config[list];
  const found = (Array.isArray(entries) ? entries : []).find(
    (entry) => isObject(entry) && typeof name === 'string' && name !== '' && entry['name'] === name,
  ) as Fields | undefined;
  if (found === undefined)
    throw new Refusal(`has a kubeconfig without what ${whose} names among its ${list}`);
  return found;
}

/** Fields that name a file of whoever wrote the kubeconfig, and those that carry the content. */
const FILES: Readonly<Record<string, string>> = {
  'certificate-authority': 'certificate-authority-data',
  'client-certificate': 'client-certificate-data',
  'client-key': 'client-key-data',
  tokenFile: 'token',
};

/** Fields that would run something, or that are not carried out. */
const REFUSED: Readonly<Record<string, string>> = {
  exec: 'runs a command',
  'auth-provider': 'needs a program of the cloud',
  username: 'logs in with a password, which Kubernetes no longer knows',
  password: 'logs in with a password, which Kubernetes no longer knows',
  as: 'takes another identity',
  'as-uid': 'takes another identity',
  'as-groups': 'takes another identity',
  'as-user-extra': 'takes another identity',
};

const INSTEAD =
  'give the identity of the operator a token or a client certificate in the kubeconfig';

function refuseUnsafe(place: string, fields: Fields): void {
  for (const field of Object.keys(fields)) {
    const content = FILES[field];
    if (content !== undefined)
      throw new Refusal(
        `has ${place}.${field}, which names a file; put its content into ${content}`,
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
    throw new Refusal(`has a ${place}.client-key-data that is no key of its certificate`);
  return { certData, keyData };
}

const decoded = (value: unknown): string =>
  typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';

function serverIn(place: string, value: unknown): string {
  const url = urlIn(value);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.search !== '')
    throw new Refusal(`needs a URL such as https://host:6443 in ${place}`);
  return String(value);
}

function proxyIn(place: string, value: unknown): string {
  if (!['http:', 'https:', 'socks5:'].includes(urlIn(value)?.protocol ?? ''))
    throw new Refusal(`needs a URL such as http://proxy:3128 in ${place}`);
  return String(value);
}

const urlIn = (value: unknown): URL | undefined =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;

/** A header takes nothing else (RFC 6750, 2.1). */
function tokenIn(place: string, value: unknown): string {
  const token = typeof value === 'string' ? value.trim() : '';
  if (!/^[\w.~+/=-]+$/.test(token)) throw new Refusal(`has no token in ${place}`);
  return token;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificatesIn(place: string, pem: string): string {
  const blocks = pem.match(CERTIFICATE) ?? [];
  const sound = blocks.every((block) => {
    try {
      return new X509Certificate(block).raw.length > 0;
    } catch {
      return false;
    }
  });
  if (blocks.length === 0 || !sound) throw new Refusal(`has no certificate in PEM in ${place}`);
  return pem;
}

function belongs(certificates: string, key: string): boolean {
  try {
    return new X509Certificate(certificates).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
