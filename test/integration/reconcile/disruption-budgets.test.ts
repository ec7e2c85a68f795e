/** PodDisruptionBudgets of earlier forms, with a real API server. */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { COMPONENT, INSTANCE, isOurs, MANAGED_BY, MANAGER } from '../../../src/api/labels.ts';
import { createHost, ownedBy, type Host } from '../../../src/host-clusters/host.ts';
import { systemClock } from '../../../src/kubernetes/time/clock.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { keyOf, resources } from '../../../src/kubernetes/objects/resources.ts';
import { applyObject, removeObject } from '../../../src/features/components/apply-object.ts';
import { desiredObject } from '../../../src/instance/desired-objects.ts';
import { withBudgetOwners } from '../../../src/features/components/disruption-budgets.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually, memoryLog } from '../../harness/servers/apiserver-client.ts';

const name = 'demo';
const PODS = { [COMPONENT]: 'karmada-webhook', [INSTANCE]: name };
const OURS = { ...PODS, [MANAGED_BY]: MANAGER };
const FORMER = { fieldManager: 'karmada-operator', force: true };

let api: ApiServer;
let client: KubernetesClient;
let host: Host;
let owner: KubernetesObject;
let key = { namespace: '', name: 'demo-webhook' };
let count = 0;

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api);
  const options = { clock: systemClock, random: Math.random, log: memoryLog() };
  host = createHost({ client, ...options });
  host.quota.start();
  for (const informer of host.informers) informer.start();
});

afterAll(async () => {
  await Promise.all(host.informers.map((informer) => informer.stop()));
  await client.close();
  await api.stop();
});

beforeEach(async () => {
  count += 1;
  key = { ...key, namespace: `budgets-${String(count)}` };
  host.quota.admit(key.namespace);
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: key.namespace } });
  owner = await client.create(deployment());
});

const deployment = (): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...key, labels: OURS },
  spec: {
    selector: { matchLabels: PODS },
    template: {
      metadata: { labels: PODS },
      spec: { containers: [{ name: 'c', image: 'example.com/c:1' }] },
    },
  },
});

const budget = (labels: Readonly<Record<string, string>>): KubernetesObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { ...key, labels },
  spec: { maxUnavailable: 1, selector: { matchLabels: PODS } },
});

const cached = (): KubernetesObject | undefined =>
  ownedBy(host.owned, `${key.namespace}/${name}`).find(
    ({ kind }) => kind === 'PodDisruptionBudget',
  );

/** The cached PodDisruptionBudget when the cache has this version of it. */
const untilCached = ({ metadata }: KubernetesObject): Promise<KubernetesObject> =>
  eventually('the PodDisruptionBudget is in the cache', () => {
    const found = cached();
    const isNewest = found?.metadata.resourceVersion === metadata.resourceVersion;
    return Promise.resolve(isNewest ? found : undefined);
  });

const tools = () => ({
  name,
  host,
  controlPlane: undefined,
  instance: { settled: new Map<string, string>() },
});

/** Applies the PodDisruptionBudget of the workload. @returns the live one */
async function reconcile(): Promise<KubernetesObject> {
  const item = desiredObject('host', 'karmada-webhook', budget(PODS));
  const { objects } = withBudgetOwners(
    { objects: [item], steps: new Set(['karmada-webhook']) },
    { host: { objects: [owner], pods: [], claims: [] } },
  );
  const [target = item] = objects;
  const present = cached();
  const done = await applyObject(tools(), {
    kind: 'apply',
    target,
    ...(present && { cached: present }),
  });
  expect(done.problem).toBeUndefined();
  return client.get(resources.PodDisruptionBudget, key);
}

const ownerReference = () => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: key.name,
  uid: owner.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

it.each([
  ['an earlier version of this operator', OURS, false, true],
  ['the Go operator', PODS, true, false],
])('takes over the PodDisruptionBudget of %s', async (_, labels, isOwned, isApplied) => {
  const { metadata, ...former } = budget(labels);
  const given = { ...metadata, ...(isOwned && { ownerReferences: [ownerReference()] }) };
  const made = { ...former, metadata: given } as KubernetesObject;
  const before = await (isApplied ? client.apply(made, FORMER) : client.create(made, FORMER));
  await untilCached(before);
  const after = await reconcile();
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.metadata.labels).toEqual(PODS);
  expect(after.metadata.ownerReferences).toEqual([ownerReference()]);
});

it('refers to a recreated workload when the garbage collector has removed the old reference', async () => {
  const first = await reconcile();
  const orphan = { metadata: { ownerReferences: null } };
  await untilCached(await client.patch(resources.PodDisruptionBudget, key, orphan));
  await client.delete(resources.Deployment, key, { propagationPolicy: 'Orphan' });
  const gone = await client.find(resources.Deployment, key);
  // No controller runs here, which would remove the finalizer.
  if (gone) await client.patch(resources.Deployment, key, { metadata: { finalizers: null } });
  owner = await client.create(deployment());
  const after = await reconcile();
  expect(after.metadata.uid).toBe(first.metadata.uid);
  expect(after.metadata.ownerReferences).toEqual([ownerReference()]);
});

it('deletes a PodDisruptionBudget of its workload, and keeps one of a user with the same labels', async () => {
  const own = await untilCached(await reconcile());
  const user = budget(PODS);
  const others = { ...user, metadata: { ...user.metadata, name: 'user' } };
  const foreign = await client.create(others, { fieldManager: 'user' });
  expect([isOurs(own, name), isOurs(foreign, name)]).toEqual([true, false]);
  await removeObject(tools(), { kind: 'remove', cluster: 'host', object: own });
  expect(await client.find(resources.PodDisruptionBudget, key)).toBeUndefined();
  expect(await client.find(resources.PodDisruptionBudget, keyOf(foreign))).toBeDefined();
});

it('lets an earlier version of this operator take it back', async () => {
  await reconcile();
  const after = await client.apply(budget(OURS), FORMER);
  expect(after.metadata.labels).toEqual(OURS);
  expect(after.metadata).not.toHaveProperty('ownerReferences');
});
