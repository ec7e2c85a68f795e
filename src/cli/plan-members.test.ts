import { describe, expect, it } from '@jest/globals';
import { defaultSpec } from '../api/defaults/defaults.ts';
import type { KubernetesObject } from '../kubernetes/objects/object.ts';
import { karmadaOf, live, statefulSetOf } from '../instance/__fixtures__/instance.ts';
import { previewMembers, type MemberPreview } from './plan-members.ts';

function preview(present: number, local: object): MemberPreview {
  const karmada = karmadaOf({ components: { etcd: { local } } });
  const objects = [live(statefulSetOf({ replicas: present }))];
  const spec = defaultSpec(karmada.spec ?? {}, { defaultStorageClass: false });
  return previewMembers({ karmada, spec, host: { objects, pods: [], claims: [] } });
}

const whenScaled = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } };

describe('previewMembers', () => {
  it.each([
    ['lists nothing for the present number', 3, { replicas: 3 }, []],
    [
      'lists added members in ascending order',
      1,
      { replicas: 3 },
      [
        'karmada-demo-etcd-1 joins, first without a vote',
        'karmada-demo-etcd-2 joins, first without a vote',
      ],
    ],
    [
      'lists removed members in descending order',
      3,
      { replicas: 1 },
      [
        'karmada-demo-etcd-2 leaves, then its Pod ends; its PVC is kept',
        'karmada-demo-etcd-1 leaves, then its Pod ends; its PVC is kept',
      ],
    ],
    [
      'says whether PVCs are deleted',
      2,
      { replicas: 1, ...whenScaled },
      ['karmada-demo-etcd-1 leaves, then its Pod ends; its PVC is deleted'],
    ],
  ])('%s', (_, present, local, lines) => {
    const found = preview(present, local);
    expect(found.lines).toEqual(lines);
    expect(found.blockedChanges).toEqual([]);
    expect(found.spec.components.etcd.local?.replicas).toBe(present);
  });

  describe('of members that accept http', () => {
    const karmada = karmadaOf({ components: { etcd: { local: { replicas: 3 } } } });
    const volumeData = { volumeClaim: { spec: {} } };
    const flag = '--listen-peer-urls=http';
    const linesOf = (object: KubernetesObject, given = karmada): readonly string[] => {
      const set = JSON.stringify(object).replace(`${flag}s:`, `${flag}:`);
      const objects = [JSON.parse(set) as KubernetesObject];
      const spec = defaultSpec(karmada.spec ?? {}, { defaultStorageClass: true });
      return previewMembers({ karmada: given, spec, host: { objects, pods: [], claims: [] } })
        .lines;
    };

    it('lists their move to https', () => {
      expect(linesOf(live(statefulSetOf({ replicas: 3, volumeData })))).toEqual([
        'the members connect to each other with https instead of http; their Pods restart',
      ]);
    });

    it('lists the steps of an etcd of the Go operator when the user agrees', () => {
      const annotations = { 'operator.karmada.io/adopt-etcd': 'Automatic' };
      const agreed = { ...karmada, metadata: { ...karmada.metadata, annotations } };
      const set = statefulSetOf({ replicas: 3, volumeData }).object;
      const lines = linesOf(set, agreed);
      expect(lines.map((line) => line.slice(0, 11))).toEqual(
        [1, 2, 3, 4, 5].map((step) => `step ${String(step)} of 5`),
      );
    });

    it('lists nothing while etcd keeps the Pod template of the Go operator', () => {
      expect(linesOf(statefulSetOf({ replicas: 3, volumeData }).object)).toEqual([]);
    });
  });

  it('reports a refused number', () => {
    const found = preview(1, { replicas: 2 });
    expect(found.lines).toEqual([]);
    expect(found.blockedChanges).toMatchObject([{ reason: 'EtcdMembersBlocked' }]);
  });
});
