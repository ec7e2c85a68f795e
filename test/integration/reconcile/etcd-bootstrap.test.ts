/**
 * Tests the StatefulSet of etcd when it, its PVCs or their labels are missing. The decision depends on live objects.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../src/kubernetes/objects/resources.ts';
import {
  RECORD_ANNOTATION,
  START_EMPTY_ANNOTATION,
  recordIn,
  type EtcdRecord,
} from '../../../src/etcd-cluster/identity/record.ts';
import { isExisting, membersIn, tokenIn } from '../../../src/etcd-cluster/pods/membership.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { Reconciler } from '../../../src/kubernetes/workqueue/reconciler.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient, eventually } from '../../harness/servers/apiserver-client.ts';
import { serveKarmadas, startReconciler } from '../../harness/servers/reconciler.ts';

const name = 'karmada';
const set = 'karmada-etcd';

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

/** Reconciles repeatedly until `look` returns a value. */
const until = <T>(
  namespace: string,
  what: string,
  look: () => Promise<T | undefined>,
): Promise<T> => {
  let said = '';
  return eventually(
    what,
    async () => {
      await reconciler.reconcile(`${namespace}/${name}`, new AbortController().signal);
      said = await messages(namespace);
      return look();
    },
    () => said,
  );
};

const find = (type: ResourceType, namespace: string, called: string) =>
  client.find(type, { namespace, name: called });

const statefulSet = (namespace: string): Promise<KubernetesObject | undefined> =>
  find(resources.StatefulSet, namespace, set);

async function record(namespace: string): Promise<EtcdRecord | undefined> {
  const backup = await find(resources.Secret, namespace, 'karmada-ca-backup');
  const noted = recordIn(backup?.metadata.annotations);
  return typeof noted === 'object' ? noted : undefined;
}

const volumeClaim = {
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

/** Creates a Karmada with one etcd member, and waits for the StatefulSet. */
async function install(namespace: string): Promise<KubernetesObject> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create({
    apiVersion: `${karmadas.group}/${karmadas.version}`,
    kind: 'Karmada',
    metadata: { name, namespace },
    spec: { components: { etcd: { local: { replicas: 1, volumeData: { volumeClaim } } } } },
  });
  return until(namespace, 'the StatefulSet exists', () => statefulSet(namespace));
}

const patchKarmada = (namespace: string, change: object): Promise<KubernetesObject> =>
  client.patch(karmadas, { namespace, name }, change);

/** A PVC as the StatefulSet creates it, without its labels. */
async function claim(namespace: string, ordinal: number): Promise<void> {
  const metadata = { name: `etcd-data-${set}-${ordinal}`, namespace };
  const spec = { ...volumeClaim.spec, storageClassName: 'x', volumeName: `pv-${ordinal}` };
  await client.create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
  const status = { status: { phase: 'Bound' } };
  await client.patch(resources.PersistentVolumeClaim, metadata, status, { subresource: 'status' });
}

async function deleteSet(namespace: string): Promise<void> {
  await client.delete(resources.StatefulSet, { namespace, name: set });
}

const wantThree = { spec: { components: { etcd: { local: { replicas: 3 } } } } };

const messages = async (namespace: string): Promise<string> => {
  const found = (await client.get(karmadas, { namespace, name })) as unknown as Karmada;
  return (found.status?.conditions ?? []).map((item) => `${item.reason} ${item.message}`).join();
};

describe('new etcd', () => {
  it('gets a record before its StatefulSet, and is sealed when its Pods exist', async () => {
    const namespace = 'fresh';
    const fresh = await install(namespace);
    expect([isExisting(fresh), membersIn(fresh)]).toEqual([false, 1]);
    const noted = await record(namespace);
    expect(noted).toMatchObject({ state: 'unborn', members: 1, token: tokenIn(fresh) });
    expect(noted?.token).toMatch(/^karmada-etcd\.fresh\.[0-9a-z]{12}$/);
    expect(await find(resources.Deployment, namespace, 'karmada-apiserver')).toBeUndefined();
    await firstPod(namespace, fresh);
    const sealed = await until(namespace, 'etcd is sealed', async () => {
      const found = await statefulSet(namespace);
      return found && isExisting(found) ? found : undefined;
    });
    expect([membersIn(sealed), tokenIn(sealed)]).toEqual([1, noted?.token]);
    expect(sealed['spec']).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    await until(namespace, 'the API server Deployment exists', () =>
      find(resources.Deployment, namespace, 'karmada-apiserver'),
    );
  });

  it('is not created while the Secret with its record is being deleted', async () => {
    const namespace = 'record-ends';
    await install(namespace);
    const backup = { namespace, name: 'karmada-ca-backup' };
    await client.patch(resources.Secret, backup, {
      metadata: { finalizers: ['example.com/hold'] },
    });
    await client.delete(resources.Secret, backup);
    await deleteSet(namespace);
    await until(namespace, 'the missing record is reported', async () =>
      (await messages(namespace)).includes(
        'the record of the new etcd cluster could not be written',
      )
        ? true
        : undefined,
    );
    expect(await statefulSet(namespace)).toBeUndefined();
    await client.patch(resources.Secret, backup, { metadata: { finalizers: [] } });
    await until(namespace, 'the StatefulSet exists', () => statefulSet(namespace));
  });

  it('gets a different token in each installation', async () => {
    const one = tokenIn(await install('first-life'));
    const other = tokenIn(await install('second-life'));
    expect(one?.split('.').at(-1)).not.toBe(other?.split('.').at(-1));
  });
});

