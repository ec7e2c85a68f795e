import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { RECORD_ANNOTATION } from '../etcd-cluster/identity/record.ts';
import { claimsByUse } from './claims-by-use.ts';

const object = (kind: string, name: string, more: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});

const pvc = (name: string): KubernetesObject => object('PersistentVolumeClaim', name);
const setWith = (volume: string): KubernetesObject =>
  object('StatefulSet', 'demo-karmada-etcd', {
    spec: { volumeClaimTemplates: [{ metadata: { name: volume } }] },
  });
const backupOf = (volume: string): KubernetesObject => {
  const record = { state: 'born', token: 't', members: 1, clusterID: 'a', ca: 'ca', volume };
  const annotations = { [RECORD_ANNOTATION]: JSON.stringify(record) };
  return object('Secret', 'demo-karmada-ca-backup', {
    metadata: { name: 'demo-karmada-ca-backup', annotations },
  });
};

const FIRST = [pvc('etcd-data-demo-karmada-etcd-0'), pvc('etcd-data-demo-karmada-etcd-1')];
const SECOND = [pvc('r1-etcd-data-demo-karmada-etcd-0')];
const OTHERS = [pvc('data-of-a-user'), pvc('etcd-data-other-karmada-etcd-0')];

describe('claimsByUse', () => {
  it.each<readonly [string, readonly KubernetesObject[]]>([
    ['no StatefulSet', []],
    ['a StatefulSet', [setWith('etcd-data')]],
    ['a StatefulSet without PVCs', [object('StatefulSet', 'demo-karmada-etcd', { spec: {} })]],
    ['a PVC template with a name of a user', [setWith('data-of-a-user')]],
  ])('changes nothing without a recovery: %s', (_, objects) => {
    const all = [...FIRST, ...OTHERS];
    expect(claimsByUse('demo', objects, all)).toEqual({ claims: all });
  });

  it('separates the PVCs of the former cluster after a recovery', () => {
    const found = claimsByUse('demo', [setWith('r1-etcd-data')], [...FIRST, ...SECOND, ...OTHERS]);
    expect(found).toEqual({ claims: [...SECOND, ...OTHERS], keptClaims: FIRST });
  });

  it('uses the record while there is no StatefulSet', () => {
    const found = claimsByUse('demo', [backupOf('r1-etcd-data')], [...FIRST, ...SECOND]);
    expect(found).toEqual({ claims: SECOND, keptClaims: FIRST });
  });

  it('keeps the PVCs of the former cluster in use while the data is restored', () => {
    const objects = [setWith('etcd-data'), backupOf('r1-etcd-data')];
    const found = claimsByUse('demo', objects, [...FIRST, ...SECOND]);
    expect(found).toEqual({ claims: FIRST, keptClaims: SECOND });
  });
});
