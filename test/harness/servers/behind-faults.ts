import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { newPair, type Pair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { createDecider, type Decision, type Plan } from '../fault-proxy/faults.ts';
import { createProxy, keptConnections } from '../fault-proxy/proxy.ts';
import type { ApiServer } from './apiserver.ts';
import { adminClient } from './apiserver-client.ts';

/** Serving certificate of the fault proxy for an API server. */
export const proxyPair = (api: ApiServer): Promise<Pair> =>
  newPair({ commonName: 'fault-proxy', hosts: ['127.0.0.1'] }, api.ca);

/**
 * Runs `work` with a client that connects to the API server through the fault proxy.
 * @param setting `timeoutMs` of the client in milliseconds; `report` is called for each call
 */
export async function behindFaults<T>(
  setting: { api: ApiServer; tls: Pair; timeoutMs: number; report?: (call: Decision) => void },
  plan: Plan,
  work: (client: KubernetesClient) => Promise<T>,
): Promise<T> {
  const { api, tls, timeoutMs, report = () => undefined } = setting;
  const agent = keptConnections();
  const upstream = { host: '127.0.0.1', port: api.port, ca: api.caData, ...api.admin, agent };
  const proxy = createProxy({
    place: 'host',
    namespace: plan.namespace,
    tls,
    delayMs: 300,
    report,
    upstreamOf: () => upstream,
    decide: createDecider(plan),
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const server = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = adminClient(api, { server, timeoutMs });
  try {
    return await work(client);
  } finally {
    await client.close();
    agent.destroy();
    proxy.close();
  }
}
