/**
 * Backups of a real control plane in a volume: taken, restored into a scratch etcd and compared, by the kubelet's Pods.
 * Then one of them replaces the data of the control plane.
 *
 * @size large
 * @tier all
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KarmadaBackup, KarmadaRestore } from '../../src/api/backup/kinds.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { karmadaName as name } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';
import { savedAuthority } from '../harness/saved-authority.ts';

const namespace = 'backup';
const where = ['-n', namespace];
/** Value that no file of a backup may contain as plain text. */
const PLANTED = `planted-${randomBytes(12).toString('hex')}`;

const named = (called: string): object => ({ name: called, namespace });

describeCluster('backups', () => {
  let cluster: Cluster;
  let plane: ControlPlane;
  let scene: BackupScene;

  /** Paths of the files in the volume of the store, relative to the root of the volume. */
  async function storedFiles(): Promise<{ readonly root: string; readonly files: string[] }> {
    const root = await scene.volume();
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
    scene = new BackupScene(cluster, namespace);
    await clean();
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, scene.karmada(3), ...scene.store());
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    const literal = `--from-literal=key=${PLANTED}`;
    await plane.kubectl(['create', 'secret', 'generic', 'planted', '-n', 'default', literal]);
  }, 1_800_000);

  afterAll(clean, 240_000);

  it('are verified by a restore, and their files are encrypted', async () => {
    await apply(cluster, scene.backup('first'));
    const { status } = await scene.untilEnded('first');
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
    await apply(cluster, scene.backup('second'));
    const [{ status: first }, { status: second }] = [
      await scene.untilEnded('first'),
      await scene.untilEnded('second'),
    ];
    expect(second?.phase).toBe('Verified');
    expect(second?.folder).not.toBe(first?.folder);
    expect(BigInt(second?.revision ?? 0) > BigInt(first?.revision ?? 0)).toBe(true);
  }, 300_000);

  it('fail with the reason if the key is not valid', async () => {
    const keys = { apiVersion: 'v1', kind: 'Secret', metadata: named('wrong-keys') };
    const [, , store] = scene.store() as unknown as { spec: object }[];
    const encryption = { mode: 'AES256GCM', keySecretRef: { name: 'wrong-keys' }, keyID: 'k1' };
    await apply(
      cluster,
      { ...keys, stringData: { k1: 'short' } },
      { ...store, metadata: named('wrong'), spec: { ...store?.spec, encryption } },
      scene.backup('wrong', { storeRef: { name: 'wrong' } }),
    );
    const { status } = await scene.untilEnded('wrong');
    expect(status?.phase).toBe('Failed');
    const verified = status?.conditions?.find(({ type }) => type === 'Verified');
    expect(verified).toMatchObject({ status: 'False', message: expect.stringContaining('k1') });
    expect(verified?.message).not.toContain('short');
    expect((await storedFiles()).files.filter((file) => file.includes('/wrong'))).toEqual([]);
  }, 300_000);

  it('are deleted with their files if their spec says so', async () => {
    await apply(cluster, scene.backup('short', { deletionPolicy: 'Delete' }));
    const { status } = await scene.untilEnded('short');
    const { folder = 'none' } = status ?? {};
    const before = (await storedFiles()).files;
    expect(before.filter((file) => file.includes(folder))).toHaveLength(3);
    await kubectl(cluster, ['delete', 'karmadabackup', 'short', ...where, '--timeout=120s']);
    const { files } = await storedFiles();
    expect(files).toEqual(before.filter((file) => !file.includes(folder)));
  }, 300_000);

  it('leave the control plane as it is', async () => {
    await untilReady(cluster, name, namespace);
    expect(await plane.kubectl(['get', 'configmap', 'later', '-o', 'name'])).toContain('later');
  }, 60_000);

  const reasonOf = ({ status }: KarmadaRestore): string | undefined =>
    status?.conditions?.find(({ type }) => type === 'Restored')?.reason;

  const exists = async (object: string): Promise<boolean> =>
    (await plane.kubectl(['get', object, '-n', 'default', '--ignore-not-found', '-o', 'name'])) !==
    '';

  const podsOf = (component: string): Promise<string> => {
    const labels = `app.kubernetes.io/instance=${name},app.kubernetes.io/name=${component}`;
    return kubectl(cluster, ['get', 'pods', ...where, '-l', labels, '-o', 'name']);
  };

  it('replace the data of the control plane only after a confirmation', async () => {
    await apply(cluster, scene.restore('back', 'first'));
    const { status } = await scene.untilPhase('AwaitingConfirmation', 'back');
    expect(status).toMatchObject({ clusterID: expect.stringMatching(/^[0-9a-f]+$/) });
    await apply(cluster, scene.restore('back', 'first', { confirmation: 'abc' }));
    await poll(
      'the confirmation is refused',
      async (seen) => {
        const found = await scene.untilPhase('AwaitingConfirmation', 'back');
        seen(JSON.stringify(found.status));
        return reasonOf(found) === 'ConfirmationRefused' ? found : undefined;
      },
      { deadlineMs: 60_000, intervalMs: 500 },
    );
    await untilReady(cluster, name, namespace);
    expect(await exists('configmap/later')).toBe(true);
  }, 400_000);

  it('replace the data, while nothing is changed in member clusters', async () => {
    const { status: before } = await scene.untilPhase('AwaitingConfirmation', 'back');
    await apply(cluster, scene.restore('back', 'first', { confirmation: before?.clusterID ?? '' }));
    const { status } = await scene.untilPhase('PropagationPaused', 'back');
    expect(status).toMatchObject({ revision: before?.revision ?? '' });
    await poll(
      'only the pause of the propagation keeps the Karmada from being Ready',
      async (seen) => {
        const { status: now } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
        const degraded = now?.conditions?.find(({ type }) => type === 'Degraded');
        seen(JSON.stringify({ degraded, etcd: now?.etcd }));
        return degraded?.reason === 'PropagationPaused' && now?.etcd === '3/3' ? now : undefined;
      },
      { deadlineMs: 240_000, intervalMs: 500 },
    );
    plane = await openControlPlane(cluster, name, namespace);
    const found = await plane.kubectl([
      'get',
      'secret',
      'planted',
      '-n',
      'default',
      '-o',
      'jsonpath={.data.key}',
    ]);
    expect(Buffer.from(found, 'base64').toString('utf8')).toBe(PLANTED);
    expect(await exists('configmap/later')).toBe(false);
    expect(await podsOf('karmada-controller-manager')).toBe('');
    expect(await podsOf('karmada-scheduler')).toBe('');
    expect(await podsOf('karmada-webhook')).not.toBe('');
  }, 700_000);

  it('let the propagation continue when the user says so', async () => {
    const { status } = await scene.untilPhase('PropagationPaused', 'back');
    const { clusterID = '' } = status ?? {};
    await apply(
      cluster,
      scene.restore('back', 'first', { confirmation: clusterID, propagation: 'Resumed' }),
    );
    await scene.untilPhase('Complete', 'back');
    await untilReady(cluster, name, namespace);
    expect(await podsOf('karmada-controller-manager')).not.toBe('');
    const kept = await kubectl(cluster, [
      'get',
      'pvc',
      ...where,
      '-l',
      'operator.karmada.io/etcd-kept',
      '-o',
      'name',
    ]);
    expect(kept.trim().split('\n')).toHaveLength(3);
  }, 700_000);

  it('rebuild a control plane of which only a backup is left', async () => {
    const backup = await getObject<KarmadaBackup>(cluster, 'karmadabackup', 'first', namespace);
    const { folder = '' } = backup.status ?? {};
    const kinds = 'karmadabackups,karmadarestores,karmadas';
    await kubectl(cluster, ['delete', kinds, '--all', ...where, '--timeout=180s']);
    const owned = ['-l', `app.kubernetes.io/instance=${name}`, '--timeout=60s'];
    await kubectl(cluster, ['delete', 'pvc,secrets', ...where, ...owned]);
    const saved = { folder: join((await storedFiles()).root, folder), key: scene.key };
    await apply(cluster, await savedAuthority(saved), scene.karmada(3));
    await untilReady(cluster, name, namespace);
    await apply(cluster, scene.backup('existing', { folder }));
    const { status } = await scene.untilEnded('existing');
    const { phase, revision, keys, takenAt } = backup.status ?? {};
    expect(status).toMatchObject({ phase, revision, keys, takenAt, folder });
    await scene.restored('rebuilt', 'existing', 'Complete');
    await untilReady(cluster, name, namespace);
    plane = await openControlPlane(cluster, name, namespace);
    expect(await exists('secret/planted')).toBe(true);
    expect(await exists('configmap/later')).toBe(false);
  }, 900_000);
});
