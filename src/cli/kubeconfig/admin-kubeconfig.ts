/**
 * Reads the administrator kubeconfig of a control plane, whose Secret another user of the host cluster may have changed. Rebuilds it
 * from the fields that the operator writes: kubectl would run a command of `exec`, or send the content of a local file to a server. Pure
 * functions.
 */
import { quoted } from '../../api/field-error.ts';
import { dnsLabel } from '../../api/syntax.ts';
import { isObject } from '../../kubernetes/compare.ts';
import { parseYamlWithin } from '../../untrusted/documents.ts';
import { UNTRUSTED, UntrustedLimitError } from '../../untrusted/limits.ts';
import { certificateBlocks, pemFault } from '../../untrusted/pem.ts';
import { privateKeyBlock, readCertificate, readPrivateKey } from '../../untrusted/x509.ts';
import { CommandError } from '../program/environment.ts';
import {
  KUBECONFIG_LISTS,
  type Access,
  type AdminCluster,
  type AdminUser,
} from './kubeconfig-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One entry of a kubeconfig. */
interface Entry {
  /** Path of the fields, such as `users["admin"].user`. */
  readonly path: string;
  readonly fields: Fields;
}

/** Error as a clause that follows the name of the Secret. Never contains a value of the kubeconfig. */
class Refusal extends Error {}

/**
 * Returns cluster, user and namespace of the current context.
 * @param source name of the Secret, for errors
 * @throws CommandError for a field that the operator does not write, or with another value; the message names the field
 */
export function adminAccess(text: string, source: string): Access {
  try {
    return accessIn(parsed(text));
  } catch (error) {
    if (error instanceof Refusal) throw new CommandError(`${source}: ${error.message}`);
    throw error;
  }
}

function parsed(text: string): Fields {
  let content: unknown;
  try {
    content = parseYamlWithin(text, { size: UNTRUSTED.kubeconfig });
  } catch (error) {
    if (error instanceof UntrustedLimitError)
      throw new Refusal(`the kubeconfig ${error.message}; the operator writes a smaller one`);
    // The message of the parser would show a part of the text.
  }
  if (!isObject(content)) throw new Refusal('the kubeconfig is not a YAML mapping');
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
    throw new Refusal(`the kubeconfig has no entry for the ${whose} in its ${list}`);
  const path = `${list}[${quoted(name)}].${KUBECONFIG_LISTS[list]}`;
  for (const field of Object.keys(fields))
    if (!ALLOWED[list].includes(field)) throw refused(`${path}${member(field)}`);
  return { path, fields };
}

const member = (field: string): string =>
  /^[\w-]{1,64}$/.test(field) ? `.${field}` : `[${quoted(field)}]`;

const refused = (field: string): Refusal =>
  new Refusal(
    `the kubeconfig has ${field}, which the operator does not write; find out which other user changes this Secret, and undo the change`,
  );

const invalid = (field: string, expected: string): Refusal =>
  new Refusal(
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
