/**
 * The operator is killed while a backup replaces the data of a control plane: in one case after each of its writes, in the others
 * once. All cases share a control plane and a backup. `integration/stubs/data-kills` has all writes.
 *
 * @size enormous
 * @job kills
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { karmadaName } from '../harness/backup-objects.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { apply, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import {
  killsOf,
  startKilledOperator,
  startOperatorKilledAfterEachWrite,
  stopKilledOperator,
  verifyKill,
} from '../harness/killed-operator.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';

const namespace = 'restore-kills';
const where = ['-n', namespace];
/** Lower bound of the writes of a restore. Those of the status vary with the timing. */
const FEWEST_WRITES = 35;
/** Writes after which the operator is killed, spread over a restore. */
const writes = [3, 13, 23, 33];

describeCluster('restores whose operator is killed', () => {
  let cluster: Cluster;
  let scene: BackupScene;
  let plane: ControlPlane;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new BackupScene(cluster, namespace);
    await scene.clean();
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, scene.karmada(1), ...scene.store());
    await untilReady(cluster, karmadaName, namespace);
    plane = await openControlPlane(cluster, karmadaName, namespace);
    await plane.kubectl(['create', 'configmap', 'saved', '-n', 'default']);
    await apply(cluster, scene.backup('first'));
    expect((await scene.untilEnded('first')).status?.phase).toBe('Verified');
  }, 1_800_000);

  afterAll(async () => {
    await installOperator(cluster);
    await scene.clean();
  }, 480_000);

  const exists = async (name: string): Promise<boolean> =>
    (await plane.kubectl(['get', 'cm', name, '-n', 'default', '--ignore-not-found', '-o', 'name']))
      .length > 0;

  /** Restores the backup, and expects its data and nothing newer. */
  async function restore(title: string, deadlineMs?: number): Promise<void> {
    const newer = `newer-${title}`;
    await plane.kubectl(['create', 'configmap', newer, '-n', 'default']);
    await scene.restored(title, 'first', 'Complete', deadlineMs);
    await untilReady(cluster, karmadaName, namespace, deadlineMs);
    expect([await exists('saved'), await exists(newer)]).toEqual([true, false]);
  }

  /** Only the PVCs of the former cluster are kept. */
  async function deleteKept(): Promise<void> {
    const kept = ['-l', 'operator.karmada.io/etcd-kept'];
    const claims = await kubectl(cluster, ['get', 'pvc', ...where, ...kept, '-o', 'name']);
    expect(claims.trim().split('\n')).toHaveLength(1);
    await kubectl(cluster, ['delete', 'pvc', ...where, ...kept]);
  }

  /** @param write after which the operator is killed */
  async function restoreAndKill(write: number): Promise<void> {
    await startKilledOperator(cluster, write);
    try {
      await restore(`write-${String(write)}`);
      await verifyKill(cluster, write, FEWEST_WRITES);
    } finally {
      await stopKilledOperator(cluster);
    }
    await deleteKept();
  }

  const titleOf = (write: number): string =>
    `replace the data when the operator is killed after its write ${String(write)}`;

  it.each(drawn(writes, 1, titleOf).map((write) => [titleOf(write), write] as const))(
    '%s',
    (_, write) => restoreAndKill(write),
    600_000,
  );

  it('replace the data when the operator is killed after each of its writes', async () => {
    await startOperatorKilledAfterEachWrite(cluster);
    try {
      await restore('each-write', 900_000);
      expect(await killsOf(cluster)).toBeGreaterThanOrEqual(FEWEST_WRITES);
    } finally {
      await stopKilledOperator(cluster);
    }
    await deleteKept();
  }, 2_400_000);
});
