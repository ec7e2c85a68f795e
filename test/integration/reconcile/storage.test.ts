/** Tests that deletions of etcd storage depend on live objects and not on the cache. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { KubernetesClient } from '../../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { resources, type ObjectKey } from '../../../src/kubernetes/objects/resources.ts';
import {
  karmadaOf,
  snapshotOf,
  statefulSetOf,
  wishOf,
} from '../../../src/instance/__fixtures__/instance.ts';
import type { DesiredObject } from '../../../src/instance/desired-objects.ts';
import { replaceStorage } from '../../../src/features/etcd-storage/replace-storage.ts';
import { pendingExpansions } from '../../../src/features/etcd-storage/claim-growth.ts';
import { growStorage } from '../../../src/features/etcd-bootstrap/grow-storage.ts';
import type { Done } from '../../../src/actions/execution-result.ts';
import { COMPONENT, INSTANCE } from '../../../src/api/labels.ts';
import { startApiServer, type ApiServer } from '../../harness/servers/apiserver.ts';
import { adminClient } from '../../harness/servers/apiserver-client.ts';

const NAME = 'karmada-demo';
const LABELS = { [INSTANCE]: NAME, [COMPONENT]: 'etcd' };
const applier = { forget: (): void => undefined };

let api: ApiServer;
let client: KubernetesClient;
let count = 0;
let namespace: string;

const specFor = (storageClassName: string): object => ({
  storageClassName,
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
});

function wanted(storageClassName: string): DesiredObject {
  const volumeData = { volumeClaim: { spec: specFor(storageClassName) } };
  const found = statefulSetOf({ volumeData });
  const metadata = { ...found.object.metadata, namespace };
  return { ...found, object: { ...found.object, metadata } };
}

const statefulSet = (): Promise<KubernetesObject> => client.create(wanted('typo').object);

/** Pod of an etcd member that cannot be scheduled. */
async function member(): Promise<KubernetesObject> {
  const metadata = { name: `${NAME}-etcd-0`, namespace, labels: LABELS };
  const containers = [{ name: 'etcd', image: 'registry.example.com/etcd:1' }];
  const spec = { containers, automountServiceAccountToken: false };
  await client.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
  return client.patch(
    resources.Pod,
    metadata,
    { status: { conditions } },
    { subresource: 'status' },
  );
}

async function claim(phase: string): Promise<KubernetesObject> {
  const metadata = { name: `etcd-data-${NAME}-etcd-0`, namespace, labels: LABELS };
  const spec = { ...specFor('typo'), ...(phase === 'Bound' && { volumeName: 'pv-1' }) };
  await client.create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
  const status = { status: { phase } };
  return client.patch(resources.PersistentVolumeClaim, metadata, status, { subresource: 'status' });
}

/** Number of deletions after the storage class is corrected. */
const replaced = (): Promise<number> => replaceStorage({ client, applier }, NAME, wanted('fast'));

/** Whether an object is gone or terminating; no controller removes finalizers here. */
async function isLeaving(object: KubernetesObject): Promise<boolean> {
  const live = await client.find(client.typeOf(object), object.metadata);
  return live?.metadata.deletionTimestamp !== undefined || live === undefined;
}

beforeAll(async () => {
  api = await startApiServer();
  client = adminClient(api);
});

afterAll(async () => {
  await client.close();
  await api.stop();
});

beforeEach(async () => {
  count += 1;
  namespace = `storage-${count}`;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});

it('replaceStorage deletes the StatefulSet first, and the PVC when no Pod is left', async () => {
  const [set, pod, open] = [await statefulSet(), await member(), await claim('Pending')];
  expect(await replaced()).toBe(1);
  expect([await isLeaving(set), await isLeaving(open)]).toEqual([true, false]);
  // The Pod may still use the PVC.
  expect(await replaced()).toBe(0);
  await client.delete(resources.Pod, pod.metadata, { gracePeriodSeconds: 0 });
  expect(await replaced()).toBe(1);
  expect(await isLeaving(open)).toBe(true);
  expect(await replaced()).toBe(0);
});

it('replaceStorage deletes nothing when a PVC is bound to a volume', async () => {
  const [set, , bound] = [await statefulSet(), await member(), await claim('Bound')];
  expect(await replaced()).toBe(0);
  expect([await isLeaving(set), await isLeaving(bound)]).toEqual([false, false]);
});

