import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import type { KubernetesClient } from '../../kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { storage } from './check-storage.ts';
import type { Subject } from './subject.ts';

const storageClass = (name: string, isDefault = false): KubernetesObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: {
    name,
    annotations: { 'storageclass.kubernetes.io/is-default-class': String(isDefault) },
  },
});

const claim = (ordinal: number, phase: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: `etcd-data-demo-karmada-etcd-${String(ordinal)}`, namespace: 'team' },
  status: { phase },
});

interface Scene {
  readonly spec?: object;
  readonly classes?: readonly KubernetesObject[];
  readonly claims?: readonly KubernetesObject[];
  /** Name of the PVC template. */
  readonly volume?: string;
}

const statefulSet = (volume: string): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'demo-karmada-etcd' },
  spec: { volumeClaimTemplates: [{ metadata: { name: volume } }] },
});

async function outcomeOf({
  spec = {},
  classes = [],
  claims = [],
  volume = 'etcd-data',
}: Scene): Promise<string> {
  const client: Partial<KubernetesClient> = anyClient({
    list: () => Promise.resolve({ resourceVersion: '1', items: classes }),
    find: (_, { name }) => Promise.resolve(classes.find(({ metadata }) => metadata.name === name)),
  });
  const local = { replicas: 2, volumeData: { volumeClaim: { spec } } };
  const { problems, ok } = await storage({
    client,
    karmada: { metadata: { name: 'demo', namespace: 'team' } },
    spec: { components: { etcd: { local } } },
    host: { claims, objects: claims.length > 0 ? [statefulSet(volume)] : [] },
  } as unknown as Subject);
  return problems[0]?.message ?? ok;
}

const bound = [claim(0, 'Bound'), claim(1, 'Bound')];

describe('storage', () => {
  it.each<[string, Scene, RegExp]>([
    [
      'two default classes',
      { classes: [storageClass('a', true), storageClass('b', true)] },
      /uses/,
    ],
    ['a class that is no default', { classes: [storageClass('a')] }, /no default StorageClass/],
    [
      'a volume with a name and no default class',
      { spec: { volumeName: 'v' } },
      /existing volumes/,
    ],
    ['volumes that are bound, and no default class', { claims: bound }, /volumes of etcd exist/],
    [
      'volumes that are bound, and a class that was deleted',
      { spec: { storageClassName: 'old' }, claims: bound },
      /volumes of etcd exist/,
    ],
    ['one volume that is pending', { claims: [claim(0, 'Bound'), claim(1, 'Pending')] }, /set it/],
    ['one volume that is missing', { claims: [claim(0, 'Bound')] }, /set it/],
    [
      'volumes of the cluster before a recovery',
      { claims: bound, volume: 'r1-etcd-data' },
      /set it/,
    ],
    ['a class that does not exist', { spec: { storageClassName: 'b' } }, /b does not exist/],
    ['no class', { spec: { storageClassName: '' } }, /existing volumes/],
  ])('with %s', async (_, scene, text) => {
    expect(await outcomeOf(scene)).toMatch(text);
  });
});
