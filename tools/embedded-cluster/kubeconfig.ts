import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { clusterDirectory } from './slot.ts';

/** Returns the path of the administrator kubeconfig of a cluster. */
export const kubeconfigPath = (name: string): string =>
  join(clusterDirectory(name), 'admin.kubeconfig');

/** Returns the name of the context, cluster and user in that kubeconfig. */
export const contextName = (name: string): string => `karmada-embedded-${name}`;

/** Writes the administrator kubeconfig with inline credentials from the PEM files in `pki/`. */
export async function writeKubeconfig(name: string, server: string): Promise<void> {
  const pem = async (file: string): Promise<string> =>
    (await readFile(join(clusterDirectory(name), 'pki', file))).toString('base64');
  const [ca, certificate, key] = await Promise.all(['ca.crt', 'admin.crt', 'admin.key'].map(pem));
  const context = contextName(name);
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: context, cluster: { server, 'certificate-authority-data': ca } }],
    users: [
      { name: context, user: { 'client-certificate-data': certificate, 'client-key-data': key } },
    ],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    'current-context': context,
  };
  await writeFile(kubeconfigPath(name), dump(content), { mode: 0o600 });
}
