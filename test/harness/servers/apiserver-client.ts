import type {
  ClientOptions,
  KubernetesClient,
} from '../../../src/kubernetes/client/client-interface.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import type { ApiServer } from './apiserver.ts';

export { memoryLog } from '../../../src/kubernetes/time/clock.fixture.ts';

// The conditions below have their own generous deadlines and report the last state.

/** Labels of the objects of these tests. */
export const LABELS = {
  'app.kubernetes.io/managed-by': 'karmada-operator',
  'app.kubernetes.io/instance': 'demo',
};

type Options = ClientOptions & { server?: string };

/** Client with the certificate of the administrator; `server` may be the URL of a proxy. */
export const adminClient = (api: ApiServer, options?: Options): KubernetesClient =>
  clientWith(api, api.admin, options);

/** Client with this client certificate. */
export function clientWith(
  api: ApiServer,
  { cert: certData, key: keyData }: ApiServer['admin'],
  { server = api.url, ...options }: Options = {},
): KubernetesClient {
  const endpoint = { server, caData: api.caData, certData, keyData };
  return createClient(explicitEndpoint(endpoint), options);
}

/** Waits until `probe` returns a value; otherwise reports the last context. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  context: () => unknown = () => '',
): Promise<T> {
  const check = async (seen: (text: string) => void): Promise<T | undefined> => {
    const value = await probe();
    seen(JSON.stringify(context()));
    return value === false ? undefined : value;
  };
  return poll(what, check, { intervalMs: 20 });
}

export function configMap(name: string, data: Record<string, string> = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: LABELS },
    data,
  };
}
