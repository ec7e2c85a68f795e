import { describe, expect, it } from '@jest/globals';
import { INSTANCE } from '../../api/labels.ts';
import { EFFECTIVE_HASH } from '../../components/etcd/effective-hash.ts';
import { isRolledOut } from '../../components/rollout.ts';
import { hashIn } from '../../etcd-cluster/pods/membership.ts';
import {
  live,
  pod,
  snapshotOf,
  statefulSetOf,
  wishOf,
} from '../../instance/__fixtures__/instance.ts';
import { manualClock } from '../../kubernetes/time/clock.fixture.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { INPUTS } from '../../pki/fixture.test-data.ts';
import { readLive } from './read-live.ts';

const CLAIM = { replicas: 3, volumeData: { volumeClaim: { spec: {} } } };

/** Since its cluster was formed, its members do not start another one: a change of the template that restarts none of them. */
const SEALED = ((): KubernetesObject => {
  const set = live(statefulSetOf(CLAIM));
  const status = { ...(set['status'] as object), updatedReplicas: 0, updateRevision: 'r2' };
  return { ...set, status };
})();

/** Members whose Pods have this hash of the template. */
const members = (...hashes: readonly (string | undefined)[]): readonly KubernetesObject[] =>
  hashes.map((hash = '', ordinal) => {
    const member = pod('etcd', { name: `karmada-demo-etcd-${String(ordinal)}` });
    const { metadata } = member;
    return { ...member, metadata: { ...metadata, annotations: { [EFFECTIVE_HASH]: hash } } };
  });

async function readEtcd(pods: readonly KubernetesObject[]): Promise<KubernetesObject | undefined> {
  const selectors: string[] = [];
  const client = {
    find: (_: unknown, { name }: { readonly name: string }) =>
      Promise.resolve(name === SEALED.metadata.name ? SEALED : undefined),
    list: (_: unknown, { labelSelector }: { readonly labelSelector: string }) => {
      selectors.push(labelSelector);
      return Promise.resolve({ items: pods });
    },
  };
  const tools = { host: { client }, clock: manualClock(0), controlPlane: undefined } as never;
  const inputs = { ...INPUTS, name: 'karmada-demo', namespace: 'team' };
  const known = { snapshot: snapshotOf(wishOf(), []), pki: inputs } as never;
  const { workloads } = await readLive(tools, known, ['etcd-ca']);
  expect(selectors).toEqual([expect.stringContaining(`${INSTANCE}=karmada-demo`)]);
  return workloads.get('etcd');
}

describe('the StatefulSet of etcd', () => {
  const [own, other] = [hashIn(SEALED), 'other'];

  it.each([
    ['is rolled out when only flags have changed that members with data ignore', [own, own, own]],
    ['is being rolled out while a member has another template', [own, other, own], false],
    ['is being rolled out while a member has no Pod', [own, own], false],
  ])('%s', async (_, hashes, expected = true) => {
    const found = await readEtcd(members(...hashes));
    expect(found && isRolledOut(found)).toBe(expected);
  });
});
