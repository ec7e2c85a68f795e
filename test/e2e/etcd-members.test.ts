/**
 * Members of a running etcd are added, removed and replaced under a client that writes 20 keys per second and reads
 * each one back through the API server.
 */
import { afterAll, beforeAll, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import { kubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdChanges, volumeClaim } from '../harness/etcd-changes.ts';
import { installOperator } from '../harness/operator.ts';
import { startKilledOperator, stopKilledOperator } from '../harness/killed-operator.ts';
import { drawn } from '../harness/sample.ts';

const namespace = 'etcd-members';
const name = 'karmada';
const set = `${name}-etcd`;
const where = ['-n', namespace];
const DEADLINE_MS = 300_000;

const SUITE = 'e2e/etcd-members';
/** Writes after which the operator is killed. A change to three members and back has fewer. */
const writes = Array.from({ length: 40 }, (_, index) => index + 1);

describeCluster('members of a running etcd', () => {
  let cluster: Cluster;
  const { install, want, untilMembers, change, during, pods, end } = etcdChanges(
    () => cluster,
    namespace,
  );

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
  }, 1_800_000);

  afterAll(async () => {
    await end();
  }, 240_000);

  const scripts: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'grow from three to five and shrink to three',
      async () => {
        await install({ replicas: 3, volumeData: volumeClaim });
        await during('five', () => change(5));
        await during('three', () => change(3));
      },
    ],
    [
      'are replaced when the PVC of the middle one is deleted',
      async () => {
        await install({ replicas: 3, volumeData: volumeClaim });
        await during('lost', async () => {
          const claim = `etcd-data-${set}-1`;
          await kubectl(cluster, ['delete', 'pvc', claim, ...where, '--wait=false']);
          await kubectl(cluster, ['delete', 'pod', `${set}-1`, ...where, '--timeout=120s']);
          await untilMembers(3);
        });
      },
    ],
    [
      'keep the data in emptyDir volumes when their Pods are deleted one after the other',
      async () => {
        await install({ replicas: 3, volumeData: { emptyDir: {} } });
        await during('memory', async () => {
          for (const ordinal of [1, 2, 0]) {
            const pod = `${set}-${String(ordinal)}`;
            await kubectl(cluster, ['delete', 'pod', pod, ...where, '--timeout=120s']);
            await untilMembers(3);
          }
        });
      },
    ],
    [
      'keep the data in emptyDir volumes when all Pods are restarted for a change',
      async () => {
        await install({ replicas: 3, volumeData: { emptyDir: {} } });
        const before = (await pods()).map(({ metadata }) => metadata.uid);
        await during('rolled', async () => {
          const annotations = { 'example.com/mark': 'one' };
          const patch = JSON.stringify({
            spec: { components: { etcd: { local: { annotations } } } },
          });
          await kubectl(cluster, ['patch', 'karmada', name, ...where, '--type=merge', '-p', patch]);
          await poll(
            'all Pods are new',
            async (seen) => {
              const now = (await pods()).map(({ metadata }) => metadata.uid);
              seen(now.join());
              return now.every((uid) => !before.includes(uid)) || undefined;
            },
            { deadlineMs: DEADLINE_MS, intervalMs: 1_000 },
          );
          await untilMembers(3);
        });
      },
    ],
    [
      'stay when the desired number is even',
      async () => {
        await install({ replicas: 1, volumeData: volumeClaim });
        await want(2);
        await poll('the change is blocked', async (seen) => {
          const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
          const ready = status?.conditions?.find(({ type }) => type === 'Ready');
          seen(JSON.stringify(ready));
          return ready?.message?.includes('set an odd number') || undefined;
        });
        await change(1);
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
      await install({ replicas: 1, volumeData: volumeClaim });
      await startKilledOperator(cluster, write);
      try {
        await during('killed', async () => {
          await change(3);
          await change(1);
        });
      } finally {
        await stopKilledOperator(cluster);
        await installOperator(cluster);
      }
    },
    900_000,
  );
});
