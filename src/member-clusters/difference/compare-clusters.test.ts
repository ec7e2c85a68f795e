import { describe, expect, it } from '@jest/globals';
import { anyClient } from '../../kubernetes/client/any-client.fixture.ts';
import type { ListOptions, ListPage } from '../../kubernetes/client/client-interface.ts';
import { CONTROL_PLANE_LIMITS } from '../../kubernetes/client/limits.ts';
import { listAll } from '../../kubernetes/client/list.ts';
import { memberStates } from './compare-clusters.ts';

const MIB = 1_048_576;
const COUNT = 32;
const READY = { type: 'Ready', status: 'False', reason: 'ClusterNotReachable' };

/** A page with one Cluster of 1 MiB, most of which are APIs of the member cluster. */
const pageOf = (index: number): ListPage => ({
  resourceVersion: '1',
  size: MIB,
  items: [
    {
      apiVersion: 'cluster.karmada.io/v1alpha1',
      kind: 'Cluster',
      metadata: { name: `m${String(COUNT - index).padStart(2, '0')}` },
      spec: { syncMode: index === 0 ? 'Pull' : 'Push' },
      status: { conditions: [READY], apiEnablements: ['x'.repeat(MIB)] },
    },
  ],
  ...(index + 1 < COUNT && { continue: String(index + 1) }),
});

/** Lists as the client of a control plane does. */
function list(_: unknown, { transform }: ListOptions) {
  const { list: most, unreduced = most } = CONTROL_PLANE_LIMITS;
  return listAll(({ continue: token = '0' }) => Promise.resolve(pageOf(Number(token))), {
    request: 'list clusters',
    limit: transform === undefined ? unreduced : most,
    ...(transform && { transform }),
  });
}

describe('memberStates', () => {
  it('returns the states of many large Clusters by name', async () => {
    const client = anyClient({ list, listPage: () => Promise.resolve(pageOf(0)) });
    const states = await memberStates({ client }, new AbortController().signal);
    expect(states).toHaveLength(COUNT);
    expect([states[0], states.at(-1)]).toEqual([
      { name: 'm01', syncMode: 'Push', ready: 'False', reason: 'ClusterNotReachable' },
      { name: 'm32', syncMode: 'Pull', ready: 'False', reason: 'ClusterNotReachable' },
    ]);
  });
});
