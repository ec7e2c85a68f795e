/**
 * Reads the administrator kubeconfig of a control plane, whose Secret another user of the host cluster may have changed. Rebuilds it
 * from the fields that the operator writes: kubectl would run a command of `exec`, or send the content of a local file to a server. Pure
 * functions.
 */
import { quoted } from '../api/validation/field-error.ts';
import { dnsLabel } from '../api/validation/syntax.ts';
import { isObject } from '../kubernetes/objects/compare.ts';
import { parseYamlWithin } from '../untrusted/documents.ts';
import { UNTRUSTED, UntrustedLimitError } from '../untrusted/limits.ts';
import { certificateBlocks, pemFault } from '../untrusted/pem.ts';
import { privateKeyBlock, readCertificate, readPrivateKey } from '../untrusted/x509.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Cluster of an administrator kubeconfig. Certificates are base64 of PEM. */
interface AdminCluster {
  readonly server: string;
  readonly 'certificate-authority-data': string;
  /** Name in the serving certificate, if it is not that of the server. */
  readonly 'tls-server-name'?: string;
}

/** User of an administrator kubeconfig, base64 of PEM. */
interface AdminUser {
  readonly 'client-certificate-data': string;
  readonly 'client-key-data': string;
}

/** Access to a control plane. It has no other fields: kubectl runs commands and reads files that a kubeconfig names. */
export interface Access {
  readonly cluster: AdminCluster;
  readonly user: AdminUser;
  /** Default namespace of commands. */
  readonly namespace?: string;
}

/** Lists of a kubeconfig, with the field of their entries. */
export const KUBECONFIG_LISTS = {
  clusters: 'cluster',
  users: 'user',
  contexts: 'context',
} as const;

/** One entry of a kubeconfig. */
interface Entry {
  /** Path of the fields, such as `users["admin"].user`. */
  readonly path: string;
  readonly fields: Fields;
}

/** Error as a clause that follows the name of the Secret. Never contains a value of the kubeconfig. */
export class AdminKubeconfigError extends Error {}

/**
 * Returns cluster, user and namespace of the current context.
 * @throws AdminKubeconfigError for a field that the operator does not write, or with another value; the message names the field
 */
export const readAdminKubeconfig = (text: string): Access => accessIn(parsed(text));

const WRITTEN: ReadonlySet<string> = new Set([
  ...['apiVersion', 'kind', 'preferences', 'current-context'],
  ...Object.keys(KUBECONFIG_LISTS),
]);

/**
 * Checks a kubeconfig that users of kubectl get as it is: it has no other context, and no other fields.
 * @throws AdminKubeconfigError; see `readAdminKubeconfig`
 */
export function checkAdminKubeconfig(text: string): void {
  const config = parsed(text);
  for (const field of Object.keys(config))
    if (!WRITTEN.has(field)) throw refused(member(field).replace(/^\./, ''));
  for (const list of Object.keys(KUBECONFIG_LISTS)) {
    const entries = config[list];
    if (!Array.isArray(entries) || entries.length !== 1)
      throw invalid(list, 'list with exactly one entry');
  }
  accessIn(config);
}

function parsed(text: string): Fields {
  let content: unknown;
  try {
    content = parseYamlWithin(text, { size: UNTRUSTED.kubeconfig });
  } catch (error) {
    if (error instanceof UntrustedLimitError)
      throw new AdminKubeconfigError(
        `the kubeconfig ${error.message}; the operator writes a smaller one`,
      );
    // The message of the parser would show a part of the text.
  }
  if (!isObject(content)) throw new AdminKubeconfigError('the kubeconfig is not a YAML mapping');
  return content;
}

const ALLOWED: Readonly<Record<keyof typeof KUBECONFIG_LISTS, readonly string[]>> = {
  clusters: ['server', 'certificate-authority-data'],
  users: ['client-certificate-data', 'client-key-data'],
  contexts: ['cluster', 'user', 'namespace'],
};

