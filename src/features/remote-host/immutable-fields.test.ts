import { describe, expect, it } from '@jest/globals';
import type { Etcd, KarmadaStatus } from '../../api/karmada.ts';
import { karmadaOf, live, statefulSetOf } from '../../instance/__fixtures__/instance.ts';
import { etcdKindChange, hostChange } from './immutable-fields.ts';

const EXTERNAL: Etcd = {
  external: { endpoints: ['https://etcd.example.com:2379'], secretRef: { name: 'etcd' } },
};
const LOCAL: Etcd = { local: { replicas: 3 } };
const STATEFUL_SET = live(statefulSetOf({}));

interface Case {
  readonly wanted: Etcd;
  readonly status?: KarmadaStatus;
  /** Whether the etcd StatefulSet exists. */
  readonly isThere?: boolean;
  readonly refused?: string;
}

describe('etcdKindChange', () => {
  const local: KarmadaStatus = { etcd: '1/1' };
  const external: KarmadaStatus = { etcd: 'external' };

  it.each<[string, Case]>([
    ['allows an external etcd for a new Karmada', { wanted: EXTERNAL }],
    ['allows a local etcd for a new Karmada', { wanted: LOCAL }],
    ['allows the current local etcd', { wanted: LOCAL, status: local, isThere: true }],
    ['allows the current external etcd', { wanted: EXTERNAL, status: external }],
    [
      'rejects a change from local to external',
      { wanted: EXTERNAL, status: local, isThere: true, refused: 'from local to external' },
    ],
    [
      'rejects a change from local to external when the StatefulSet was deleted',
      { wanted: EXTERNAL, status: local, refused: 'from local to external' },
    ],
    [
      'rejects a change from local to external when the status was lost',
      { wanted: EXTERNAL, isThere: true, refused: 'from local to external' },
    ],
    [
      'rejects a change from external to local',
      { wanted: LOCAL, status: external, refused: 'from external to local' },
    ],
    [
      'rejects a change from external to the default',
      { wanted: {}, status: external, refused: 'from external to local' },
    ],
  ])('%s', (_, { wanted: etcd, status = {}, isThere = false, refused }) => {
    const objects = isThere ? [STATEFUL_SET] : [];
    const found = etcdKindChange(karmadaOf({ components: { etcd } }), status, objects);
    if (refused === undefined) expect(found).toBeUndefined();
    else expect(found?.message).toContain(refused);
  });
});

describe('hostChange', () => {
  const secretRef = { name: 'karmada-demo-admin-config', namespace: 'team' };
  const ready = { secretRef, versions: {} };

  it.each<[string, KarmadaStatus, boolean, string | undefined]>([
    ['allows any host cluster for a new Karmada', {}, true, undefined],
    [
      'allows another host cluster before the control plane was Ready',
      { hostUID: 'one' },
      false,
      undefined,
    ],
    [
      'allows any host cluster for a control plane of another operator',
      { secretRef },
      true,
      undefined,
    ],
    ['allows the current management cluster', ready, false, undefined],
    ['allows the current remote host cluster', { ...ready, hostUID: 'one' }, true, undefined],
    ['rejects a change from the management cluster', ready, true, 'cannot be added'],
    [
      'rejects a change from the remote host cluster',
      { ...ready, hostUID: 'one' },
      false,
      'cannot be removed',
    ],
  ])('%s', (_, status, remote, message) => {
    const found = hostChange({ status }, remote);
    if (message === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ reason: 'HostChanged' });
    expect(found?.message ?? '').toContain(message ?? '');
  });
});
