import { describe, expect, it } from '@jest/globals';
import { deploymentOf } from '../../instance/__fixtures__/deployment.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import type { DesiredObjects } from '../../instance/desired-objects.ts';
import type { Snapshot } from '../../instance/snapshot.ts';
import type { EtcdBootstrap } from '../../instance/etcd-bootstrap.ts';
import { membershipOf } from '../../etcd-cluster/pods/membership.ts';
import { withStoppedClients } from './stop-clients.ts';

const FROM = 'demo-etcd-0/a/50';

const API_SERVER = deploymentOf('karmada-apiserver');
/** Live API server that is available, or not. */
const serving = (status: 'True' | 'False'): KubernetesObject => ({
  ...API_SERVER.object,
  metadata: { name: 'demo-apiserver', labels: { 'app.kubernetes.io/name': 'karmada-apiserver' } },
  status: { conditions: [{ type: 'Available', status }] },
});
const DESIRED: DesiredObjects = {
  objects: [
    API_SERVER,
    deploymentOf('karmada-aggregated-apiserver'),
    deploymentOf('karmada-search'),
    deploymentOf('karmada-scheduler'),
    deploymentOf('karmada-webhook'),
  ],
  steps: new Set(['karmada-apiserver']),
};

const seen = (
  recovery: EtcdBootstrap['recovery'],
  objects: readonly KubernetesObject[] = [],
): Pick<Snapshot, 'etcdBootstrap' | 'host'> => ({
  etcdBootstrap: { membership: membershipOf(3, 'existing'), ...(recovery && { recovery }) },
  host: { objects, pods: [], claims: [] },
});

const replicasOf = ({ objects }: DesiredObjects): readonly unknown[] =>
  objects.map(({ object }) => (object['spec'] as { replicas?: number }).replicas);

describe('withStoppedClients', () => {
  const idle = { ...API_SERVER.object, spec: { replicas: 0 } };

  it.each<readonly [string, Pick<Snapshot, 'etcdBootstrap' | 'host'>]>([
    ['there is no recovery', seen(undefined, [API_SERVER.object])],
    ['a user has stopped the API server', seen(undefined, [idle])],
    ['a recovery is only requested', seen({ phase: 'requested', from: FROM })],
    ['etcd has not been observed', { host: { objects: [], pods: [], claims: [] } }],
  ])('changes nothing if %s', (_, snapshot) => {
    expect(withStoppedClients(DESIRED, snapshot)).toEqual(DESIRED);
  });

  it.each(['restoring', 'switching'] as const)(
    'stops the clients of etcd and the controllers: %s',
    (phase) => {
      const stopped = withStoppedClients(DESIRED, seen({ phase, from: FROM }));
      expect(replicasOf(stopped)).toEqual([0, 0, 0, 0, 2]);
      expect(stopped.objects.map(({ ignoresOrder = false }) => ignoresOrder)).toEqual([
        true,
        true,
        true,
        true,
        false,
      ]);
    },
  );

  it('starts the API server at once after the recovery, and the others in their order', () => {
    const during = withStoppedClients(DESIRED, seen({ phase: 'switching', from: FROM }));
    const live = during.objects.map(({ object }) => object);
    const resumed = withStoppedClients(DESIRED, seen(undefined, live));
    const [first, ...others] = resumed.objects;
    expect(first).toEqual({ ...API_SERVER, ignoresOrder: true });
    expect(others).toEqual(DESIRED.objects.slice(1));
    expect(withStoppedClients(DESIRED, seen(undefined, [API_SERVER.object]))).toEqual(DESIRED);
  });

  it.each([
    ['True', true],
    ['False', undefined],
  ] as const)('starts the controllers when the API server is available: %s', (status, atOnce) => {
    const during = withStoppedClients(DESIRED, seen({ phase: 'switching', from: FROM }));
    const live = [...during.objects.slice(1).map(({ object }) => object), serving(status)];
    const { objects } = withStoppedClients(DESIRED, seen(undefined, live));
    expect(objects.map(({ ignoresOrder }) => ignoresOrder)).toEqual([
      undefined,
      undefined,
      undefined,
      atOnce,
      undefined,
    ]);
  });
});
