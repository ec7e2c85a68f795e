import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Endpoint } from './connection.ts';

/** Directory in which the kubelet mounts the ServiceAccount token of a Pod. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Environment variables that the kubelet sets in each Pod. */
export interface PodEnvironment {
  readonly KUBERNETES_SERVICE_HOST?: string | undefined;
  readonly KUBERNETES_SERVICE_PORT?: string | undefined;
}

/**
 * Returns the namespace of this Pod.
 * @param account directory with `namespace`
 * @returns undefined if the process does not run in a Pod with a ServiceAccount token
 */
export async function podNamespace(account = ACCOUNT): Promise<string | undefined> {
  const text = await readFile(join(account, 'namespace'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/**
 * Endpoint of the API server of the cluster that runs this Pod, with the ServiceAccount of the Pod. Each call of
 * `credentials` rereads token and CA, because the kubelet renews both in place.
 * @param account directory with `token` and `ca.crt`
 * @throws Error when the process does not run in a Pod
 */
export function inClusterEndpoint(environment: PodEnvironment, account = ACCOUNT): Endpoint {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === '' || !existsSync(account)) {
    throw new Error(
      'this process does not run in a Pod with a ServiceAccount token; set --kubeconfig',
    );
  }
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    credentials: async () => {
      const [ca, token] = await Promise.all(
        ['ca.crt', 'token'].map((file) => readFile(join(account, file), 'utf8')),
      );
      return { ...(ca && { ca }), headers: { authorization: `Bearer ${(token ?? '').trim()}` } };
    },
  };
}
