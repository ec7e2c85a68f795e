import { describe, expect, it } from '@jest/globals';
import type { Step } from '../../components/component.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import { stepStates } from '../components/steps.ts';
import { withProbeResults, unreachableSteps, probeTargets } from './service-addresses.ts';
import type { ProbeTarget, Reachability } from '../../instance/probes.ts';

const WISH = wishOf();
const INSIDE: readonly Step[] = ['health', 'rbac', 'namespaces', 'crds'];
const ADDRESS = '10.96.0.7';

/** The snapshot with a cluster IP for each Service, as the API server allocates it. */
function withAddresses(snapshot: Snapshot, clusterIP = ADDRESS): Snapshot {
  const objects = snapshot.host.objects.map((object): KubernetesObject =>
    object.kind === 'Service'
      ? { ...object, spec: { ...(object['spec'] as object), clusterIP } }
      : object,
  );
  return { ...snapshot, host: { ...snapshot.host, objects } };
}

function waysWith(done: readonly Step[], clusterIP?: string): readonly ProbeTarget[] {
  const snapshot = withAddresses(snapshotOf(WISH, [...INSIDE, ...done]), clusterIP);
  return probeTargets(stepStates(WISH, snapshot), snapshot);
}

describe('probeTargets', () => {
  it('returns the Service address when a component is ready and its step is missing', () => {
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
    [
      'its APIService or webhook is registered already',
      ['karmada-webhook', 'webhook-configurations'],
      ADDRESS,
    ],
    ['its Service is headless', ['karmada-webhook'], 'None'],
  ])('returns nothing for a component when %s', (_what, done, clusterIP) => {
    expect(waysWith(done, clusterIP)).toEqual([]);
  });

  it('returns nothing while the control plane does not answer', () => {
    const controlPlane = { state: 'waiting', message: 'not yet', objects: [] } as const;
    const snapshot = withAddresses(snapshotOf(WISH, ['karmada-webhook'], { controlPlane }));
    expect(probeTargets(stepStates(WISH, snapshot), snapshot)).toEqual([]);
  });
});

describe('withProbeResults and unreachableSteps', () => {
  const target: ProbeTarget = { step: 'cluster-api-service', address: ADDRESS, port: 443 };
  const found = new Set<Step>(['cluster-api-service']);
  const nothing = new Set<Step>();
  const closed = (results: Reachability): readonly Step[] => [
    ...unreachableSteps([target], results),
  ];

  it('block a step until its Service is reachable', () => {
    expect(closed(new Map())).toEqual(['cluster-api-service']);
    const first = withProbeResults(new Map(), [target], nothing, 1_000);
    expect(closed(first)).toEqual(['cluster-api-service']);
    const second = withProbeResults(first, [target], found, 1_100);
    expect(closed(second)).toEqual([]);
    expect(closed(withProbeResults(second, [target], nothing, 1_200))).toEqual([]);
  });

  it('stop waiting for an unreachable Service after five seconds', () => {
    const first = withProbeResults(new Map(), [target], nothing, 1_000);
    expect(closed(withProbeResults(first, [target], nothing, 5_999))).toEqual([
      'cluster-api-service',
    ]);
    expect(closed(withProbeResults(first, [target], nothing, 6_000))).toEqual([]);
  });

  it('drop the result of a step that is no longer probed', () => {
    expect(withProbeResults(new Map([['cluster-api-service', 'open']]), [], nothing, 0).size).toBe(
      0,
    );
  });
});
