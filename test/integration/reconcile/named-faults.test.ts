/**
 * The faults that the operator names without Pods, with a real API server. `e2e/faults` has all of them.
 *
 * @size medium
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { FAULTS } from '../../harness/faults/all-faults.ts';
import type { Fault } from '../../harness/faults/fault.ts';
import { NAME, namedCondition, namespaceOf, objectsOf } from '../../harness/faults/named-fault.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  await serveKarmadas(client);
  reconciler = await startReconciler(client);
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

const create = (object: object): Promise<unknown> => client.create(object as KubernetesObject);

const withNamespace = (object: object, namespace: string): object => {
  const { metadata, ...rest } = object as KubernetesObject;
  return { ...rest, metadata: { ...metadata, namespace } };
};

async function conditionsOf(fault: Fault): Promise<readonly Condition[]> {
  const key = { namespace: namespaceOf(fault), name: NAME };
  await reconciler.reconcile(`${key.namespace}/${NAME}`, new AbortController().signal);
  const { status } = (await client.get(karmadas, key)) as unknown as Karmada;
  return status?.conditions ?? [];
}

const atOnce = FAULTS.filter(
  ({ evidence, later }) => evidence === undefined && later === undefined,
);

it.each(atOnce.map((fault) => [fault.title, fault] as const))('names %s', async (_, fault) => {
  const { namespace, karmada } = objectsOf(fault);
  await create(namespace);
  const name = namespaceOf(fault);
  for (const object of (await fault.objects?.(name)) ?? [])
    await create(withNamespace(object, name));
  await create(karmada);
  let seen: readonly Condition[] = [];
  const found = await eventually(
    `${fault.named.type} has the reason ${fault.named.reason}`,
    async () => {
      seen = await conditionsOf(fault);
      return namedCondition(seen, fault.named);
    },
    () => seen,
  );
  expect(found.message).not.toMatch(/check its log/);
});

it.each(FAULTS.map((fault) => [fault.title, fault] as const))(
  'has a CRD that accepts the Karmada with %s',
  async (_, fault) => {
    const karmada = withNamespace(objectsOf(fault).karmada, 'default') as KubernetesObject;
    await expect(client.create(karmada, { dryRun: true })).resolves.toBeDefined();
  },
);

const changed = FAULTS.filter(({ later }) => later?.patch !== undefined);

it.each(changed.map((fault) => [fault.title, fault] as const))(
  'has a CRD that accepts %s',
  async (_, fault) => {
    const namespace = `changed-${fault.id}`;
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await create(withNamespace(objectsOf(fault).karmada, namespace));
    const change = { spec: fault.later?.patch };
    const result = client.patch(karmadas, { namespace, name: NAME }, change, { dryRun: true });
    await expect(result).resolves.toBeDefined();
  },
);
