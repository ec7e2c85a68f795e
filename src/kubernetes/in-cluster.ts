import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Endpoint } from './connection.ts';

/** Where the kubelet mounts a pod's own account. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Variables that every pod has. */
export interface PodEnvironment {
  readonly KUBERNETES_SERVICE_HOST?: string | undefined;
  readonly KUBERNETES_SERVICE_PORT?: string | undefined;
}

/**
 * The API server of the cluster that this pod runs in, with the pod's own account. Token and CA are read anew on each
 * call of `credentials`: the kubelet renews both in place.
 * @param account folder with `token` and `ca.crt`
 * @throws Error outside of a pod
 */
export function inClusterEndpoint(environment: PodEnvironment, account = ACCOUNT): Endpoint {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === '' || !existsSync(account)) {
    throw new Error(
      'this process is not in a pod with a service account: name a cluster with --kubeconfig',
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
