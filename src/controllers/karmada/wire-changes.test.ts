import { describe, expect, it } from '@jest/globals';
import { KARMADAS_LABEL } from '../../host-clusters/host-namespace.ts';
import type { Host, ManagementCluster } from '../../host-clusters/host.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import type { Change } from '../../kubernetes/informers/informer-options.ts';
import type { KubernetesObject, ObjectMeta } from '../../kubernetes/objects/object.ts';
import type { WorkQueue } from '../../kubernetes/workqueue/queue.ts';
import { wireHost, wireLocal } from './wire-changes.ts';

const namespace = (metadata: Partial<ObjectMeta> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'team', ...metadata },
});

const karmada = (inNamespace: string): KubernetesObject => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: 'demo', namespace: inNamespace },
  spec: { components: { karmadaAPIServer: { serviceType: 'NodePort' } } },
});

type Handler = (change: Change) => void;

/** A host cluster that the Karmada `team/demo` uses, with handlers of its caches. */
function setUp(users: readonly string[] = ['team/demo'], ready: 'True' | 'False' = 'False') {
  const queued: string[] = [];
  const priorities: (string | undefined)[] = [];
  const clock = manualClock();
  const cache = () => {
    const handlers: Handler[] = [];
    return { onChange: (one: Handler) => handlers.push(one), tell: tellAll(handlers) };
  };
  const [namespaces, nodes, pods, claims] = [cache(), cache(), cache(), cache()];
  const quota = { onChange: () => undefined };
  const host = { owned: [], pods, claims, quota, namespaces, nodes } as unknown as Host;
  const conditions = [{ type: 'Ready', status: ready }];
  const get = () => ({ ...karmada('team'), status: { conditions } });
  const karmadas = { cache: { list: () => [karmada('team'), karmada('other')], get } };
  const local = { karmadas } as unknown as ManagementCluster;
  const add = (key: string, priority?: string): void => {
    queued.push(key);
    priorities.push(priority);
  };
  const queue = { add } as unknown as WorkQueue;
  wireHost({ host, users: new Set(users) }, { local, queue, clock });
  return { queued, priorities, clock, namespaces, nodes, pods };
}

const tellAll =
  (handlers: readonly Handler[]) => (object: KubernetesObject, previous?: KubernetesObject) => {
    const type = previous === undefined ? 'added' : 'modified';
    for (const handler of handlers)
      handler({ type, object, ...(previous && { previous }) } as Change);
  };

/** Keys that a change of the namespace `team` of the host cluster adds to the queue. */
function queuedBy(object: KubernetesObject, previous?: KubernetesObject): readonly string[] {
  const { queued, namespaces } = setUp();
  namespaces.tell(object, previous);
  return queued;
}

const podOf = (inNamespace: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: inNamespace,
    labels: { 'app.kubernetes.io/instance': 'demo' },
  },
});

const node = (address: number): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node' },
  status: { addresses: [{ type: 'InternalIP', address: String(address) }] },
});

describe('wireHost', () => {
  it.each([
    ['high for one that is Ready', 'True', 'high'],
    ['normal for one that is installed', 'False', 'normal'],
  ] as const)('gives changes of a control plane a priority: %s', (_, ready, expected) => {
    const { pods, priorities } = setUp(['team/demo'], ready);
    pods.tell(podOf('team'));
    expect(priorities).toEqual([expected]);
  });

  const granted = namespace({ labels: { [KARMADAS_LABEL]: 'Any' } });

  it.each<[string, KubernetesObject, KubernetesObject | undefined, readonly string[]]>([
    ['gets the consent of its owner', granted, namespace(), ['team/demo']],
    ['loses this consent', namespace(), granted, ['team/demo']],
    ['is being deleted', namespace({ deletionTimestamp: 'now' }), namespace(), ['team/demo']],
    ['changes otherwise', namespace({ resourceVersion: '2' }), namespace(), []],
    ['is read for the first time', granted, undefined, []],
  ])(
    'decides whether the Karmadas of a namespace reconcile when it %s',
    (_, object, previous, expected) => {
      expect(queuedBy(object, previous)).toEqual(expected);
    },
  );

  it('never queues a Karmada that does not use the host cluster', () => {
    const { queued, pods, namespaces, nodes } = setUp(['elsewhere/demo']);
    pods.tell(podOf('team'));
    namespaces.tell(granted, namespace());
    nodes.tell(node(1));
    expect(queued).toEqual([]);
  });

  it('merges the changes of Nodes, and of a Namespace, within a second', async () => {
    const { queued, clock, nodes, namespaces } = setUp();
    for (let turn = 0; turn < 1_000; turn += 1) {
      nodes.tell(node(turn));
      namespaces.tell(granted, namespace());
      namespaces.tell(namespace(), granted);
    }
    expect(queued).toEqual(['team/demo', 'team/demo']);
    await clock.advance(1_000);
    expect(queued).toHaveLength(4);
    await clock.advance(10_000);
    expect([queued.length, clock.pending()]).toEqual([4, 0]);
  });

  it('merges the changes of a Karmada when a host cluster reports very many', async () => {
    const { queued, clock, pods } = setUp();
    for (let turn = 0; turn < 10_000; turn += 1) pods.tell(podOf('team'));
    expect(queued).toHaveLength(50);
    await clock.advance(1_000);
    expect(queued).toHaveLength(51);
  });
});

