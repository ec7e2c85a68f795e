import { describe, expect, it } from '@jest/globals';
import { APPLIED_HASH } from '../../kubernetes/objects/compare.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  desiredObject,
  type DesiredObject,
  type DesiredObjects,
} from '../../instance/desired-objects.ts';
import { hasFirstRollout, withFirstRollout } from './first-rollout.ts';
import { newestHash } from './handover.ts';

const antiAffinity = {
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'node' }] },
};

interface Live {
  readonly applied?: boolean;
  readonly affinity?: object;
  readonly spec?: object;
  readonly isDone?: boolean;
  /** Observed generation, Pods, and new Pods of a rollout that is not done. */
  readonly observed?: number;
  readonly total?: number;
  readonly updated?: number;
}

function deployment(name: string, given: Live = {}): KubernetesObject {
  const { applied = false, affinity, spec, isDone = false } = given;
  const { observed = 1, total = 2, updated = 1 } = given;
  const counts = isDone
    ? { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }
    : { replicas: total, updatedReplicas: updated, availableReplicas: total - updated };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'team',
      generation: 1,
      ...(applied && { annotations: { [APPLIED_HASH]: 'x' } }),
    },
    spec: { replicas: 1, template: { metadata: {}, spec: { affinity, containers: [] } }, ...spec },
    status: { observedGeneration: observed, ...counts },
  };
}

const service = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'team' },
  spec: { selector: { app: name } },
});

const DESIRED: DesiredObjects = {
  objects: [
    desiredObject('host', 'karmada-apiserver', service('api')),
    desiredObject('host', 'karmada-apiserver', deployment('api')),
    desiredObject('host', 'kube-controller-manager', deployment('kcm')),
    desiredObject('host', 'karmada-scheduler', deployment('scheduler')),
  ],
  steps: new Set(),
};

function specs(
  objects: readonly KubernetesObject[],
  pods: readonly KubernetesObject[] = [],
): Record<string, Record<string, unknown>> {
  const host = { objects, pods, claims: [] };
  const result = withFirstRollout(DESIRED, { host }).objects;
  return Object.fromEntries(
    result.map(({ object }: DesiredObject) => [
      `${object.kind} ${object.metadata.name}`,
      object['spec'] as Record<string, unknown>,
    ]),
  );
}

const pod = (hash: string, seconds: number, isReady = true): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `api-${hash}-abcde`,
    namespace: 'team',
    labels: { 'pod-template-hash': hash },
    creationTimestamp: new Date(seconds * 1000).toISOString(),
  } as KubernetesObject['metadata'],
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

const recreate = { strategy: { type: 'Recreate' } };
const handover = { minReadySeconds: 15 };
const rolling = { applied: true, spec: handover };

