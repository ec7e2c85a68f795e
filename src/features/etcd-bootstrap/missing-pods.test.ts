import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  live,
  NOW,
  pod,
  snapshotOf,
  statefulSetOf,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { awaitsFirstPods, firstPodsProblem } from './missing-pods.ts';

const members = (count: number): readonly KubernetesObject[] =>
  Array.from({ length: count }, (_, n) => pod('etcd', { name: `karmada-demo-etcd-${n}` }));

/** An etcd with three members, created `ageMs` ago. */
function seen(ageMs: number, pods: number, observedGeneration = 1): Snapshot {
  const snapshot = snapshotOf(wishOf(), []);
  const set = live(statefulSetOf({ replicas: 3 }));
  const creationTimestamp = new Date(NOW - ageMs).toISOString();
  const metadata = { ...set.metadata, creationTimestamp };
  const object = { ...set, metadata, status: { observedGeneration, updateRevision: 'r1' } };
  return {
    ...snapshot,
    now: NOW,
    host: { ...snapshot.host, objects: [object], pods: members(pods) },
  };
}

describe('firstPodsProblem', () => {
  it.each([
    ['reports 0 of 3 Pods when none is created', 10_000, 0, '0 of 3 Pods'],
    ['reports 2 of 3 Pods when one is not created', 10_000, 2, '2 of 3 Pods'],
  ])('%s', (_, ageMs, pods, text) => {
    const problem = firstPodsProblem(seen(ageMs, pods));
    expect(problem?.reason).toBe('PodsRefused');
    expect(problem?.message).toContain(text);
    expect(problem?.message).toContain('StatefulSet team/karmada-demo-etcd');
    expect(awaitsFirstPods(seen(ageMs, pods))).toBe(true);
  });

  it('reports nothing when the StatefulSet is new', () => {
    expect(firstPodsProblem(seen(1_000, 0))).toBeUndefined();
    expect(awaitsFirstPods(seen(1_000, 0))).toBe(true);
  });

  it('reports nothing when the controller has not observed the StatefulSet', () => {
    expect(firstPodsProblem(seen(10_000, 0, 0))).toBeUndefined();
    expect(awaitsFirstPods(seen(10_000, 0, 0))).toBe(false);
  });

  it('reports nothing when all Pods exist', () => {
    expect(firstPodsProblem(seen(10_000, 3))).toBeUndefined();
    expect(awaitsFirstPods(seen(10_000, 3))).toBe(false);
  });
});
