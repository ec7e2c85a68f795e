import { expect, it } from '@jest/globals';
import { COMPONENT } from '../../api/labels.ts';
import {
  RECORD_ANNOTATION,
  type EtcdRecord,
  type Recovery,
} from '../../etcd-cluster/identity/record.ts';
import { NOW, snapshotOf, wishOf } from '../../instance/__fixtures__/instance.ts';
import type { Pod } from '../../kubernetes/objects/pod-kinds.ts';
import { viewOfPods } from '../etcd-members/etcd-members.ts';
import { recoveryFacts } from './read-facts.ts';

const podOf = (uid: string, component: string, ends?: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `pod-${uid}`,
    uid,
    labels: { [COMPONENT]: component },
    ...(ends !== undefined && {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: ends,
    }),
  },
});

const PODS = [
  podOf('first', 'karmada-apiserver'),
  podOf('ends', 'karmada-apiserver', 1),
  podOf('slow', 'karmada-aggregated-apiserver', 30),
  podOf('later', 'karmada-apiserver'),
  podOf('other', 'karmada-webhook'),
];

it.each<[string, readonly string[] | undefined, readonly string[]]>([
  ['all', undefined, ['first', 'slow', 'later']],
  ['those that ran when the recovery stopped them', ['first', 'ends', 'slow'], ['first', 'slow']],
  ['none', [], []],
])('lists %s as Pods to end early', (_, clients, listed) => {
  const recovery: Recovery = {
    from: 'etcd-0/a/5',
    token: 't2',
    volume: 'r1-etcd-data',
    phase: 'restoring',
    ...(clients && { clients }),
  };
  const record: EtcdRecord = {
    state: 'born',
    token: 't',
    members: 1,
    clusterID: 'a',
    ca: 'x',
    recovery,
  };
  const annotations = { [RECORD_ANNOTATION]: JSON.stringify(record) };
  const facts = recoveryFacts(snapshotOf(wishOf(), []), {
    backup: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ca-backup', annotations } },
    statefulSet: undefined,
    pods: PODS,
    claims: [],
    view: viewOfPods([], [], NOW),
    now: NOW,
  });
  expect(facts.slowClients?.map(({ uid }) => uid)).toEqual(listed);
  expect(facts.clients).toEqual(['pod-first', 'pod-ends', 'pod-slow', 'pod-later']);
});
