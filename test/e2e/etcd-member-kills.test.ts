/**
 * The operator is killed after each of its writes while an etcd grows to three members and shrinks to one again, under
 * a client that writes 20 keys per second. All cases share a control plane.
 *
 * @size enormous
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Cluster } from '../embedded-cluster/cluster.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { EtcdScene, VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import {
  startKilledOperator,
  stopKilledOperator,
  verifyKill,
  writesOf,
} from '../harness/killed-operator.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';

/** Number of cases. The two changes have 35 to 46 writes, since those of the status vary with the timing. */
const WRITES = 46;
/** Lower bound of the writes of two changes, with a margin. The log of a restarted operator has fewer. */
const FEWEST_WRITES = 32;
const writes = Array.from({ length: WRITES }, (_, index) => index + 1);

describeCluster('members of an etcd whose operator is killed', () => {
  let cluster: Cluster;
  let scene: EtcdScene;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new EtcdScene(cluster, 'etcd-member-kills');
    await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
  }, 1_800_000);

  afterAll(async () => {
    await installOperator(cluster);
    await scene.end();
  }, 240_000);

  /** Changes the number of members to three and back to one. @param write after which the operator is killed */
  async function growAndShrink(write: number, after: () => Promise<void>): Promise<void> {
    await startKilledOperator(cluster, write);
    try {
      await scene.during(`killed-${Number.isFinite(write) ? String(write) : 'never'}`, async () => {
        await scene.change(3);
        await scene.change(1);
      });
      await after();
    } finally {
      await stopKilledOperator(cluster);
    }
    await scene.verify();
  }

  const titleOf = (write: number): string =>
    `grow to three and shrink to one when the operator is killed after its write ${String(write)}`;

  it.each(drawn(writes, 1, titleOf).map((write) => [titleOf(write), write] as const))(
    '%s',
    (_, write) => growAndShrink(write, () => verifyKill(cluster, write, FEWEST_WRITES)),
    600_000,
  );

  it('have about as many writes as there are cases', async () => {
    await growAndShrink(Infinity, async () => {
      const found = await writesOf(cluster);
      process.stderr.write(`${found.join('\n')}\n`);
      expect(found.length).toBeGreaterThanOrEqual(FEWEST_WRITES);
      expect(found.length).toBeLessThanOrEqual(WRITES);
    });
  }, 600_000);
});
