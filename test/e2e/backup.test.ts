/** Backups of a real control plane in a volume: taken, restored into a scratch etcd and compared, by the kubelet's Pods. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KarmadaBackup } from '../../src/api/backup/kinds.ts';
import { kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { installOperator } from '../harness/operator.ts';

const namespace = 'backup';
const name = 'karmada';
const where = ['-n', namespace];
const apiVersion = 'backup.operator.karmada.io/v1alpha1';
/** Value that no file of a backup may contain as plain text. */
const PLANTED = `planted-${randomBytes(12).toString('hex')}`;

const named = (called: string): object => ({ name: called, namespace });

const KARMADA = {
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: named(name),
  spec: {
    components: {
      etcd: { local: { replicas: 3, volumeData: VOLUME_CLAIM } },
      karmadaMetricsAdapter: { enabled: false },
    },
  },
};

const STORE = [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: named('backups'),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: named('keys'),
    stringData: { k1: randomBytes(32).toString('hex') },
  },
  {
    apiVersion,
    kind: 'KarmadaBackupStore',
    metadata: named('main'),
    spec: {
      volume: { claimName: 'backups', prefix: 'saved' },
      encryption: { mode: 'AES256GCM', keySecretRef: { name: 'keys' }, keyID: 'k1' },
    },
  },
];

const backupOf = (called: string, store = 'main'): object => ({
  apiVersion,
  kind: 'KarmadaBackup',
  metadata: named(called),
  spec: { karmadaRef: { name }, storeRef: { name: store } },
});

describeCluster('backups', () => {
  let cluster: Cluster;
  let plane: ControlPlane;

  /** Waits until a backup has ended. */
  const untilEnded = (called: string): Promise<KarmadaBackup> =>
    poll(
      `KarmadaBackup ${called} has ended`,
      async (seen) => {
        const found = await getObject<KarmadaBackup>(cluster, 'karmadabackup', called, namespace);
        seen(JSON.stringify(found.status));
        return ['Verified', 'Failed'].includes(found.status?.phase ?? '') ? found : undefined;
      },
      { deadlineMs: 180_000, intervalMs: 500 },
    );

  /** Paths of the files in the volume of the store, relative to the root of the volume. */
  async function storedFiles(): Promise<{ readonly root: string; readonly files: string[] }> {
    const claim = await getObject<{ spec: { volumeName: string } }>(
      ...([cluster, 'pvc', 'backups', namespace] as const),
    );
    const volume = await getObject<{ spec: { local: { path: string } } }>(
      ...([cluster, 'pv', claim.spec.volumeName, ''] as const),
    );
    const root = volume.spec.local.path;
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return { root, files: files.map((file) => join(file.parentPath, file.name)) };
  }

  async function clean(): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    await clean();
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, KARMADA, ...STORE);
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    const literal = `--from-literal=key=${PLANTED}`;
    await plane.kubectl(['create', 'secret', 'generic', 'planted', '-n', 'default', literal]);
  }, 1_800_000);

  afterAll(clean, 240_000);

  it('are verified by a restore, and their files are encrypted', async () => {
    await apply(cluster, backupOf('first'));
    const { status } = await untilEnded('first');
    expect(status).toMatchObject({ phase: 'Verified', etcdVersion: expect.any(String) });
    expect(Number(status?.keys)).toBeGreaterThan(100);
    const { files } = await storedFiles();
    expect(files.some((file) => file.includes(String(status?.folder)))).toBe(true);
    expect(files.filter((file) => readFileSync(file).includes(PLANTED))).toEqual([]);
    await kubectl(cluster, ['wait', '--for=delete', 'pod/first-backup', ...where, '--timeout=60s']);
    await untilReady(cluster, name, namespace);
  }, 300_000);

  it('contain later changes, next to earlier backups', async () => {
    await plane.kubectl(['create', 'configmap', 'later', '-n', 'default']);
    await apply(cluster, backupOf('second'));
    const [{ status: first }, { status: second }] = [
      await untilEnded('first'),
      await untilEnded('second'),
    ];
    expect(second?.phase).toBe('Verified');
    expect(second?.folder).not.toBe(first?.folder);
    expect(BigInt(second?.revision ?? 0) > BigInt(first?.revision ?? 0)).toBe(true);
  }, 300_000);

  it('fail with the reason if the key is not valid', async () => {
    const keys = { apiVersion: 'v1', kind: 'Secret', metadata: named('wrong-keys') };
    const [, , store] = STORE as unknown as { spec: object }[];
    const encryption = { mode: 'AES256GCM', keySecretRef: { name: 'wrong-keys' }, keyID: 'k1' };
    await apply(
      cluster,
      { ...keys, stringData: { k1: 'short' } },
      { ...store, metadata: named('wrong'), spec: { ...store?.spec, encryption } },
      backupOf('wrong', 'wrong'),
    );
    const { status } = await untilEnded('wrong');
    expect(status?.phase).toBe('Failed');
    const verified = status?.conditions?.find(({ type }) => type === 'Verified');
    expect(verified).toMatchObject({ status: 'False', message: expect.stringContaining('k1') });
    expect(verified?.message).not.toContain('short');
    expect((await storedFiles()).files.filter((file) => file.includes('/wrong'))).toEqual([]);
  }, 300_000);

  it('leave the control plane as it is', async () => {
    await untilReady(cluster, name, namespace);
    expect(await plane.kubectl(['get', 'configmap', 'later', '-o', 'name'])).toContain('later');
  }, 60_000);
});