it('replaceStorage keeps a bound PVC when its StatefulSet has been deleted', async () => {
  const bound = await claim('Bound');
  expect(await replaced()).toBe(0);
  expect(await isLeaving(bound)).toBe(false);
});

it('replaceStorage deletes nothing when the StatefulSet belongs to another control plane', async () => {
  const { object } = wanted('typo');
  const labels = { ...object.metadata.labels, [INSTANCE]: 'other' };
  const set = await client.create({ ...object, metadata: { ...object.metadata, labels } });
  const [, open] = [await member(), await claim('Pending')];
  expect(await replaced()).toBe(0);
  expect([await isLeaving(set), await isLeaving(open)]).toEqual([false, false]);
});

describe('growStorage', () => {
  const storageClass = 'expandable';
  const sized = (storage: string): DesiredObject => {
    const found = wanted(storageClass);
    const template = {
      metadata: { name: 'etcd-data' },
      spec: { ...specFor(storageClass), resources: { requests: { storage } } },
    };
    const spec = { ...(found.object['spec'] as object), volumeClaimTemplates: [template] };
    return { ...found, object: { ...found.object, spec } };
  };
  const key = (): ObjectKey => ({ namespace, name: `etcd-data-${NAME}-etcd-0` });
  const grow = async (set: KubernetesObject, storage: string): Promise<Done> => {
    const karmada = { ...karmadaOf(), metadata: { ...karmadaOf().metadata, namespace } };
    const volumeData = { volumeClaim: { spec: specFor(storageClass) } };
    const spec = { components: { etcd: { local: { volumeData } } } };
    const snapshot = snapshotOf(wishOf(), [], { karmada: { ...karmada, spec } });
    const tools = { client, applier, rights: { lacks: () => false } as never };
    const action = { kind: 'growEtcdStorage', statefulSet: set, wanted: sized(storage) } as const;
    return growStorage(tools, snapshot, action);
  };
  const setClass = async (allowVolumeExpansion: boolean): Promise<void> => {
    const type = resources.StorageClass;
    await client.delete(type, { name: storageClass }).catch(() => undefined);
    await client.create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: storageClass },
      provisioner: 'example.com/none',
      allowVolumeExpansion,
    });
  };
  /** A PVC whose volume has 1Gi. */
  const bound = async (): Promise<void> => {
    const metadata = { ...key(), labels: LABELS };
    const spec = { ...specFor(storageClass), volumeName: 'pv-1' };
    await client.create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
    await resized('1Gi');
  };
  /** Reports the size of the volume, as the resizer of a CSI driver does. */
  const resized = async (storage: string): Promise<void> => {
    const status = { phase: 'Bound', capacity: { storage } };
    const options = { subresource: 'status' };
    await client.patch(resources.PersistentVolumeClaim, key(), { status }, options);
  };
  const pending = async (): Promise<readonly string[]> =>
    pendingExpansions(NAME, [await client.get(resources.PersistentVolumeClaim, key())]);

  it('expands the PVCs, then deletes the StatefulSet without its Pods', async () => {
    const set = await client.create(sized('1Gi').object);
    await setClass(false);
    await bound();
    expect(await grow(set, '2Gi')).toMatchObject({
      blockedChange: { reason: 'EtcdVolumeExpansionBlocked' },
    });
    await setClass(true);
    expect(await grow(set, '2Gi')).toEqual({ writes: 1 });
    expect(await pending()).toEqual([`etcd-data-${NAME}-etcd-0 (1Gi of 2Gi)`]);
    await resized('2Gi');
    expect(await pending()).toEqual([]);
    expect(await grow(set, '2Gi')).toEqual({ writes: 1 });
    const live = await client.get(resources.StatefulSet, set.metadata);
    expect(live.metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ['orphan'],
    });
    // It waits until its controller has released the Pods.
    expect(await grow(set, '2Gi')).toEqual({});
  });

  it('changes nothing when the size shrinks, or the StatefulSet is another one', async () => {
    const set = await client.create(sized('2Gi').object);
    await setClass(true);
    await bound();
    expect(await grow(set, '1Gi')).toMatchObject({
      blockedChange: { reason: 'EtcdStorageBlocked' },
    });
    const other = { ...set, metadata: { ...set.metadata, uid: 'other' } };
    expect(await grow(other, '4Gi')).toEqual({});
    expect(await isLeaving(set)).toBe(false);
  });
});
