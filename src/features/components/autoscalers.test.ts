import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { markAutoscaled } from '../../host-clusters/autoscaled.ts';
import { withAutoscalers } from './autoscalers.ts';
import { desiredObject } from '../../instance/desired-objects.ts';

const deployment = (replicas: number, entries: readonly object[] = []): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'demo-webhook', namespace: 'team', managedFields: entries },
  spec: { replicas, paused: false },
});

const entry = (manager: string, subresource: string): object => ({
  manager,
  ...(subresource !== '' && { subresource }),
  operation: 'Update',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
});

describe('withAutoscalers', () => {
  it.each([
    ['a HorizontalPodAutoscaler', [entry('kube-controller-manager', 'scale')], true],
    ['another controller', [entry('keda-operator', 'scale')], true],
    ['kubectl scale', [entry('kubectl', 'scale')], false],
    ['kubectl edit', [entry('kubectl-edit', '')], false],
    ['a controller that writes the status', [entry('kube-controller-manager', 'status')], false],
    ['no field manager', [], false],
  ])('decides on spec.replicas when the owner is %s', (_, entries, theirs) => {
    const target = desiredObject('host', 'karmada-webhook', deployment(1));
    const objects = [markAutoscaled(deployment(3, entries))];
    const host = { objects, pods: [], claims: [] };
    const desired = { objects: [target], keep: [] } as never;
    const [found] = withAutoscalers(desired, { host }).objects;
    expect(found?.object['spec']).toEqual(
      theirs ? { paused: false } : { replicas: 1, paused: false },
    );
    expect(found?.hash === target.hash).toBe(!theirs);
  });

  it('keeps 0 replicas when an autoscaler scales the Deployment', () => {
    const target = desiredObject('host', 'karmada-webhook', deployment(0));
    const objects = [markAutoscaled(deployment(3, [entry('kube-controller-manager', 'scale')]))];
    const desired = { objects: [target] } as never;
    const host = { objects, pods: [], claims: [] };
    expect(withAutoscalers(desired, { host }).objects[0]).toBe(target);
  });
});
