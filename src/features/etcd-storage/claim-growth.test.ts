import { describe, expect, it } from '@jest/globals';
import { COMPONENT, INSTANCE } from '../../api/labels.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { live, statefulSetOf } from '../../instance/__fixtures__/instance.ts';
import type { DesiredObject } from '../../instance/desired-objects.ts';
import { claimGrowth, EXPAND_RIGHT, pendingExpansions, type ClaimGrowth } from './claim-growth.ts';

const NAME = 'karmada-demo';

const specFor = (storage: string, storageClassName = 'fast'): object => ({
  storageClassName,
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage } },
});

const wanted = (storage: string, storageClassName?: string): DesiredObject =>
  statefulSetOf({
    replicas: 3,
    volumeData: { volumeClaim: { spec: specFor(storage, storageClassName) } },
  });

interface ClaimOptions {
  readonly metadata?: object;
  readonly status?: object;
  readonly storageClassName?: string;
}

const claim = (ordinal: number, storage: string, more: ClaimOptions = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: `etcd-data-${NAME}-etcd-${String(ordinal)}`,
    namespace: 'team',
    labels: { [INSTANCE]: NAME, [COMPONENT]: 'etcd' },
    ...more.metadata,
  },
  spec: specFor(storage, more.storageClassName),
  status: { phase: 'Bound', ...more.status },
});

const storageClass = (name: string, allowVolumeExpansion?: boolean): KubernetesObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  ...(allowVolumeExpansion !== undefined && { allowVolumeExpansion }),
});

interface Given {
  readonly from?: string;
  readonly to?: DesiredObject;
  readonly claims?: readonly KubernetesObject[];
  readonly classes?: readonly KubernetesObject[];
  readonly missingRights?: readonly string[];
}

const growth = ({ from = '8Gi', to = wanted('16Gi'), ...given }: Given = {}):
  ClaimGrowth | undefined => {
  const { claims = [claim(0, '8Gi'), claim(1, '8Gi')], missingRights } = given;
  const { classes = [storageClass('fast', true)] } = given;
  const statefulSet = live(wanted(from));
  return claimGrowth(NAME, to, { statefulSet, claims, storageClasses: classes }, missingRights);
};

const blockedWith = (reason: string, message: RegExp): object => ({
  kind: 'blocked',
  blockedChange: { step: 'etcd', reason, message: expect.stringMatching(message) },
});

describe('claimGrowth', () => {
  it.each<[string, Given]>([
    ['the size is the same', { to: wanted('8Gi') }],
    ['the same size is written in another unit', { to: wanted('8192Mi') }],
    ['another field of the storage changes too', { to: wanted('16Gi', 'slow') }],
  ])('leaves the decision to others when %s', (_, given) => {
    expect(growth(given)).toBeUndefined();
  });

  it('expands all PVCs that are smaller, then recreates the StatefulSet', () => {
    const claims = [claim(0, '16Gi'), claim(1, '8Gi'), claim(2, '8Gi')];
    expect(growth({ claims })).toEqual({
      kind: 'expand',
      storage: '16Gi',
      claims: [claims[1], claims[2]],
    });
    expect(growth({ claims: [claim(0, '16Gi'), claim(1, '20Gi')] })).toEqual({ kind: 'recreate' });
  });

  it('ignores PVCs without the labels of this etcd', () => {
    const foreign = claim(0, '8Gi', { metadata: { labels: {} } });
    expect(growth({ claims: [foreign] })).toEqual({ kind: 'recreate' });
  });

  it.each<[string, Given, object]>([
    [
      'the size shrinks',
      { to: wanted('4Gi') },
      blockedWith('EtcdStorageBlocked', /cannot shrink a PVC from 8Gi to 4Gi; set it back to 8Gi$/),
    ],
    [
      'the StorageClass does not allow it',
      { classes: [storageClass('fast', false)] },
      blockedWith(
        'EtcdVolumeExpansionBlocked',
        /StorageClass fast has no allowVolumeExpansion; set/,
      ),
    ],
    [
      'the StorageClass does not exist',
      { classes: [] },
      blockedWith('EtcdVolumeExpansionBlocked', /StorageClass fast/),
    ],
    [
      'a PVC has no StorageClass',
      { claims: [claim(0, '8Gi', { storageClassName: '' })] },
      blockedWith('EtcdVolumeExpansionBlocked', /it has no StorageClass; set spec\.components/),
    ],
    [
      'the repair of a PVC is paused',
      {
        claims: [
          claim(0, '8Gi', {
            metadata: {
              annotations: { 'operator.karmada.io/pause-repair': 'true' },
              labels: { [INSTANCE]: NAME, [COMPONENT]: 'etcd' },
            },
          }),
        ],
      },
      blockedWith('RepairPaused', /pause-repair=true/),
    ],
    [
      'the role of the operator is older',
      { missingRights: [EXPAND_RIGHT] },
      blockedWith('HostRightsMissing', /lacks the permission to patch persistentvolumeclaims/),
    ],
  ])('blocks the growth when %s', (_, given, expected) => {
    expect(growth(given)).toEqual(expected);
  });
});

describe('pendingExpansions', () => {
  const sized = (storage: string, more: object = {}): KubernetesObject =>
    claim(0, '16Gi', { status: { capacity: { storage }, ...more } });

  it('describes a volume that is smaller than requested', () => {
    const conditions = [
      { type: 'Resizing', status: 'False' },
      { type: 'FileSystemResizePending', status: 'True' },
    ];
    expect(pendingExpansions(NAME, [sized('8Gi', { conditions })])).toEqual([
      'etcd-data-karmada-demo-etcd-0 (8Gi of 16Gi, FileSystemResizePending)',
    ]);
    const allocatedResourceStatuses = { storage: 'ControllerResizeInfeasible' };
    expect(pendingExpansions(NAME, [sized('8Gi', { allocatedResourceStatuses })])).toEqual([
      'etcd-data-karmada-demo-etcd-0 (8Gi of 16Gi, ControllerResizeInfeasible)',
    ]);
  });

  it('is empty when the volume has the requested size, or none', () => {
    expect(pendingExpansions(NAME, [sized('16Gi'), sized('20Gi'), claim(1, '8Gi')])).toEqual([]);
  });
});
