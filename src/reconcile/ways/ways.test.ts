import { describe, expect, it } from '@jest/globals';
import type { Step } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/object.ts';
import { snapshotOf, wishOf } from '../__fixtures__/instance.ts';
import type { Snapshot } from '../snapshot.ts';
import { stepStates } from '../steps.ts';
import { afterLook, closedSteps, waysToLookAt, type Way } from './ways.ts';

const WISH = wishOf();
const INSIDE: readonly Step[] = ['health', 'rbac', 'namespaces', 'crds'];
const ADDRESS = '10.96.0.7';

/** The snapshot with addresses for its Services, as the API server gives them. */
function withAddresses(snapshot: Snapshot, clusterIP = ADDRESS): Snapshot {
  const objects = snapshot.host.objects.map((object): KubernetesObject =>
    object.kind === 'Service'
      ? { ...object, spec: { ...(object['spec'] as object), clusterIP } }
      : object,
  );
  return { ...snapshot, host: { ...snapshot.host, objects } };
}

function waysWith(done: readonly Step[], clusterIP?: string): readonly Way[] {
  const snapshot = withAddresses(snapshotOf(WISH, [...INSIDE, ...done]), clusterIP);
  return waysToLookAt(stepStates(WISH, snapshot), snapshot);
}

describe('ways to components', () => {
  it('are looked at when a component is ready and nothing leads there yet', () => {
    expect(waysWith(['etcd', 'karmada-apiserver', 'karmada-webhook'])).toEqual([
      { step: 'webhook-configurations', address: ADDRESS, port: 443 },
    ]);
    const servers: readonly Step[] = ['karmada-aggregated-apiserver', 'karmada-metrics-adapter'];
    expect(waysWith(servers).map(({ step }) => step)).toEqual([
      'cluster-api-service',
      'metrics-api-services',
    ]);
  });

  it.each<[string, readonly Step[], string]>([
    ['the component is not ready', ['etcd', 'karmada-apiserver'], ADDRESS],
    ['something leads there already', ['karmada-webhook', 'webhook-configurations'], ADDRESS],
    ['its Service has no address of its own', ['karmada-webhook'], 'None'],
  ])('are not looked at when %s', (_what, done, clusterIP) => {
    expect(waysWith(done, clusterIP)).toEqual([]);
  });

  it('nothing is looked at while the control plane does not answer', () => {
    const controlPlane = { state: 'waiting', message: 'not yet', objects: [] } as const;
    const snapshot = withAddresses(snapshotOf(WISH, ['karmada-webhook'], { controlPlane }));
    expect(waysToLookAt(stepStates(WISH, snapshot), snapshot)).toEqual([]);
  });
});

describe('what is known of a way', () => {
  const way: Way = { step: 'cluster-api-service', address: ADDRESS, port: 443 };
  const found = new Set<Step>(['cluster-api-service']);
  const nothing = new Set<Step>();

  it('a step waits until its way is found', () => {
    const first = afterLook(new Map(), [way], nothing, 1_000);
    expect([...closedSteps(first)]).toEqual(['cluster-api-service']);
    const second = afterLook(first, [way], found, 1_100);
    expect([...closedSteps(second)]).toEqual([]);
    expect([...closedSteps(afterLook(second, [way], nothing, 1_200))]).toEqual([]);
  });

  it('and five seconds at most: the operator may not be where it could see it', () => {
    const first = afterLook(new Map(), [way], nothing, 1_000);
    expect(closedSteps(afterLook(first, [way], nothing, 5_999)).size).toBe(1);
    expect(closedSteps(afterLook(first, [way], nothing, 6_000)).size).toBe(0);
  });

  it('what nothing waits for any more is forgotten', () => {
    expect(afterLook(new Map([['cluster-api-service', 'open']]), [], nothing, 0).size).toBe(0);
  });
});