describe('withFirstRollout', () => {
  it('deletes Pods with a required anti-affinity first, until the rollout is complete', () => {
    const kcm = (live: Live): unknown =>
      specs([deployment('kcm', live)])['Deployment kcm']?.['strategy'];
    expect(kcm({ affinity: antiAffinity })).toEqual({ type: 'Recreate' });
    expect(kcm({})).toBeUndefined();
    expect(kcm({ applied: true, spec: recreate })).toEqual({ type: 'Recreate' });
    expect(kcm({ applied: true, spec: recreate, isDone: true })).toBeUndefined();
    expect(kcm({ applied: true, affinity: antiAffinity })).toBeUndefined();
  });

  it('keeps old Pods of a server for a while, until the rollout is complete', () => {
    const ready = (live: Live): unknown =>
      specs([deployment('api', live)])['Deployment api']?.['minReadySeconds'];
    expect(ready({})).toBe(15);
    expect(ready({ applied: true, spec: handover })).toBe(15);
    expect(ready({ applied: true, spec: handover, isDone: true })).toBeUndefined();
    expect(ready({ applied: true })).toBeUndefined();
  });

  it('excludes old Pods from the Service as soon as new ones are ready', () => {
    const live = deployment('api', { applied: true, spec: handover });
    const selected = (pods: readonly KubernetesObject[]): unknown =>
      specs([live], pods)['Service api']?.['selector'];
    const both = [pod('old', 1), pod('new', 2)];
    expect(selected(both)).toEqual({ app: 'api', 'pod-template-hash': 'new' });
    expect(selected([pod('old', 1), pod('new', 2, false)])).toEqual({ app: 'api' });
    expect(selected([pod('new', 2)])).toEqual({ app: 'api' });
    const applied = deployment('api', { applied: true });
    expect(specs([applied], both)['Service api']?.['selector']).toEqual({ app: 'api' });
  });

  // Some servers of the Go operator listen on another port than those of this operator.
  it.each([
    ['the Deployment is not applied yet', { live: {}, pods: [pod('old', 1)] }, 'kept'],
    [
      'the Deployment is not applied yet, after a rollout of the Go operator',
      { live: {}, pods: [pod('older', 1), pod('old', 2)] },
      'kept',
    ],
    [
      'no new Pod exists',
      { live: { ...rolling, updated: 0 }, pods: [pod('older', 1), pod('old', 2)] },
      'kept',
    ],
    [
      'the change is not observed yet',
      { live: { ...rolling, observed: 0 }, pods: [pod('older', 1), pod('old', 2)] },
      'kept',
    ],
    [
      'the new Pod is not ready',
      { live: rolling, pods: [pod('old', 1), pod('new', 2, false)] },
      'kept',
    ],
    ['the new Pod is ready', { live: rolling, pods: [pod('old', 1), pod('new', 2)] }, 'new'],
    [
      'no old Pod is left, and the new one is not available',
      { live: { ...rolling, total: 1 }, pods: [pod('new', 2, false)] },
      'all',
    ],
    ['the rollout is complete', { live: { ...rolling, isDone: true }, pods: [] }, 'all'],
  ])('adjusts the Service of the Go operator when %s', (_, { live, pods }, expected) => {
    const host = { objects: [service('api'), deployment('api', live)], pods, claims: [] };
    const [found] = withFirstRollout(DESIRED, { host }).objects;
    const { selector = {} } = found?.object['spec'] as { selector?: Record<string, string> };
    const result = found?.untouched ? 'kept' : (selector['pod-template-hash'] ?? 'all');
    expect(result).toBe(expected);
  });

  it('changes the Service of this operator at any time', () => {
    const own = service('api');
    const applied = { ...own, metadata: { ...own.metadata, annotations: { [APPLIED_HASH]: 'x' } } };
    const host = { objects: [applied, deployment('api', rolling)], pods: [pod('old', 1)] };
    const [found] = withFirstRollout(DESIRED, { host: { ...host, claims: [] } }).objects;
    expect(found?.untouched).toBeUndefined();
  });

  it('changes nothing of components without a Service, nor of a new control plane', () => {
    expect(specs([deployment('scheduler')])['Deployment scheduler']).toEqual(
      deployment('scheduler')['spec'],
    );
    expect(specs([])['Deployment api']).toEqual(deployment('api')['spec']);
  });
});

describe('hasFirstRollout', () => {
  it('recognizes the settings of a first rollout', () => {
    expect(hasFirstRollout(deployment('a', { spec: recreate }))).toBe(true);
    expect(hasFirstRollout(deployment('a', { spec: handover }))).toBe(true);
    expect(hasFirstRollout(deployment('a', { spec: { minReadySeconds: 5 } }))).toBe(false);
    expect(hasFirstRollout(deployment('a'))).toBe(false);
  });
});

describe('newestHash', () => {
  it('waits for all replicas, and ignores Pods of other Deployments', () => {
    const two = deployment('api', { applied: true, spec: { replicas: 2 }, total: 4, updated: 2 });
    const one = deployment('api', rolling);
    const other = {
      ...pod('zzz', 9),
      metadata: { ...pod('zzz', 9).metadata, name: 'api-x-zzz-1' },
    };
    expect(newestHash(two, [pod('old', 1), pod('new', 2)])).toBeUndefined();
    expect(newestHash(one, [pod('old', 1), pod('new', 2), other])).toBe('new');
  });
});
