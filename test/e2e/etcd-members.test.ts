/**
 * Members of a running etcd are added, removed and replaced under a client that writes 20 keys per second and reads
 * each one back through the API server.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { EtcdScene, VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { startKilledOperator, stopKilledOperator } from '../harness/killed-operator.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';

const DEADLINE_MS = 300_000;

const SUITE = 'e2e/etcd-members';
/** Writes after which the operator is killed. A change to three members and back has fewer. */
const writes = Array.from({ length: 40 }, (_, index) => index + 1);

describeCluster('members of a running etcd', () => {
  let cluster: Cluster;
  let scene: EtcdScene;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new EtcdScene(cluster, 'etcd-members');
  }, 1_800_000);

  afterAll(() => scene.end(), 240_000);

  it('grow from one to three and shrink to one without a restart of the first one', async () => {
    await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
    const before = await scene.podOf(0);
    await scene.during('grow', () => scene.change(3));
    await scene.during('shrink', () => scene.change(1));
    expect(await scene.podOf(0)).toBe(before);
  }, 900_000);

  const scripts: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'grow from three to five and shrink to three',
      async () => {
        await scene.install({ replicas: 3, volumeData: VOLUME_CLAIM });
        await scene.during('five', () => scene.change(5));
        await scene.during('three', () => scene.change(3));
      },
    ],
    [
      'are replaced when the PVC of the middle one is deleted',
      async () => {
        await scene.install({ replicas: 3, volumeData: VOLUME_CLAIM });
        await scene.during('lost', async () => {
          const claim = `etcd-data-${scene.set}-1`;
          await kubectl(cluster, ['delete', 'pvc', claim, ...scene.where, '--wait=false']);
          await kubectl(cluster, [
            'delete',
            'pod',
            `${scene.set}-1`,
            ...scene.where,
            '--timeout=120s',
          ]);
          await scene.untilMembers(3);
        });
      },
    ],
    [
      'keep the data in emptyDir volumes when their Pods are deleted one after the other',
      async () => {
        await scene.install({ replicas: 3, volumeData: { emptyDir: {} } });
        await scene.during('memory', async () => {
          for (const ordinal of [1, 2, 0]) {
            const pod = `${scene.set}-${String(ordinal)}`;
            await kubectl(cluster, ['delete', 'pod', pod, ...scene.where, '--timeout=120s']);
            await scene.untilMembers(3);
          }
        });
      },
    ],
    [
      'keep the data in emptyDir volumes when all Pods are restarted for a change',
      async () => {
        await scene.install({ replicas: 3, volumeData: { emptyDir: {} } });
        const before = (await scene.pods()).map(({ metadata }) => metadata.uid);
        await scene.during('rolled', async () => {
          const annotations = { 'example.com/mark': 'one' };
          await scene.configure({ annotations });
          await poll(
            'all Pods are new',
            async (seen) => {
              const now = (await scene.pods()).map(({ metadata }) => metadata.uid);
              seen(now.join());
              return now.every((uid) => !before.includes(uid)) || undefined;
            },
            { deadlineMs: DEADLINE_MS, intervalMs: 1_000 },
          );
          await scene.untilMembers(3);
        });
      },
    ],
    [
      'stay when the desired number is even',
      async () => {
        await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
        await scene.configure({ replicas: 2 });
        await scene.untilTold('set an odd number');
        await scene.change(1);
      },
    ],
  ];

  it.each(drawn(SUITE, scripts, 1, ([title]) => title))(
    '%s',
    async (_, script) => script(),
    900_000,
  );

  const titleOf = (write: number): string =>
    `change from one to three and back when the operator is killed after its write ${String(write)}`;

  it.each(drawn(SUITE, writes, 1, titleOf).map((write) => [titleOf(write), write] as const))(
    '%s',
    async (_, write) => {
      await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
      await startKilledOperator(cluster, write);
      try {
        await scene.during('killed', async () => {
          await scene.change(3);
          await scene.change(1);
        });
      } finally {
        await stopKilledOperator(cluster);
        await installOperator(cluster);
      }
    },
    900_000,
  );
});
