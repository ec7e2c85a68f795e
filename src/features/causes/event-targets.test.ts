import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { pod, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import { eventTargets } from './event-targets.ts';

const DESIRED = wishOf();
const { host } = snapshotOf(DESIRED, [...DESIRED.steps]);

/** The control plane in which no Pod of these workloads is available. */
const without = (...names: string[]): readonly KubernetesObject[] =>
  host.objects.map((object) =>
    names.includes(object.metadata.name)
      ? { ...object, status: { observedGeneration: 1 } }
      : object,
  );

const targetsOf = (given: Partial<typeof host>): readonly string[] =>
  eventTargets({ host: { ...host, ...given } }).map(({ uid }) => uid);

const WEBHOOK = 'karmada-demo-webhook';
const ETCD = 'karmada-demo-etcd';
const claim = (phase: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', uid: 'claim' },
  status: { phase },
});

describe('eventTargets', () => {
  it('is empty when all workloads are ready, whatever their Pods and PVCs are', () => {
    const pods = [pod('etcd', { ready: false })];
    expect(targetsOf({ pods, claims: [claim('Pending')] })).toEqual([]);
  });

  it('has the Pods of a workload that are not ready', () => {
    const pods = [
      pod('karmada-webhook', { name: 'w-1', ready: false }),
      pod('karmada-webhook', { name: 'w-2' }),
      pod('karmada-scheduler', { name: 's-1', ready: false }),
    ];
    expect(targetsOf({ objects: without(WEBHOOK), pods })).toEqual(['uid-w-1']);
  });

  it('has a StatefulSet, and the PVCs that are not bound', () => {
    const pods = [pod('etcd', { name: 'e-0', ready: false })];
    const objects = without(ETCD);
    expect(targetsOf({ objects, pods, claims: [claim('Pending')] })).toEqual([
      `uid-${ETCD}`,
      'uid-e-0',
      'claim',
    ]);
    expect(targetsOf({ objects, pods, claims: [claim('Bound')] })).toEqual([
      `uid-${ETCD}`,
      'uid-e-0',
    ]);
  });

  it('has a Service that waits for the address of a load balancer', () => {
    const service = { spec: { type: 'LoadBalancer' }, status: { loadBalancer: {} } };
    const objects = [
      { ...service, apiVersion: 'v1', kind: 'Service', metadata: { name: 's', uid: 'service' } },
    ];
    expect(targetsOf({ objects })).toEqual(['service']);
  });

  it('does not depend on the order in which objects are listed', () => {
    const pods = ['w-1', 'w-2', 'w-3'].map((name) =>
      pod('karmada-webhook', { name, ready: false }),
    );
    const claims = ['c', 'b', 'a'].map((name) => ({
      ...claim('Pending'),
      metadata: { name, uid: name },
    }));
    const objects = without(WEBHOOK, ETCD);
    const listed = targetsOf({ objects, pods, claims });
    expect(listed.slice(-3)).toEqual(['a', 'b', 'c']);
    expect(
      targetsOf({
        objects: objects.toReversed(),
        pods: pods.toReversed(),
        claims: claims.toReversed(),
      }),
    ).toEqual(listed);
  });

  it('is bounded', () => {
    const pods = Array.from({ length: 50 }, (_, index) =>
      pod('karmada-webhook', { name: `w-${String(index)}`, ready: false }),
    );
    expect(targetsOf({ objects: without(WEBHOOK), pods })).toHaveLength(2);
    const claims = Array.from({ length: 50 }, () => claim('Pending'));
    expect(targetsOf({ objects: without(WEBHOOK), pods, claims })).toHaveLength(12);
  });
});
