/**
 * Members of a running etcd are added, removed and replaced under a client that writes 20 keys per second and reads
 * each one back through the API server.
 *
 * @size enormous
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PAUSE_REPAIR } from '../../src/instance/pause.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { interrupt } from '../../tools/embedded-cluster/interrupt.ts';
import { quiet, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { EtcdScene, VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';

describeCluster('members of a running etcd', () => {
  let cluster: Cluster;
  let scene: EtcdScene;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new EtcdScene(cluster, 'etcd-members');
  }, 1_800_000);

  afterAll(() => scene.end(), 240_000);

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
        await scene.during('rolled', () => scene.restartAll({ 'example.com/mark': 'one' }));
      },
    ],
    [
      'are replaced after the grace period when the data of the middle one is corrupt',
      async () => {
        const replacementGracePeriod = '20s';
        await scene.install({ replicas: 3, volumeData: VOLUME_CLAIM, replacementGracePeriod });
        const before = await scene.claimOf(1);
        await scene.during('corrupt', async () => {
          await scene.damageData(1);
          await kubectl(cluster, [
            'delete',
            'pod',
            `${scene.set}-1`,
            ...scene.where,
            '--grace-period=1',
          ]);
          await scene.untilTold('etcd does not start with its data (walpb: crc mismatch)');
          expect(await scene.claimOf(1)).toBe(before);
          await scene.until('the PVC is another one', async () =>
            (await scene.claimOf(1)) === before ? undefined : true,
          );
          await scene.untilMembers(3);
        });
      },
    ],
    [
      'grow from one to three within 90 seconds with 100 MB of data',
      async () => {
        await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
        await scene.fill(100);
        const before = await scene.podOf(0);
        const began = Date.now();
        await scene.during('data', () => scene.change(3));
        const seconds = (Date.now() - began) / 1_000;
        process.stderr.write(`1 to 3 members with 100 MB of data: ${seconds.toFixed(1)} s\n`);
        expect(seconds).toBeLessThan(90);
        expect(await scene.podOf(0)).toBe(before);
      },
    ],
    [
      'grow after a pause of the control plane in the middle of the change',
      async () => {
        await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
        const before = await scene.podOf(0);
        await scene.during('suspended', async () => {
          await scene.configure({ replicas: 3 });
          await scene.untilPod(1);
          await scene.suspend(true);
          await quiet(20_000);
          expect((await scene.pods()).length).toBeLessThan(3);
          await scene.suspend(false);
          await scene.untilMembers(3);
        });
        expect(await scene.podOf(0)).toBe(before);
      },
    ],
    [
      'do not join while the repair of their Pod is paused',
      async () => {
        await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
        await scene.during('paused', async () => {
          const annotate = ['annotate', 'pod', `${scene.set}-1`, ...scene.where];
          await scene.configure({ replicas: 3 });
          await scene.untilPod(1);
          await kubectl(cluster, [...annotate, `${PAUSE_REPAIR}=true`]);
          await scene.untilTold(`${PAUSE_REPAIR}=true of ${scene.set}-1`);
          await kubectl(cluster, [...annotate, `${PAUSE_REPAIR}-`]);
          await scene.untilMembers(3);
        });
      },
    ],
    [
      'grow while the API server of the host cluster is unavailable for a minute',
      async () => {
        await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
        const before = await scene.podOf(0);
        await scene.during('away', async () => {
          await scene.configure({ replicas: 3 });
          await scene.untilPod(1);
          await interrupt(cluster, 'kube-apiserver', 60_000);
          await scene.until('the API server is ready', async (seen) => {
            const { code, stderr } = await tryKubectl(cluster, ['get', '--raw=/readyz']);
            seen(stderr);
            return code === 0 || undefined;
          });
          await scene.untilMembers(3);
        });
        expect(await scene.podOf(0)).toBe(before);
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

  it.each(drawn(scripts, 1, ([title]) => title))('%s', async (_, script) => script(), 900_000);
});
