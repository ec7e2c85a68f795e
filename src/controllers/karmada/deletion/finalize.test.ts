import { describe, expect, it } from '@jest/globals';
import { DISABLE_CASCADING_DELETION_LABEL, FINALIZER } from '../../../api/karmada.ts';
import type { Karmada, KarmadaStatus } from '../../../api/karmada.ts';
import { manualClock } from '../../../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { karmadaOf } from '../../../instance/__fixtures__/instance.ts';
import { afterStep, deletesObjects, finalize } from './finalize.ts';
import type { DeletionExecutorTools } from './deletion-executors.ts';
import { finalizerPatch } from './finalizer-patch.ts';

const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };

function karmadaWith(metadata: object): Karmada {
  const karmada = karmadaOf();
  return { ...karmada, metadata: { ...karmada.metadata, finalizers: [FINALIZER], ...metadata } };
}

describe('deletesObjects', () => {
  it.each([
    ['no label', {}, true],
    ['the label false', { labels: { [DISABLE_CASCADING_DELETION_LABEL]: 'false' } }, true],
    ['the label true', { labels: { [DISABLE_CASCADING_DELETION_LABEL]: 'true' } }, false],
    ['the label with another value', { labels: { [DISABLE_CASCADING_DELETION_LABEL]: '' } }, false],
  ])('decides for a Karmada with %s', (_, metadata, expected) => {
    expect(deletesObjects(karmadaWith(metadata))).toBe(expected);
  });
});

describe('afterStep', () => {
  it.each([
    [
      'calls soon again while objects of a deleted Karmada are left',
      DELETED,
      false,
      { requeueAfterMs: 300 },
    ],
    ['calls later again in a terminating Namespace', {}, false, { requeueAfterMs: 2_000 }],
    ['removes the finalizer when nothing is left', DELETED, true, { removesFinalizer: true }],
    [
      'keeps the finalizer of a Karmada that is not deleted yet',
      {},
      true,
      { removesFinalizer: false },
    ],
  ])('%s', (_, metadata, done, expected) => {
    expect(afterStep(karmadaWith(metadata), { done })).toEqual(expected);
  });
});

describe('finalizerPatch', () => {
  const live = (metadata: object): KubernetesObject => ({
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name: 'karmada-demo', uid: 'u-1', resourceVersion: '9', ...metadata },
  });

  it('removes only the finalizer of the operator', () => {
    const finalizers = ['example.com/other', FINALIZER];
    expect(finalizerPatch(live({ finalizers }), 'u-1')).toEqual({
      metadata: { uid: 'u-1', resourceVersion: '9', finalizers: ['example.com/other'] },
    });
  });

  it.each([
    ['is gone', undefined],
    ['was replaced by a new one', live({ uid: 'u-2', finalizers: [FINALIZER] })],
    ['has no finalizer of the operator', live({ finalizers: ['example.com/other'] })],
    ['has no finalizers', live({})],
  ])('is undefined when the Karmada %s', (_, found) => {
    expect(finalizerPatch(found, 'u-1')).toBeUndefined();
  });
});

/** Tools whose clients record calls. @param remains objects in the host cluster by kind */
function setUp(remains: Readonly<Record<string, readonly KubernetesObject[]>> = {}) {
  const calls: string[] = [];
  const statuses: KarmadaStatus[] = [];
  const client = {
    list: ({ kind }: { kind: string }) => Promise.resolve({ items: remains[kind] ?? [] }),
    find: () => Promise.resolve(karmadaWith(DELETED)),
    typeOf: ({ kind }: KubernetesObject) => ({ kind }),
    delete: ({ kind }: { kind: string }, { name }: { name: string }) => {
      calls.push(`delete ${kind} ${name}`);
      return Promise.resolve();
    },
    patch: (_type: object, _key: object, patch: { status?: KarmadaStatus }) => {
      if (patch.status === undefined) calls.push('remove finalizer');
      else statuses.push(patch.status);
      return Promise.resolve({ metadata: {} });
    },
  };
  const host = { client, owned: [], applier: { forget: () => undefined } };
  const events = { record: () => undefined };
  const tools = {
    host,
    local: host,
    events,
    clock: manualClock(Date.parse('2026-01-01T00:01:00Z')),
  };
  return { calls, statuses, tools: tools as object as DeletionExecutorTools };
}

const LABELS = {
  'app.kubernetes.io/managed-by': 'karmada-operator',
  'app.kubernetes.io/instance': 'karmada-demo',
  'app.kubernetes.io/name': 'etcd',
};

const object = (kind: string, name: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name,
    namespace: 'team',
    uid: name,
    resourceVersion: '1',
    labels: LABELS,
    ...metadata,
  },
});

describe('finalize', () => {
  it('does nothing without its finalizer', async () => {
    const { calls, tools } = setUp({ Secret: [object('Secret', 'any')] });
    expect(await finalize(tools, karmadaWith({ ...DELETED, finalizers: [] }))).toEqual({});
    expect(calls).toEqual([]);
  });

  it('deletes what the plan names and keeps the finalizer until nothing is left', async () => {
    const { calls, tools } = setUp({
      StatefulSet: [object('StatefulSet', 'etcd')],
      Secret: [object('Secret', 'keys')],
    });
    expect(await finalize(tools, karmadaWith(DELETED))).toEqual({ requeueAfterMs: 300 });
    expect(calls).toEqual(['delete StatefulSet etcd']);
  });

  it('removes the finalizer in the same call that finds nothing left', async () => {
    const { calls, tools } = setUp();
    expect(await finalize(tools, karmadaWith(DELETED))).toEqual({});
    expect(calls).toEqual(['remove finalizer']);
  });

  it('deletes nothing when the cascading deletion is disabled', async () => {
    const { calls, tools } = setUp({ Secret: [object('Secret', 'keys')] });
    const labels = { [DISABLE_CASCADING_DELETION_LABEL]: 'true' };
    await finalize(tools, karmadaWith({ ...DELETED, labels }));
    expect(calls).toEqual(['remove finalizer']);
  });

  it('reports the Pod that blocks the deletion of a PVC', async () => {
    const claim = 'etcd-data-karmada-demo-etcd-0';
    const spec = { volumes: [{ persistentVolumeClaim: { claimName: claim } }] };
    const { statuses, tools } = setUp({
      PersistentVolumeClaim: [object('PersistentVolumeClaim', claim, DELETED)],
      Pod: [{ ...object('Pod', 'backup'), spec }],
    });
    const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' as const } };
    const karmada = { ...karmadaWith(DELETED), spec: { components: { etcd: { local: policy } } } };
    expect(await finalize(tools, karmada)).toEqual({ requeueAfterMs: 300 });
    expect(statuses).toHaveLength(1);
    expect(JSON.stringify(statuses)).toContain('still used by Pod backup');
  });
});
