/** Kubeconfigs for the Karmada API, with the entry names of the upstream operator. */
import { dump } from 'js-yaml';
import type { KeyPair } from './types.ts';
import { parseYamlWithin } from '../untrusted/documents.ts';
import { OWN_KUBECONFIG_VALUES, UNTRUSTED } from '../untrusted/limits.ts';

const CLUSTER = 'karmada-apiserver';
const ADMIN = 'karmada-admin';
/** Mount path of the Secret `N(<component>-config)`. */
const CONFIG_DIRECTORY = '/etc/karmada/config';

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

function render(user: string, cluster: object, credentials: object): string {
  const context = `${user}@${CLUSTER}`;
  return dump(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: CLUSTER, cluster }],
      contexts: [{ name: context, context: { cluster: CLUSTER, user } }],
      'current-context': context,
      users: [{ name: user, user: credentials }],
    },
    { lineWidth: -1 },
  );
}

/**
 * Returns the admin kubeconfig with inline credentials.
 * @param server external URL of the API server
 * @param bundle trusted PEM certificates
 */
export function adminKubeconfig(server: string, bundle: readonly string[], pair: KeyPair): string {
  return render(
    ADMIN,
    { server, 'certificate-authority-data': base64(bundle.join('')) },
    {
      'client-certificate-data': base64(pair.certificate),
      'client-key-data': base64(pair.key),
    },
  );
}

/**
 * Returns the kubeconfig of a component. It refers to files, because client-go rereads client certificate
 * files within five minutes, but never inline data.
 * @param server URL of the API server in the host cluster
 */
export function componentKubeconfig(server: string, component: string): string {
  const file = (name: string): string => `${CONFIG_DIRECTORY}/${name}`;
  return render(
    `karmada-${component}`,
    { server, 'certificate-authority': file('ca.crt') },
    { 'client-certificate': file('tls.crt'), 'client-key': file('tls.key') },
  );
}

/**
 * Reads the client certificate and key of an admin kubeconfig.
 * @returns undefined if the text is not a kubeconfig or has no inline client certificate
 */
export function readClientPair(kubeconfig: string): KeyPair | undefined {
  const user = parsedUser(kubeconfig);
  const certificate = user?.['client-certificate-data'];
  const key = user?.['client-key-data'];
  if (typeof certificate !== 'string' || typeof key !== 'string') return undefined;
  const text = (data: string): string => Buffer.from(data, 'base64').toString('utf8');
  return { certificate: text(certificate), key: text(key) };
}

function parsedUser(kubeconfig: string): Record<string, unknown> | undefined {
  try {
    const limits = { size: UNTRUSTED.kubeconfig, values: OWN_KUBECONFIG_VALUES };
    const users = record(parseYamlWithin(kubeconfig, limits))?.['users'];
    const first: unknown = Array.isArray(users) ? users[0] : undefined;
    return record(record(first)?.['user']);
  } catch {
    return undefined;
  }
}

const record = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? { ...value } : undefined;
