/**
 * Tests a control plane whose Karmada lost its finalizer: caches and live reads find it, and the operator changes
 * nothing.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { cachedOrphans, listOrphans, orphanLines } from '../../../src/orphans/find-orphans.ts';
import { FINALIZER } from '../../../src/api/karmada.ts';
import {
  createManagementCluster,
  karmadas,
  type ManagementCluster,
} from '../../../src/host-clusters/host.ts';
import { startCaches, stopCaches } from '../../../src/host-clusters/start-caches.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import {
  adminClient,
  eventually,
  LABELS,
  memoryLog,
} from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas } from '../../harness/servers/reconciler.ts';

const KEY = { namespace: 'default', name: 'demo' };

let api: ApiServer;
let client: KubernetesClient;
let local: ManagementCluster;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  await serveKarmadas(client);
  const common = { clock: systemClock, random: Math.random, log: memoryLog() };
  local = createManagementCluster({ client, ...common });
  startCaches(local);
  await Promise.all(local.informers.map(({ synced }) => synced));
});

afterAll(async () => {
  await stopCaches(local);
  await client.close();
  await api.stop();
});

it('orphan check finds a control plane only when its Karmada is gone', async () => {
  await client.create({
    apiVersion: `${karmadas.group}/${karmadas.version}`,
    kind: karmadas.kind,
    metadata: { ...KEY, finalizers: [FINALIZER] },
    spec: {},
  });
  const labels = { app: 'etcd' };
  const spec = {
    selector: { matchLabels: labels },
    serviceName: 'etcd',
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'etcd', image: 'registry.example.com/etcd:1' }] },
    },
  };
  const metadata = { ...KEY, name: 'demo-karmada-etcd', labels: LABELS };
  const set = await client.create({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec });
  const found = async (): Promise<readonly string[]> =>
    (await cachedOrphans(local, [])).map(({ namespace, name }) => `${namespace}/${name}`);
  const lines = async (): Promise<readonly string[]> =>
    orphanLines(await listOrphans(client, () => client));
  await eventually('the caches contain both', () => local.karmadas.cache.get(KEY) !== undefined);
  expect([await found(), await lines()]).toEqual([[], []]);
  await client.delete(karmadas, KEY);
  // The Karmada still exists and is terminating.
  expect([await found(), await lines()]).toEqual([[], []]);
  await client.patch(karmadas, KEY, { metadata: { finalizers: null } });
  await eventually(
    'the control plane is found',
    async () => (await found()).includes('default/demo'),
    found,
  );
  expect(await lines()).toEqual([
    expect.stringMatching(
      /^Karmada default\/demo: .*StatefulSet default\/demo-karmada-etcd.*create the Karmada again/,
    ),
  ]);
  const live = await client.get(resources.StatefulSet, metadata);
  expect(live.metadata.resourceVersion).toBe(set.metadata.resourceVersion);
});
