import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import type { Karmada } from '../../../src/api/karmada.ts';
import { TEMPLATES } from '../../../src/components/__fixtures__/golden.ts';
import { systemClock } from '../../../src/kubernetes/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/contract.ts';
import type { KubernetesObject } from '../../../src/kubernetes/object.ts';
import { WorkQueue } from '../../../src/kubernetes/queue.ts';
import { resources } from '../../../src/kubernetes/resources.ts';
import { createKeyPool } from '../../../src/pki/keys.ts';
import { karmadas } from '../../../src/reconcile/host.ts';
import { createReconciler } from '../../../src/reconcile/reconciler.ts';
import type { Reconciler } from '../../../src/reconciler.ts';
import { startApiServer, type ApiServer } from '../apiserver.ts';
import { adminClient, eventually, memoryLog } from '../kubernetes/fixture.ts';

jest.setTimeout(240_000);

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  await client.create(karmadaCrd as unknown as KubernetesObject);
  await eventually('the CRD is served', () =>
    client.list(karmadas).then(
      () => true,
      () => undefined,
    ),
  );
  reconciler = createReconciler({
    client,
    clock: systemClock,
    random: Math.random,
    log: memoryLog(),
    events: { record: () => undefined },
    templates: TEMPLATES,
    keys: createKeyPool(),
    dataDirectories: [],
    userAgent: 'test',
  });
  reconciler.start(new WorkQueue({ clock: systemClock, random: Math.random }));
  await reconciler.synced;
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

const findKarmada = async (): Promise<Karmada> =>
  (await client.get(karmadas, { namespace: 'ending', name: 'demo' })) as unknown as Karmada;

it('7. makes nothing in a namespace that is being deleted, says so, and comes to rest', async () => {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ending' } });
  const metadata = { name: 'demo', namespace: 'ending' };
  await client.create({
    apiVersion: karmadas.group + '/' + karmadas.version,
    kind: 'Karmada',
    metadata,
    spec: {},
  });
  // Nobody empties namespaces here: it stays as it is when it is about to go.
  await client.delete(resources.Namespace, { name: 'ending' });
  const key = 'ending/demo';
  const told = await eventually('the status says so', async () => {
    await reconciler.reconcile(key, new AbortController().signal);
    const karmada = await findKarmada();
    const ready = karmada.status?.conditions?.find(({ type }) => type === 'Ready');
    return ready?.reason === 'NamespaceTerminating' ? karmada : undefined;
  });
  expect(told.status).toMatchObject({
    phase: 'Deleting',
    conditions: expect.arrayContaining([
      expect.objectContaining({
        type: 'Ready',
        status: 'False',
        message: 'the namespace is being deleted: nothing is made or changed in it any more',
      }),
    ]),
  });
  const result = await reconciler.reconcile(key, new AbortController().signal);
  expect(result).toEqual({});
  expect((await findKarmada()).metadata.resourceVersion).toBe(told.metadata.resourceVersion);
  for (const type of [resources.Secret, resources.Service, resources.StatefulSet])
    expect((await client.list(type, { namespace: 'ending' })).items).toEqual([]);
});
