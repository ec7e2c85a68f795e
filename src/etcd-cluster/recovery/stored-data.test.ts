import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { CLAIM_ANNOTATION, type EtcdRecord } from '../identity/record.ts';
import { storedData } from './stored-data.ts';

const RECORD: EtcdRecord = {
  state: 'born',
  token: 't',
  members: 3,
  clusterID: 'a',
  ca: 'ca',
};

function claim(name: string, clusterID?: string, more: object = {}): KubernetesObject {
  const ordinal = Number(name.slice(-1));
  const stamp = { clusterID, token: 't', ordinal, members: 3, ca: 'ca' };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: 'team',
      uid: name,
      ...(clusterID && { annotations: { [CLAIM_ANNOTATION]: JSON.stringify(stamp) } }),
      ...more,
    },
  };
}

describe('storedData', () => {
  it.each<
    readonly [string, EtcdRecord | undefined, readonly KubernetesObject[], readonly string[]]
  >([
    ['no record', undefined, [claim('etcd-data-karmada-demo-etcd-0', 'a')], []],
    [
      'PVCs of the recorded cluster',
      RECORD,
      [claim('etcd-data-karmada-demo-etcd-2', 'a'), claim('etcd-data-karmada-demo-etcd-0', 'a')],
      ['karmada-demo-etcd-0', 'karmada-demo-etcd-2'],
    ],
    ['a PVC of another cluster', RECORD, [claim('etcd-data-karmada-demo-etcd-0', 'b')], []],
    ['a PVC without an annotation', RECORD, [claim('etcd-data-karmada-demo-etcd-0')], []],
    [
      'a PVC that is being deleted',
      RECORD,
      [claim('etcd-data-karmada-demo-etcd-0', 'a', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      [],
    ],
    ['a PVC of another control plane', RECORD, [claim('etcd-data-other-etcd-0', 'a')], []],
    [
      'a PVC that an earlier recovery kept',
      RECORD,
      [claim('r1-etcd-data-karmada-demo-etcd-0', 'a')],
      [],
    ],
    [
      'PVCs of a recovered etcd',
      { ...RECORD, volume: 'r1-etcd-data' },
      [claim('r1-etcd-data-karmada-demo-etcd-0', 'a'), claim('etcd-data-karmada-demo-etcd-1', 'a')],
      ['karmada-demo-etcd-0'],
    ],
  ])('selects members for %s', (_, record, claims, pods) => {
    expect(storedData('karmada-demo', record, claims)).toEqual(
      pods.map((pod) => ({ pod, clusterID: 'a' })),
    );
  });
});
