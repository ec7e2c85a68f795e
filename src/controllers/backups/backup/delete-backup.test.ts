import { describe, expect, it } from '@jest/globals';
import { karmadaBackups, karmadaBackupStores } from '../../../api/backup/kinds.ts';
import type { KarmadaSpec } from '../../../api/karmada.ts';
import type { BackupClient } from '../../../features/backups/backup-cluster.ts';
import { karmadas } from '../../../host-clusters/host.ts';
import type { KubernetesObject } from '../../../kubernetes/objects/object.ts';
import { resources, type ResourceType } from '../../../kubernetes/objects/resources.ts';
import { deleteBackup } from './delete-backup.ts';
import { FILES_FINALIZER } from './plan-deletion.ts';

const NAMESPACE = { metadata: { name: 'team' } };
const STORE = {
  metadata: { name: 'main', namespace: 'team' },
  spec: { volume: { claimName: 'c' }, encryption: { mode: 'None' } },
};
const BACKUP = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: karmadaBackups.kind,
  metadata: { name: 'old', namespace: 'team', uid: 'u', finalizers: [FILES_FINALIZER] },
  spec: { karmadaRef: { name: 'east' }, storeRef: { name: 'main' } },
};

const TOLERATION = { key: 'dedicated', operator: 'Exists' } as const;
const settings = (nodePool: string): KarmadaSpec => ({
  imagePullSecrets: [{ name: 'pull' }],
  podSettings: [
    { components: ['backups'], nodeSelector: { pool: nodePool }, tolerations: [TOLERATION] },
  ],
});

/** Deletes a backup of the Karmada `east`. @returns the Pod that deletes its files */
async function deletionPodWith(
  specs: Readonly<Record<string, KarmadaSpec>>,
): Promise<KubernetesObject | undefined> {
  const created: KubernetesObject[] = [];
  const instances = Object.entries(specs).map(([name, spec]) => ({
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata: { name, namespace: 'team' },
    spec,
  }));
  const client = {
    find: async (type: ResourceType, { name }: { readonly name: string }) => {
      if (type === karmadas) return instances.find(({ metadata }) => metadata.name === name);
      if (type === karmadaBackupStores) return STORE;
      if (type === resources.Namespace) return NAMESPACE;
      return created.find(({ kind, metadata }) => kind === type.kind && metadata.name === name);
    },
    list: async (
      type: ResourceType,
      { reduce }: { readonly reduce?: (one: object) => object },
    ) => ({
      items: type === karmadas ? instances.map((one) => reduce?.(one) ?? one) : [],
    }),
    create: async (object: KubernetesObject) => {
      created.push(object);
      return object;
    },
    patch: async () => BACKUP,
    patchStatus: async () => BACKUP,
  } as unknown as BackupClient;
  await deleteBackup(BACKUP as never, {
    client,
    clusterOf: () => ({ client, isRemote: false }),
    clock: { wall: () => 0 },
    image: 'operator:1',
    operatorVersion: '1',
  });
  return created.find(({ kind }) => kind === 'Pod');
}

describe('the Pod that deletes the files of a backup', () => {
  it.each([
    ['of its Karmada', { east: settings('a'), west: settings('b') }, 'a'],
    ['of another Karmada in the namespace when its own is gone', { west: settings('b') }, 'b'],
  ])('has the settings %s', async (_, specs, pool) => {
    const pod = await deletionPodWith(specs);
    expect(pod?.['spec']).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'linux', pool },
      tolerations: [TOLERATION],
      imagePullSecrets: [{ name: 'pull' }],
    });
  });

  it('has no settings when its Karmada has none, although another one has', async () => {
    const pod = await deletionPodWith({ east: {}, west: settings('b') });
    expect(pod?.['spec']).toMatchObject({ nodeSelector: { 'kubernetes.io/os': 'linux' } });
    expect(pod?.['spec']).not.toHaveProperty('tolerations');
    expect(pod?.['spec']).not.toHaveProperty('imagePullSecrets');
  });
});
