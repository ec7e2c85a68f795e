/**
 * Many objects of one control plane in its host cluster, and the pure functions that examine them, for the tests of their time. A host
 * cluster may report as many objects as the limits of its namespace allow, with any text in their fields.
 */
import { EFFECTIVE_HASH } from '../../src/components/etcd/effective-hash.ts';
import { COMPONENT, INSTANCE } from '../../src/api/labels.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { karmadaOf, snapshotOf, wishOf } from '../../src/instance/__fixtures__/instance.ts';
import { eventTargets } from '../../src/features/causes/event-targets.ts';
import { claimsByUse } from '../../src/instance/claims-by-use.ts';
import { withUpdatedMembers } from '../../src/etcd-cluster/pods/membership.ts';
import type { Snapshot } from '../../src/instance/snapshot.ts';
import { statusAfter } from './karmadas.ts';

/** A text that takes long to parse as a time. */
const HOSTILE_TIME = `1 Jan 2020 ${'(a) '.repeat(300)}`;
const TIME = '2026-01-01T00:00:00Z';

interface Made {
  readonly kind: string;
  readonly component: string;
  readonly time: string;
}

/** As many objects of a kind as have this length in bytes. None of them is ready. */
function objectsOf({ kind, component, time }: Made, length: number): readonly KubernetesObject[] {
  const made = (index: number): KubernetesObject => ({
    apiVersion: ['Deployment', 'StatefulSet'].includes(kind) ? 'apps/v1' : 'v1',
    kind,
    metadata: {
      name: `${component}-${String(index)}`,
      namespace: 'team',
      uid: `u-${String(index)}`,
      labels: { [INSTANCE]: 'karmada-demo', [COMPONENT]: component },
      annotations: { [EFFECTIVE_HASH]: String(index) },
      creationTimestamp: time,
    },
    spec: specOf(kind, String(index)),
    status: {},
  });
  const size = JSON.stringify(made(0)).length;
  return Array.from({ length: Math.floor(length / size) }, (_, index) => made(index));
}

function specOf(kind: string, hash: string): object {
  if (kind === 'Service') return { type: 'LoadBalancer' };
  if (kind === 'Pod') return { containers: [] };
  const metadata = { annotations: { [EFFECTIVE_HASH]: hash } };
  return { replicas: 1, template: { metadata, spec: { containers: [] } } };
}

/** Creates what a host cluster reports. @param length in bytes */
type HostOf = (length: number) => Pick<Snapshot['host'], 'objects' | 'pods' | 'claims'>;

const of =
  (component: string, kinds: readonly string[], time: string): HostOf =>
  (length) => {
    const [pods = [], ...objects] = ['Pod', ...kinds].map((kind) =>
      objectsOf({ kind, component, time }, length / (kinds.length + 1)),
    );
    return { pods, objects: objects.flat(), claims: [] };
  };

const claims =
  (component: string): HostOf =>
  (length) => ({
    pods: [],
    objects: [],
    claims: objectsOf({ kind: 'PersistentVolumeClaim', component, time: TIME }, length),
  });

export const LARGE_HOSTS: Readonly<Record<string, HostOf>> = {
  'Pods of a component': of('karmada-scheduler', [], TIME),
  'Pods with hostile times': of('karmada-scheduler', [], HOSTILE_TIME),
  'Deployments and Pods of a component': of('karmada-scheduler', ['Deployment'], TIME),
  'Deployments and Pods with hostile times': of('karmada-scheduler', ['Deployment'], HOSTILE_TIME),
  'StatefulSets and Pods of etcd': of('etcd', ['StatefulSet'], TIME),
  'PVCs that are not bound': claims('etcd-data-karmada-demo-etcd'),
  'Services and Pods': of('karmada-apiserver', ['Service'], TIME),
};

/** The snapshot of a control plane in such a host cluster. */
export function largeHost(host: ReturnType<HostOf>): Snapshot {
  const wish = wishOf();
  const found = snapshotOf(wish, [...wish.steps], { karmada: karmadaOf() });
  const objects = [...found.host.objects, ...host.objects];
  return { ...found, host: { ...found.host, ...host, objects } };
}

/** The pure functions that the objects of a host cluster run through. */
export const HOST_STAGES: Readonly<Record<string, (snapshot: Snapshot) => unknown>> = {
  'counts of etcd members': ({ host }) =>
    withUpdatedMembers(host.objects, host.pods, 'karmada-demo'),
  'PVCs in use': ({ host }) => claimsByUse('karmada-demo', host.objects, host.claims),
  'objects with Events': (snapshot) => eventTargets(snapshot),
  'decision and status': statusAfter,
};
