/**
 * A tenant with many Karmada objects in one namespace, and another one with a single one.
 *
 * @size medium
 * @tier all
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import { memoryLog } from '../../../src/kubernetes/time/clock.fixture.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { Origins } from '../../../src/kubernetes/fairness/origin.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { karmadaOf, layArchive, namespaceOf, numbered } from '../../harness/hosts/fleet.ts';
import { startFollowedOperator, type FollowedOperator } from '../../harness/hosts/operator.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';

jest.setTimeout(600_000);

/** Karmada objects of the crowded namespace. Their installation takes minutes with this rate. */
const CROWD = 60;
const RATE = { qps: 25, burst: 10 };
/**
 * Calls for others that may end between the deletion of an object and its repair. The repair takes about ten calls, and each
 * of them waits for at most one call of the other namespace and for those that are being sent.
 */
const MAX_OTHER_CALLS = 60;

let api: ApiServer;
let client: KubernetesClient;
let directory: string;
let operator: FollowedOperator;
let calls = 0;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  directory = await mkdtemp(join(tmpdir(), 'operator-shares-'));
  await layArchive(directory);
  await client.create(karmadaCrd as unknown as KubernetesObject);
  await poll('the CRD is served', (seen) =>
    client.list(karmadas).catch((error: unknown) => void seen(String(error))),
  );
  for (const name of ['crowded', 'quiet']) await client.create(namespaceOf(name));
  await client.create(karmadaOf('quiet'));
  const origins = new Origins();
  const own = adminClient(api, {
    resources: [karmadas],
    rateLimit: { ...RATE, origins },
    onCall: () => (calls += 1),
  });
  operator = startFollowedOperator({ client: own, log: memoryLog(), directory, origins });
});

afterAll(async () => {
  await operator.stop();
  await client.close();
  await api.stop();
  await rm(directory, { recursive: true, force: true });
});

const service = { namespace: 'quiet', name: 'quiet-karmada-webhook' };

const found = (what: string, but?: string): Promise<KubernetesObject> =>
  poll(
    what,
    async (seen) => {
      const object = await client.find(resources.Service, service);
      seen(`${String(calls)} calls, ${String(operator.passes.length)} reconciles`);
      return object !== undefined && object.metadata.uid !== but ? object : undefined;
    },
    { intervalMs: 20, deadlineMs: 120_000 },
  );

describe('operator with a crowded namespace', () => {
  it('repairs an object of another namespace before the crowded one proceeds much', async () => {
    await found('the Service of the quiet namespace exists');
    for (const name of numbered('crowd', CROWD))
      await client.create({
        ...karmadaOf(name),
        metadata: { name, namespace: 'crowded' },
      });
    await poll('the crowded namespace is being installed', async (seen) => {
      const { items } = await client.list(resources.Secret, { namespace: 'crowded' });
      seen(String(items.length));
      return items.length > 5 ? true : undefined;
    });
    const others: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { metadata } = await found('the Service exists');
      const before = calls;
      await client.delete(resources.Service, service);
      await found('the Service exists again', metadata.uid);
      others.push(calls - before);
    }
    const { items } = await client.list(resources.Secret, { namespace: 'crowded' });
    process.stderr.write(
      `calls until each of 5 repairs: ${others.join(', ')}; ${String(items.length)} Secrets in the crowded namespace\n`,
    );
    expect(Math.max(...others)).toBeLessThan(MAX_OTHER_CALLS);
  });

  it('has few reconciles of the crowded namespace in progress', async () => {
    const crowded = await poll(
      'the crowded namespace has many reconciles',
      (seen) => {
        const passes = operator.passes.filter(({ key }) => key.startsWith('crowded/'));
        seen(String(passes.length));
        return Promise.resolve(passes.length > CROWD ? passes : undefined);
      },
      { deadlineMs: 300_000 },
    );
    const most = Math.max(
      ...crowded.map(
        ({ began }) =>
          crowded.filter((one) => one.began <= began && (one.ended ?? Infinity) > began).length,
      ),
    );
    expect(most).toBeLessThanOrEqual(16);
  });
});
