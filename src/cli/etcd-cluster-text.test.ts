import { expect, it } from '@jest/globals';
import type { EtcdClusterStatus } from '../api/karmada.ts';
import { etcdClusterLines } from './etcd-cluster-text.ts';

const CLUSTER: EtcdClusterStatus = {
  clusterID: 'c',
  quorum: 'True',
  leader: 'etcd-0',
  observedTime: '2026-01-01T00:00:00Z',
  members: [
    { name: 'etcd-0', id: '1', role: 'Voter', version: '3.6.14', dbSize: '16Mi' },
    {
      name: 'etcd-1',
      id: '2',
      role: 'Voter',
      version: '3.6.14',
      alarms: ['NOSPACE'],
      message: 'connection failed (timeout)',
      lastResponseTime: '2026-01-01T00:00:00Z',
    },
    { name: '', id: '3', role: 'Learner', message: 'no Pod' },
  ],
};

it('prints a line for each etcd member', () => {
  expect(etcdClusterLines(CLUSTER)).toEqual([
    'etcd-0: voter, leader, 3.6.14, 16Mi',
    'etcd-1: voter, 3.6.14, alarm NOSPACE, does not respond since 2026-01-01T00:00:00Z (connection failed (timeout))',
    'member 3: learner, does not respond (no Pod)',
  ]);
});

it('prints nothing without etcd members in the status', () => {
  expect(etcdClusterLines(undefined)).toEqual([]);
});
