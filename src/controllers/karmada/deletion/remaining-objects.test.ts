import { describe, expect, it } from '@jest/globals';
import { instanceLabels } from '../../../api/labels.ts';
import { anyClient } from '../../../kubernetes/client/any-client.fixture.ts';
import { ApiError } from '../../../kubernetes/client/errors.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import type { ResourceType } from '../../../kubernetes/objects/resources.ts';
import { karmadaOf } from '../../../instance/__fixtures__/instance.ts';
import { claimUsersOf, listRemains, needsClaimUsers, ownRemains } from './remaining-objects.ts';

const NAME = 'karmada-demo';
const CLAIM = 'etcd-data-karmada-demo-etcd-0';
const ENDING = { deletionTimestamp: '2026-01-01T00:00:00Z' };

const object = (kind: string, name: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'team', labels: instanceLabels(NAME, 'etcd'), ...metadata },
});

const controlled = { ownerReferences: [{ kind: 'StatefulSet', name: 'x', controller: true }] };
const names = (objects: readonly KubernetesObject[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name);

describe('ownRemains', () => {
  it('leaves out objects, Pods and PVCs of other owners', () => {
    const found = ownRemains(NAME, {
      objects: [
        object('Secret', 'own'),
        object('Secret', 'of another Karmada', { labels: instanceLabels('other', 'etcd') }),
        object('Secret', 'of a user', { labels: { 'app.kubernetes.io/instance': NAME } }),
      ],
      pods: [object('Pod', 'own', controlled), object('Pod', 'of a user')],
      claims: [
        object('PersistentVolumeClaim', CLAIM, { labels: {} }),
        object('PersistentVolumeClaim', 'etcd-data-other-etcd-0'),
      ],
    });
    const { objects, pods, claims } = found;
    expect([names(objects), names(pods), names(claims)]).toEqual([['own'], ['own'], [CLAIM]]);
  });
});

describe('listRemains', () => {
  const failing = (code: number) => ({
    client: anyClient({
      list: ({ kind }: ResourceType) =>
        kind === 'NetworkPolicy'
          ? Promise.reject(
              new ApiError({ code, request: 'list', reason: 'Forbidden', message: 'no' }),
            )
          : Promise.resolve({
              items: kind === 'Service' ? [object(kind, 'own')] : [],
              resourceVersion: '1',
            }),
    }),
  });

  it('leaves out NetworkPolicies when the operator may not list them', async () => {
    const { objects } = await listRemains(failing(403), karmadaOf());
    expect(names(objects)).toEqual(['own']);
  });

  it('fails when NetworkPolicies cannot be listed for another reason', async () => {
    await expect(listRemains(failing(500), karmadaOf())).rejects.toThrow('no');
  });
});

describe('needsClaimUsers', () => {
  const keeping = karmadaOf();
  const deleting = karmadaOf({
    components: {
      etcd: { local: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } },
    },
  });
  const claim = (more: object): KubernetesObject => object('PersistentVolumeClaim', CLAIM, more);

  it.each([
    ['a PVC is terminating', deleting, claim(ENDING), true],
    ['no PVC is terminating', deleting, claim({}), false],
    ['PVCs are kept', keeping, claim(ENDING), false],
    [
      'only a PVC without our labels is terminating',
      deleting,
      claim({ ...ENDING, labels: {} }),
      false,
    ],
  ])('decides whether Pods are listed when %s', (_, karmada, found, expected) => {
    expect(needsClaimUsers(karmada, { claims: [found] })).toBe(expected);
  });
});

describe('claimUsersOf', () => {
  const pod = (name: string, claims: readonly string[], phase?: string): KubernetesObject => ({
    ...object('Pod', name),
    spec: {
      volumes: [
        { name: 'config', configMap: { name: 'any' } },
        ...claims.map((claimName) => ({ persistentVolumeClaim: { claimName } })),
      ],
    },
    ...(phase && { status: { phase } }),
  });

  it('names the Pods that use each PVC, without Pods that have ended', () => {
    const users = claimUsersOf([
      pod('runs', ['a', 'b'], 'Running'),
      pod('is new', ['a']),
      pod('has failed', ['a'], 'Failed'),
      pod('is complete', ['b'], 'Succeeded'),
      { ...object('Pod', 'has no volumes'), spec: {} },
    ]);
    expect([...users]).toEqual([
      ['a', ['runs', 'is new']],
      ['b', ['runs']],
    ]);
  });
});