/** A Karmada of the namespace `team`. @param secret of its host cluster @param isInstalled whether its control plane is there */
const onHost = (name: string, secret?: string, isInstalled = false): KubernetesObject => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace: 'team' },
  spec: { hostCluster: secret ? { secretRef: { namespace: 'team', name: secret } } : {} },
  status: isInstalled ? { hostUID: 'uid', hostSecret: `team/${secret ?? ''}` } : {},
});

/** @returns names of the queued Karmadas after a change of a Karmada, in addition to those that changed */
function queuedByChanges(cached: readonly KubernetesObject[], ...changes: readonly Change[]) {
  const handlers: Handler[] = [];
  const onChange = (one: Handler) => handlers.push(one);
  const none = { onChange: () => undefined };
  const karmadas = { cache: { list: () => cached }, onChange };
  const caches = { owned: [], pods: none, claims: none, quota: none };
  const queued: string[] = [];
  const queue = { add: (key: string) => queued.push(key) } as unknown as WorkQueue;
  const local = { ...caches, karmadas } as unknown as ManagementCluster;
  wireLocal({ local, queue, clock: manualClock() });
  for (const change of changes) for (const handler of handlers) handler(change);
  return queued.map((key) => key.replace('team/', ''));
}

describe('wireLocal', () => {
  const waiting = [onHost('local'), onHost('installed', 's1', true), onHost('new', 's2')];

  it.each<[string, Change, readonly string[]]>([
    [
      'references another host cluster',
      { type: 'modified', object: onHost('a', 's3'), previous: onHost('a', 's4', true) },
      ['a', 'new'],
    ],
    ['references the first one', { type: 'added', object: onHost('a', 's3') }, ['a', 'new']],
    [
      'was read for the first time',
      { type: 'added', object: onHost('a', 's3'), isInitial: true },
      ['a'],
    ],
    [
      'changes otherwise',
      { type: 'modified', object: onHost('a', 's3'), previous: onHost('a', 's3') },
      ['a'],
    ],
    ['uses the management cluster', { type: 'added', object: onHost('a') }, ['a']],
  ])(
    'queues the Karmadas to which the limit of host clusters may apply, or not, when one %s',
    (_, change, expected) => {
      expect(queuedByChanges(waiting, change)).toEqual(expected);
    },
  );

  it('queues the others of a namespace at most once a second, although thousands of Karmadas are deleted', async () => {
    const cached = new Map<string, KubernetesObject>();
    for (let index = 0; index < 2_000; index += 1) {
      const name = `k${String(index)}`;
      cached.set(name, { ...karmada('team'), metadata: { name, namespace: 'team' } });
    }
    const handlers: Handler[] = [];
    const karmadas = {
      cache: { list: () => [...cached.values()] },
      onChange: (one: Handler) => handlers.push(one),
    };
    const none = { onChange: () => undefined };
    const caches = { owned: [], pods: none, claims: none, quota: none };
    const local = { ...caches, karmadas } as unknown as ManagementCluster;
    let queued = 0;
    const queue = { add: () => (queued += 1) } as unknown as WorkQueue;
    const clock = manualClock();
    wireLocal({ local, queue, clock });
    const deleted = [...cached].slice(0, 1_000);
    for (const [name, object] of deleted) {
      cached.delete(name);
      for (const handler of handlers) handler({ type: 'deleted', object });
    }
    expect(queued).toBe(deleted.length + 1_999);
    await clock.advance(1_000);
    expect(queued).toBe(deleted.length + 1_999 + 1_000);
  });
});
