import { describe, expect, it } from '@jest/globals';
import { COMPONENT } from '../../api/labels.ts';
import { karmadaOf, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Host } from '../../host-clusters/host.ts';
import type { InstanceCache } from '../../instance/instance-cache.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { askMembersOf } from './etcd-members.ts';

const podOf = (index: number): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', status: { podIP: '10.0.0.1' } },
  metadata: {
    ...{ name: `karmada-demo-etcd-${String(index)}`, namespace: 'team', uid: String(index) },
    labels: { [COMPONENT]: 'etcd' },
  },
});

describe('askMembersOf', () => {
  it.each([
    [3, 3],
    [99, 99],
    [10_000, 128],
  ])('of %i Pods that a host cluster reports queries %i', async (reported, queried) => {
    let dialed = 0;
    const remote = {
      server: 'https://host',
      forward: () => {
        dialed += 1;
        return Promise.reject(new Error('no port-forward'));
      },
    } as unknown as NonNullable<Host['remote']>;
    const instance = { etcdClient: {} } as InstanceCache;
    const subject = { ...snapshotOf(wishOf(), []), karmada: karmadaOf() };
    const ask = askMembersOf(subject, instance, { remote }, () => 0);
    const pods = Array.from({ length: reported }, (_, index) => podOf(index));
    expect(await ask?.(pods)).toHaveLength(queried);
    expect(dialed).toBe(queried);
  });
});