function accessIn(config: Fields): Access {
  const context = entryOf(config, 'contexts', config['current-context']);
  const { cluster, user, namespace } = context.fields;
  return {
    cluster: clusterOf(entryOf(config, 'clusters', cluster)),
    user: userOf(entryOf(config, 'users', user)),
    ...(namespace !== undefined && { namespace: namespaceOf(context.path, namespace) }),
  };
}

function entryOf(config: Fields, list: keyof typeof KUBECONFIG_LISTS, name: unknown): Entry {
  const entries: readonly unknown[] = Array.isArray(config[list]) ? config[list] : [];
  const isNamed = typeof name === 'string' && name !== '';
  const found = entries.filter(isObject).find((entry) => isNamed && entry['name'] === name);
  const fields = found?.[KUBECONFIG_LISTS[list]];
  const whose =
    list === 'contexts' ? 'current-context' : `${KUBECONFIG_LISTS[list]} of the current context`;
  if (!isObject(fields))
    throw new AdminKubeconfigError(`the kubeconfig has no entry for the ${whose} in its ${list}`);
  const path = `${list}[${quoted(name)}].${KUBECONFIG_LISTS[list]}`;
  for (const field of Object.keys(fields))
    if (!ALLOWED[list].includes(field)) throw refused(`${path}${member(field)}`);
  return { path, fields };
}

const member = (field: string): string =>
  /^[\w-]{1,64}$/.test(field) ? `.${field}` : `[${quoted(field)}]`;

const refused = (field: string): AdminKubeconfigError =>
  new AdminKubeconfigError(
    `the kubeconfig has ${field}, which the operator does not write; find out which other user changes this Secret, and undo the change`,
  );

const invalid = (field: string, expected: string): AdminKubeconfigError =>
  new AdminKubeconfigError(
    `the kubeconfig has no ${expected} in ${field}; find out which other user changes this Secret, and undo the change`,
  );

function clusterOf({ path, fields }: Entry): AdminCluster {
  const { server, 'certificate-authority-data': authority } = fields;
  if (!isHttpsServer(server)) throw invalid(`${path}.server`, 'URL such as https://host:5443');
  const field = `${path}.certificate-authority-data`;
  return { server, 'certificate-authority-data': base64(certificatesIn(field, authority)) };
}

function userOf({ path, fields }: Entry): AdminUser {
  const certificates = certificatesIn(
    `${path}.client-certificate-data`,
    fields['client-certificate-data'],
  );
  const key = decoded(fields['client-key-data']);
  const privateKey = readPrivateKey(privateKeyBlock(key));
  if (privateKey === undefined || !readCertificate(certificates)?.checkPrivateKey(privateKey))
    throw invalid(`${path}.client-key-data`, 'key that matches the client certificate');
  return { 'client-certificate-data': base64(certificates), 'client-key-data': base64(key) };
}

function namespaceOf(path: string, namespace: unknown): string {
  if (typeof namespace === 'string' && dnsLabel.matches(namespace)) return namespace;
  throw invalid(`${path}.namespace`, dnsLabel.expected);
}

/** The URL is printed and used in commands, so it has no other characters than those of a URL. */
function isHttpsServer(value: unknown): value is string {
  if (typeof value !== 'string' || !/^https:\/\/[!-~]+$/.test(value)) return false;
  try {
    const { username, password, search, hash } = new URL(value);
    return [username, password, search, hash].every((part) => part === '');
  } catch {
    return false;
  }
}

function certificatesIn(field: string, value: unknown): string {
  const pem = decoded(value);
  const blocks = pemFault(pem) === undefined ? certificateBlocks(pem) : [];
  if (blocks.length === 0 || blocks.some((block) => readCertificate(block) === undefined))
    throw invalid(field, 'valid PEM certificate');
  return pem;
}

const decoded = (value: unknown): string =>
  typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
