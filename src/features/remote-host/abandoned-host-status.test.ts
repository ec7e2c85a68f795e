import { describe, expect, it } from '@jest/globals';
import { ABANDON_HOST_ANNOTATION, type Condition, type KarmadaStatus } from '../../api/karmada.ts';
import { karmadaOf, NOW } from '../../instance/__fixtures__/instance.ts';
import { statusAfterAbandonedHost } from './abandoned-host-status.ts';

const FOREIGN: Condition = {
  type: 'Audited',
  status: 'True',
  reason: 'Fine',
  message: '',
  lastTransitionTime: '2025-12-01T00:00:00Z',
};

const BEFORE: KarmadaStatus = {
  observedGeneration: 2,
  phase: 'Degraded',
  hostUID: 'lost',
  hostSecret: 'team/host',
  secretRef: { name: 'karmada-demo-admin-config', namespace: 'team' },
  etcd: '1/1',
  versions: { karmada: 'v1.17.1', kubernetes: 'v1.35.4', etcd: '3.6.6' },
  conditions: [
    { ...FOREIGN, type: 'Ready', status: 'False', reason: 'HostChanged' },
    { ...FOREIGN, type: 'EtcdHealthy', reason: 'Healthy' },
    FOREIGN,
  ],
};

const statusWith = (
  uid: string | undefined,
  abandoned?: string,
  before = BEFORE,
): KarmadaStatus | undefined => {
  const { metadata, ...rest } = karmadaOf();
  const annotations: Record<string, string> = {};
  if (abandoned !== undefined) annotations[ABANDON_HOST_ANNOTATION] = abandoned;
  const karmada = { ...rest, metadata: { ...metadata, annotations } };
  const host = { server: 'https://next.example.com:6443', uid };
  return statusAfterAbandonedHost(karmada, host, { before, now: NOW });
};

describe('statusAfterAbandonedHost', () => {
  it('contains nothing about the former control plane, and conditions of other controllers', () => {
    const { conditions, ...status } = statusWith('next', 'lost') ?? {};
    expect(status).toEqual({ observedGeneration: 2, phase: 'Installing', hostUID: 'next' });
    expect(conditions).toMatchObject([
      {
        type: 'Ready',
        status: 'False',
        reason: 'Progressing',
        message:
          'the host cluster lost is given up; the operator creates the control plane in https://next.example.com:6443',
      },
      { type: 'HostReachable', status: 'True' },
      FOREIGN,
    ]);
  });

  it('keeps the record of the data in an external etcd, which is not lost', () => {
    const before = { ...BEFORE, etcdDataUID: 'data' };
    expect(statusWith('next', 'lost', before)).toMatchObject({ etcdDataUID: 'data' });
  });

  it.each<[string, { uid?: string; abandoned?: string; before?: KarmadaStatus }]>([
    ['in the same host cluster', { uid: 'lost', abandoned: 'lost' }],
    ['after the change', { uid: 'next', abandoned: 'lost', before: { hostUID: 'next' } }],
    ['in a host cluster with an unknown uid', { abandoned: 'lost' }],
    ['without the annotation', { uid: 'next' }],
    ['with the annotation for another host cluster', { uid: 'next', abandoned: 'third' }],
    ['before the first installation', { uid: 'next', abandoned: 'lost', before: {} }],
  ])('is absent %s', (_, { uid, abandoned, before }) => {
    expect(statusWith(uid, abandoned, before)).toBeUndefined();
  });
});
