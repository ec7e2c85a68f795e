import { describe, expect, it } from '@jest/globals';
import { KARMADAS_LABEL } from '../host-clusters/host-namespace.ts';
import type { Host, ManagementCluster } from '../host-clusters/host.ts';
import type { Change } from '../kubernetes/informer-options.ts';
import type { KubernetesObject, ObjectMeta } from '../kubernetes/object.ts';
import type { WorkQueue } from '../kubernetes/queue.ts';
import { wireHost } from './wire-changes.ts';

const namespace = (metadata: Partial<ObjectMeta> = {}): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: { name: 'team', ...metadata },
});

const karmada = (inNamespace: string): KubernetesObject => ({
  ...{ apiVersion: 'operator.karmada.io/v1alpha1', kind: 'Karmada' },
  metadata: { name: 'demo', namespace: inNamespace },
});

/** Keys that a change of the namespace `team` of the host cluster adds to the queue. */
function queuedBy(object: KubernetesObject, previous?: KubernetesObject): readonly string[] {
  const queued: string[] = [];
  const handlers: ((change: Change) => void)[] = [];
  const none = { onChange: () => undefined };
  const namespaces = { onChange: (handler: (change: Change) => void) => handlers.push(handler) };
  const host = { owned: [], pods: none, claims: none, quota: none, namespaces };
  const karmadas = { cache: { list: () => [karmada('team'), karmada('other')] } };
  const queue = { add: (key: string) => queued.push(key) };
  wireHost(
    host as unknown as Host,
    { karmadas } as unknown as ManagementCluster,
    queue as unknown as WorkQueue,
  );
  const type = previous === undefined ? 'added' : 'modified';
  for (const handler of handlers)
    handler({ type, object, ...(previous && { previous }) } as Change);
  return queued;
}

describe('wireHost', () => {
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
});
