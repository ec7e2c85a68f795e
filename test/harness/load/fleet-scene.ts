/** An operator process and the stub of its API server, with many Karmada objects. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { createClient } from '../../../src/kubernetes/client/client.ts';
import { explicitEndpoint } from '../../../src/kubernetes/connection/connection.ts';
import { newPair } from '../../../tools/embedded-cluster/certificate-pair.ts';
import { karmadaOf, layArchive, namespaceOf, numbered } from '../hosts/fleet.ts';
import {
  startOperatorProcess,
  startStubHosts,
  type OperatorProcess,
  type OperatorSettings,
  type StubHosts,
} from './fleet.ts';

export interface FleetScene {
  readonly stub: StubHosts;
  readonly client: KubernetesClient;
  readonly operator: OperatorProcess;
  stop(): Promise<void>;
}

/** Starts the stub, creates `count` Karmada objects with a namespace each, and starts the operator. */
export async function startFleet(count: number, settings?: OperatorSettings): Promise<FleetScene> {
  const authority = await newPair({ commonName: 'ca' });
  const tls = await newPair({ commonName: 'host', hosts: ['127.0.0.1'] }, authority);
  const stub = await startStubHosts(1, tls);
  const access = { server: stub.urls[0] ?? '', caData: authority.cert };
  const client = createClient(explicitEndpoint(access), { resources: [karmadas] });
  const directory = await mkdtemp(join(tmpdir(), 'operator-fleet-'));
  await layArchive(directory);
  const names = numbered('fleet', count);
  await Promise.all(names.map((name) => client.create(namespaceOf(name))));
  await Promise.all(names.map((name) => client.create(karmadaOf(name))));
  const operator = startOperatorProcess(access, directory, settings);
  return {
    stub,
    client,
    operator,
    async stop() {
      await operator.stop();
      await stub.stop();
      await client.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
