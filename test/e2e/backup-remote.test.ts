/** Backup and restore of a control plane in a remote host cluster. Its Pods run there, the kinds are in the management cluster. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl } from '../../tools/embedded-cluster/cluster.ts';
import { karmadaName as name } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { loadOperatorImage } from '../harness/operator.ts';
import { RemoteHostScene, REMOTE_NAMESPACE as namespace } from '../harness/remote-host-scene.ts';
import { startS3, stopS3 } from '../harness/s3.ts';

const where = ['-n', namespace];

describeCluster('backups in a remote host cluster', () => {
  let scene: RemoteHostScene;
  let backups: BackupScene;
  let plane: ControlPlane;

  beforeAll(async () => {
    scene = await RemoteHostScene.start();
    await loadOperatorImage(scene.host);
    backups = new BackupScene(scene.management, namespace);
    const components = {
      etcd: { local: { replicas: 1, volumeData: VOLUME_CLAIM } },
      karmadaMetricsAdapter: { enabled: false },
    };
    const s3 = await startS3(scene.host);
    await apply(
      ...([scene.management, scene.karmada(name, 'host', { components })] as const),
      ...backups.s3Store(s3),
    );
    await untilReady(scene.management, name, namespace);
    plane = await openControlPlane(scene.host, name, namespace);
    await plane.kubectl(['create', 'configmap', 'saved', '-n', 'default']);
  }, 1_800_000);

  afterAll(async () => {
    stopS3(scene.host);
    await scene.end();
  }, 240_000);

  /** Names of the Secrets and Pods of backups in the host cluster. */
  const leftovers = async (): Promise<string> =>
    (await kubectl(scene.host, ['get', 'secrets,pods', ...where, '-o', 'name']))
      .split('\n')
      .filter((found) => /(-backup|-restore)$/.test(found) && !found.includes('-ca-backup'))
      .join();

  it('are verified there, and leave no copy of a credential', async () => {
    await apply(scene.management, backups.backup('first'));
    const { status } = await backups.untilEnded('first');
    expect(status).toMatchObject({ phase: 'Verified' });
    expect(Number(status?.keys)).toBeGreaterThan(100);
    const gone = ['wait', '--for=delete', 'secret/first-backup', ...where, '--timeout=60s'];
    await kubectl(scene.host, gone);
    expect(await leftovers()).toBe('');
  }, 400_000);

  it('replace the data of the control plane', async () => {
    await plane.kubectl(['create', 'configmap', 'newer', '-n', 'default']);
    await backups.restored('back', 'first', 'Complete');
    await untilReady(scene.management, name, namespace, 300_000);
    const names = await plane.kubectl(['get', 'configmaps', '-n', 'default', '-o', 'name']);
    expect([names.includes('configmap/saved'), names.includes('configmap/newer')]).toEqual([
      true,
      false,
    ]);
    expect(await leftovers()).toBe('');
  }, 700_000);
});
