import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import { AT } from '../../etcd/__fixtures__/answers.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import {
  answersOf,
  claimAt,
  podAt,
  setIn,
  snapshotWith,
} from '../../etcd-cluster/members/__fixtures__/objects.ts';
import { recordedClient } from '../../etcd-cluster/members/__fixtures__/recorded-client.ts';
import type { RestartContext } from '../etcd-storage/plan-etcd.ts';
import { restartMember } from './restart-member.ts';

const NAME = 'karmada-demo';
const ENDING = claimAt(0, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });

/** A single member with an outdated Pod, whose cache may be older than its PVC. */
async function restart(claim: KubernetesObject | undefined, context: RestartContext = {}) {
  const set = setIn(snapshotWith({ members: 1, local: { replicas: 1 } }));
  const statefulSet = {
    ...set,
    metadata: { ...set.metadata, uid: 'set' },
    status: { observedGeneration: 1, updateRevision: 'new' },
  };
  const metadata = { resourceVersion: '1', annotations: {} };
  const pods = [podAt(0, { metadata })];
  const { client, calls } = recordedClient();
  const outcome = await restartMember(
    {
      client: anyClient({
        ...client,
        find: async ({ kind }) => (kind === 'StatefulSet' ? statefulSet : claim),
        list: async () => ({ resourceVersion: '1', items: pods }),
      }),
      ask: async () => answersOf([0]),
      clock: { wall: () => AT, monotonic: () => 0 },
      ...context,
    },
    statefulSet,
    NAME,
  );
  return { outcome, deleted: calls.map(({ key }) => key.name) };
}

describe('restartMember', () => {
  it.each<[string, KubernetesObject | undefined]>([
    ['whose PVC is bound', claimAt(0)],
    ['whose PVC is not known', undefined],
  ])('restarts a single member %s', async (_, claim) => {
    expect(await restart(claim)).toEqual({
      outcome: { writes: 1 },
      deleted: ['karmada-demo-etcd-0'],
    });
  });

  it('restarts no member whose PVC is deleted when its Pod ends', async () => {
    expect(await restart(ENDING)).toEqual({
      outcome: {
        blockedChange: expect.objectContaining({
          reason: 'EtcdVolumeUnproven',
          message: expect.stringContaining('etcd-data-karmada-demo-etcd-0: is being deleted'),
        }),
      },
      deleted: [],
    });
  });

  it.each<[string, RestartContext]>([
    ['that the operator replaces', { isReplaced: true }],
    ['that has no data yet', { isFounding: true }],
  ])('restarts a member %s although its PVC is being deleted', async (_, context) => {
    expect((await restart(ENDING, context)).outcome).toEqual({ writes: 1 });
  });
});
