import { describe, expect, it } from '@jest/globals';
import { COMPONENT } from '../../api/labels.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import { karmadaOf } from '../../instance/__fixtures__/instance.ts';
import type { ControlPlaneClient } from '../../control-plane-access/control-plane-client.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import { LateCalls } from '../../control-plane-access/late-calls.ts';
import { observeControlPlane } from './observe-control-plane.ts';
import type { ControlPlaneSnapshot, HostSnapshot } from '../../instance/snapshot.ts';

const POD: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid: 'u', labels: { [COMPONENT]: 'karmada-apiserver' } },
  status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
};
const INSIDE: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'karmada-system' },
};
const READY = {
  calls: new LateCalls({ clock: manualClock(), onEnd: () => undefined }),
  started: true,
  hasSynced: true,
  readiness: { current: () => 'ready' },
  client: { raw: () => Promise.resolve({ body: '{"gitVersion":"v1.35.4"}' }) },
  objects: () => [INSIDE],
};

/** Only these properties of the client are used. */
const clientWith = (given: object): ControlPlaneClient =>
  ({ ...READY, ...given }) as unknown as ControlPlaneClient;

function observed(
  controlPlane: ControlPlaneClient | undefined,
  pods: readonly KubernetesObject[] = [POD],
): Promise<ControlPlaneSnapshot> {
  const instance: InstanceCache = {
    key: 'team/karmada-demo',
    settled: new Map(),
    ...(controlPlane && { controlPlane }),
  };
  const host: HostSnapshot = { objects: [], pods, claims: [] };
  return observeControlPlane(instance, karmadaOf(), host);
}

describe('observeControlPlane', () => {
  it('returns the objects and the version of a control plane that is ready and read', async () => {
    expect(await observed(clientWith({}))).toEqual({
      state: 'ready',
      message: '',
      objects: [INSIDE],
      kubernetesVersion: 'v1.35.4',
    });
  });

  const refusal = { message: 'etcd: not ready', listens: true };
  const rejected = { refusal };
  it.each<[string, ControlPlaneClient | undefined, Partial<ControlPlaneSnapshot>]>([
    ['there is no client yet', undefined, { state: 'syncing', isReading: true }],
    [
      'its caches are not synced',
      clientWith({ hasSynced: false }),
      { state: 'syncing', isReading: true },
    ],
    [
      'its caches are not synced and a list fails',
      clientWith({ hasSynced: false, problem: 'list roles: no response' }),
      { state: 'syncing' },
    ],
    [
      'its API server is ready and its caches are not started',
      clientWith({ started: false }),
      { state: 'syncing', isReading: true, isAnswering: true },
    ],
    [
      'its API server has not been probed yet',
      clientWith({ started: false, readiness: { current: () => 'unknown' } }),
      { state: 'syncing', isReading: true },
    ],
    [
      'its API server is not ready',
      clientWith({ started: false, readiness: { current: () => rejected } }),
      { state: 'waiting', message: 'etcd: not ready', ask: true, listens: true },
    ],
    [
      'a watch fails and its API server is not ready any more',
      clientWith({ problem: 'watch failed', readiness: { current: () => rejected } }),
      { state: 'waiting', ask: true },
    ],
  ])('returns no objects when %s', async (_, client, expected) => {
    const found = await observed(client);
    expect(found).toMatchObject({ ...expected, objects: [] });
    expect([found.isAnswering, found.isReading]).toEqual([
      expected.isAnswering,
      expected.isReading,
    ]);
  });

  it('returns no objects of a stale or too large cache, and the reason', async () => {
    expect(await observed(clientWith({ stale: 'list namespaces: no response' }))).toMatchObject({
      objects: [],
      unobserved: { reason: 'ControlPlaneNotObserved' },
    });
    expect(await observed(clientWith({ overflow: 'too many objects' }))).toMatchObject({
      objects: [],
      problem: { reason: 'ControlPlaneLimitExceeded', message: 'too many objects' },
    });
  });

  it('waits while no Pod of karmada-apiserver runs, whatever was read before', async () => {
    expect(await observed(clientWith({}), [])).toMatchObject({ state: 'waiting', objects: [] });
  });
});