/** Simulates the StatefulSet controller, which does not run here. */
async function firstPod(namespace: string, of: KubernetesObject): Promise<void> {
  const { generation = 1 } = of.metadata;
  const status = { observedGeneration: generation, updateRevision: 'r1', replicas: 1 };
  await client.patch(
    resources.StatefulSet,
    { namespace, name: set },
    { status },
    { subresource: 'status' },
  );
  const { template } = of['spec'] as { template: { metadata: object; spec: object } };
  const { labels, annotations } = template.metadata as Record<string, Record<string, string>>;
  await client.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${set}-0`,
      namespace,
      labels: { ...labels, 'controller-revision-hash': 'r1' },
      ...(annotations && { annotations }),
    },
    spec: {
      containers: [{ name: 'etcd', image: 'registry.example.com/etcd:1' }],
      automountServiceAccountToken: false,
    },
  });
}

describe('etcd without StatefulSet', () => {
  it('is recreated with the members of its unlabeled PVCs when the spec requests three members', async () => {
    const namespace = 'scaled';
    await install(namespace);
    await claim(namespace, 0);
    await deleteSet(namespace);
    await patchKarmada(namespace, wantThree);
    const found = await until(namespace, 'the StatefulSet is recreated', () =>
      statefulSet(namespace),
    );
    expect(found['spec']).toMatchObject({ replicas: 1 });
    expect([isExisting(found), membersIn(found)]).toEqual([true, 1]);
  });

  it('is not recreated when its data is lost, until an annotation with its cluster ID allows an empty start once', async () => {
    const namespace = 'lost';
    await install(namespace);
    const before = await record(namespace);
    const born: EtcdRecord = {
      state: 'born',
      token: 't',
      members: 1,
      ca: 'x',
      clusterID: 'c0ffee',
    };
    await deleteSet(namespace);
    await note(namespace, born);
    await until(namespace, 'the data loss is reported', async () =>
      (await messages(namespace)).includes('DataLost') ? true : undefined,
    );
    expect(await statefulSet(namespace)).toBeUndefined();
    const annotations = { [START_EMPTY_ANNOTATION]: 'c0ffee' };
    await patchKarmada(namespace, { metadata: { annotations } });
    const anew = await until(namespace, 'etcd starts empty', () => statefulSet(namespace));
    expect(isExisting(anew)).toBe(false);
    expect(await record(namespace)).toMatchObject({ state: 'unborn', startedEmpty: ['c0ffee'] });
    expect(tokenIn(anew)).not.toBe(before?.token);
    // Only once: the same annotation does not apply to the next cluster.
    await deleteSet(namespace);
    await note(namespace, { ...born, clusterID: 'decaf', startedEmpty: ['c0ffee'] });
    await until(namespace, 'the next data loss is reported', async () =>
      (await messages(namespace)).includes('start-empty=decaf') ? true : undefined,
    );
    expect(await statefulSet(namespace)).toBeUndefined();
  });

  async function note(namespace: string, value: EtcdRecord): Promise<void> {
    const annotations = { [RECORD_ANNOTATION]: JSON.stringify(value) };
    const key = { namespace, name: 'karmada-ca-backup' };
    await client.patch(resources.Secret, key, { metadata: { annotations } });
  }
});

it('reconcile keeps the number of etcd members when a label of the StatefulSet is overwritten', async () => {
  const namespace = 'relabelled';
  const before = await install(namespace);
  await patchKarmada(namespace, wantThree);
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  await client.patch(resources.StatefulSet, { namespace, name: set }, { metadata: { labels } });
  const after = await until(namespace, 'the label is repaired', async () => {
    const found = await statefulSet(namespace);
    const by = found?.metadata.labels?.['app.kubernetes.io/managed-by'];
    return by === 'karmada-operator' ? found : undefined;
  });
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect([membersIn(after), after['spec']]).toEqual([1, expect.objectContaining({ replicas: 1 })]);
});
