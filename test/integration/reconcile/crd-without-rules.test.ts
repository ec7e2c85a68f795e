/**
 * Tests with a CRD without validation rules, as another chart may install it: the operator itself rejects changes
 * that would abandon data.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { karmadaCrd } from '../../../scripts/crd/karmada.ts';
import type { Karmada, KarmadaStatus } from '../../../src/api/karmada.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { isExisting } from '../../../src/etcd-cluster/pods/membership.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';

const KINDS = [
  resources.StatefulSet,
  resources.Deployment,
  resources.Service,
  resources.Secret,
  resources.PodDisruptionBudget,
];

let api: ApiServer;
let client: KubernetesClient;
let reconciler: Reconciler;

/** The CRD with its fields and without its validation rules. */
function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'x-kubernetes-validations');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutRules(inner)]));
}

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api, { resources: [karmadas] });
  await serveKarmadas(client, withoutRules(karmadaCrd) as object);
  reconciler = await startReconciler(client);
});

afterAll(async () => {
  await reconciler.stop();
  await client.close();
  await api.stop();
});

const keyIn = (namespace: string): { namespace: string; name: string } => ({
  namespace,
  name: 'demo',
});

const findKarmada = async (namespace: string): Promise<Karmada> =>
  (await client.get(karmadas, keyIn(namespace))) as unknown as Karmada;

async function pass(namespace: string): Promise<void> {
  await reconciler.reconcile(`${namespace}/demo`, new AbortController().signal);
}

/** All objects of the control plane with their resourceVersions. */
async function versionsIn(namespace: string): Promise<readonly string[]> {
  const lists = await Promise.all(KINDS.map((type) => client.list(type, { namespace })));
  return lists
    .flatMap(({ items }) => items)
    .map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion ?? ''}`)
    .sort();
}

/** Reconciles a Karmada until its etcd and its API server are created. */
async function install(namespace: string, status: KarmadaStatus): Promise<readonly string[]> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const apiVersion = `${karmadas.group}/${karmadas.version}`;
  const metadata = keyIn(namespace);
  await client.create({ apiVersion, kind: karmadas.kind, metadata, spec: {} });
  await eventually('the StatefulSet is created', async () => {
    await pass(namespace);
    return (await client.list(resources.StatefulSet, { namespace })).items.length > 0;
  });
  await client.patch(karmadas, metadata, { status }, { subresource: 'status' });
  // Etcd of a control plane that was Ready is sealed: it never creates a new cluster. The API server is created
  // afterwards.
  await eventually('etcd is sealed and the API server is created', async () => {
    await pass(namespace);
    const [sets, deployments] = await Promise.all(
      [resources.StatefulSet, resources.Deployment].map((type) => client.list(type, { namespace })),
    );
    return sets?.items.every(isExisting) && deployments?.items.length === 1;
  });
  return versionsIn(namespace);
}

/** Changes the spec; returns the status with the expected reason, and the objects at that time. */
async function changed(
  namespace: string,
  spec: object,
  reason: string,
): Promise<{ readonly status: KarmadaStatus; readonly versions: readonly string[] }> {
  await client.patch(karmadas, keyIn(namespace), { spec });
  const status = await eventually(`Ready is False with ${reason}`, async () => {
    await pass(namespace);
    const found = (await findKarmada(namespace)).status;
    const ready = found?.conditions?.find(({ type }) => type === 'Ready');
    return ready?.reason === reason ? found : undefined;
  });
  await pass(namespace);
  return { status, versions: await versionsIn(namespace) };
}

const READY: KarmadaStatus = {
  secretRef: { name: 'demo-karmada-admin-config', namespace: 'team' },
  versions: {},
};

const EXTERNAL = {
  endpoints: ['https://etcd.example.com:2379'],
  secretRef: { name: 'etcd-client' },
};

it('reconcile keeps local etcd and all other objects when the spec is changed to external etcd', async () => {
  const before = await install('kind', READY);
  const spec = { components: { etcd: { local: null, external: EXTERNAL } } };
  const { status, versions } = await changed('kind', spec, 'EtcdKindChanged');
  expect(versions).toEqual(before);
  expect(status.phase).toBe('Failed');
  expect(JSON.stringify(status.conditions)).toContain('from local to external');
  await client.patch(karmadas, keyIn('kind'), {
    spec: { components: { etcd: { local: {}, external: null } } },
  });
  await eventually('the operator reconciles it again', async () => {
    await pass('kind');
    const { conditions = [] } = (await findKarmada('kind')).status ?? {};
    return !conditions.some(({ reason }) => reason === 'EtcdKindChanged');
  });
});

it('reconcile keeps the control plane in the management cluster when the spec references a remote host cluster', async () => {
  const before = await install('host', READY);
  const spec = { hostCluster: { secretRef: { name: 'other', namespace: 'host' } } };
  const { status, versions } = await changed('host', spec, 'HostChanged');
  expect(versions).toEqual(before);
  expect(JSON.stringify(status.conditions)).toContain('cannot be added');
});

it('reconcile creates nothing in the management cluster when the reference to the remote host cluster is removed', async () => {
  const before = await install('back', READY);
  await client.patch(
    karmadas,
    keyIn('back'),
    { status: { hostUID: 'another-cluster' } },
    { subresource: 'status' },
  );
  const { status, versions } = await changed('back', { version: 'v1.17.1' }, 'HostChanged');
  expect(versions).toEqual(before);
  expect(JSON.stringify(status.conditions)).toContain('cannot be removed');
});

it.each([
  ['a PVC', { volumeClaim: claimOf('1Gi'), emptyDir: null }],
  ['a hostPath', { hostPath: { path: '/data' }, emptyDir: null }],
])(
  'reconcile keeps the StatefulSet of etcd when its volume is changed to %s',
  async (kind, volumeData) => {
    const namespace = `volume-${kind.length}`;
    const before = await install(namespace, READY);
    const spec = { components: { etcd: { local: { volumeData } } } };
    const { metadata } = await client.patch(karmadas, keyIn(namespace), { spec });
    await eventually('the operator has observed the change', async () => {
      await pass(namespace);
      const { observedGeneration = 0 } = (await findKarmada(namespace)).status ?? {};
      return observedGeneration >= (metadata.generation ?? Infinity);
    });
    const etcd = (list: readonly string[]) => list.filter((text) => text.startsWith('StatefulSet'));
    expect(etcd(await versionsIn(namespace))).toEqual(etcd(before));
  },
);

function claimOf(storage: string): object {
  return { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } };
}
