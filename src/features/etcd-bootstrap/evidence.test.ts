import { describe, expect, it } from '@jest/globals';
import { instanceLabels } from '../../api/labels.ts';
import type { Karmada } from '../../api/karmada.ts';
import { instanceName } from '../../api/naming.ts';
import type { KubernetesObject } from '../../kubernetes/objects/object.ts';
import { readEvidence } from './evidence.ts';

const KARMADA: Karmada = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name: 'demo', namespace: 'team', uid: 'of the Karmada' },
};

const object = (kind: string, suffix: string, spec = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name: suffix,
    namespace: 'team',
    uid: `uid of ${suffix}`,
    labels: instanceLabels('demo', 'karmada'),
  },
  spec,
});

const STATEFUL_SET = object('StatefulSet', instanceName('demo', 'etcd'), { replicas: 3 });
const BACKUP = object('Secret', instanceName('demo', 'ca-backup'));
const CLAIM = object('PersistentVolumeClaim', `etcd-data-${instanceName('demo', 'etcd')}-0`);

/** Reads with a client that has these objects. @returns the result and the kinds that were read */
async function reading(stored: readonly KubernetesObject[], newBackup?: KubernetesObject) {
  const requests: string[] = [];
  const client = {
    find: (type: { readonly kind: string }, { name }: { readonly name: string }) => {
      requests.push(`get ${type.kind}`);
      const isFound = ({ kind, metadata }: KubernetesObject): boolean =>
        kind === type.kind && metadata.name === name;
      return Promise.resolve(stored.find(isFound));
    },
    list: ({ kind }: { readonly kind: string }) => {
      requests.push(`list ${kind}`);
      return Promise.resolve({ items: stored.filter((one) => one.kind === kind) });
    },
  };
  const host = { client: client as never, rights: { lacks: () => false } };
  const read = await readEvidence(host, KARMADA, ['of the CA'], newBackup);
  return { read, requests: requests.sort() };
}

const LISTS = ['list PersistentVolume', 'list PersistentVolumeClaim', 'list Pod'];

describe('readEvidence', () => {
  it('reads the StatefulSet, the record and all data of an etcd', async () => {
    const { read, requests } = await reading([STATEFUL_SET, BACKUP, CLAIM]);
    expect(requests).toEqual(['get Secret', 'get StatefulSet', ...LISTS]);
    expect(read.statefulSet).toBe(STATEFUL_SET);
    expect(read.backup).toBe(BACKUP);
    expect(read.evidence.claims).toMatchObject([{ name: CLAIM.metadata.name }]);
  });

  it('reads only Pods and volumes when this reconcile has created the CA backup Secret after a read of the PVCs', async () => {
    const { read, requests } = await reading([], BACKUP);
    expect(requests).toEqual(['list PersistentVolume', 'list Pod']);
    expect(read.statefulSet).toBeUndefined();
    expect(read.backup).toBe(BACKUP);
    expect(read.evidence).toMatchObject({ claims: [], pods: [], volumes: [] });
    expect(read.evidence.unread).toBeUndefined();
  });
});
