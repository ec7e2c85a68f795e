/**
 * Members of a running etcd are added, removed and replaced under a client that writes 20 keys per second and reads
 * each one back through the API server.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { controlPlaneClientOf } from '../harness/client.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdAnswers, etcdPods } from '../harness/etcd-members.ts';
import { writing, type Written } from '../harness/etcd-writer.ts';
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

const volumeClaim = {
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
};

const karmada = (local: object): object => ({
  apiVersion: 'operator.karmada.io/v1alpha1',
  kind: 'Karmada',
  metadata: { name, namespace },
  spec: {
    components: {
      etcd: { local },
      // The test connects from outside the host cluster with the unchanged kubeconfig.
      karmadaAPIServer: { serviceType: 'NodePort' },
      karmadaMetricsAdapter: { enabled: false },
    },
  },
});

describeCluster('members of a running etcd', () => {
  let cluster: Cluster;
  let inside: KubernetesClient | undefined;
  /** ID of the etcd cluster of the present Karmada. */
  let clusterID: string | undefined;

  const at = { name, namespace };
  const answers = (): ReturnType<typeof etcdAnswers> =>
    etcdAnswers({ cluster, ...at }, '/registry/configmaps/default/');
  const pods = (): Promise<readonly KubernetesObject[]> => etcdPods({ cluster, ...at });

  async function install(local: object): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada(local));
    await untilReady(cluster, name, namespace);
    await inside?.close();
    inside = await controlPlaneClientOf(cluster, name, namespace);
    clusterID = (await answers())[0]?.clusterID;
  }

  async function want(replicas: number): Promise<void> {
    const patch = JSON.stringify({ spec: { components: { etcd: { local: { replicas } } } } });
    await kubectl(cluster, ['patch', 'karmada', name, ...where, '--type=merge', '-p', patch]);
  }

  /** Waits until this number of members of the original cluster respond, and Ready is True. */
  async function untilMembers(count: number): Promise<void> {
    await poll(
      `${String(count)} etcd members`,
      async (seen) => {
        const [{ status }, found] = [
          await getObject<Karmada>(cluster, 'karmada', name, namespace),
          await answers(),
        ];
        const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
        seen(`${String(status?.etcd)} ${JSON.stringify(found)} ${String(progress?.message)}`);
        const own = found.filter((answer) => answer.clusterID === clusterID);
        expect(own).toHaveLength(found.length);
        return (
          (own.length === count && status?.etcd === `${String(count)}/${String(count)}`) ||
          undefined
        );
      },
      { deadlineMs: DEADLINE_MS, intervalMs: 1_000 },
    );
    await untilReady(cluster, name, namespace);
    expect(await pods()).toHaveLength(count);
  }

  async function change(count: number): Promise<void> {
    await want(count);
    await untilMembers(count);
  }

  async function during(prefix: string, work: () => Promise<unknown>): Promise<Written> {
    if (inside === undefined) throw new Error('no client of the control plane');
    const written = await writing(inside, prefix, work);
    expect(written.lost).toEqual([]);
    expect(written.failures).toEqual([]);
    expect(written.longestGapMs).toBeLessThan(5_000);
    expect(written.acknowledged.length).toBeGreaterThan(20);
    return written;
  }

  /** UID and restart count of the first member. */
  async function firstMember(): Promise<string> {
    const pod = (await pods()).find(({ metadata }) => metadata.name === `${set}-0`);
    const { containerStatuses = [] } = (pod?.['status'] ?? {}) as {
      containerStatuses?: readonly { restartCount: number }[];
    };
    return `${String(pod?.metadata.uid)} ${String(containerStatuses[0]?.restartCount)}`;
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
  }, 1_800_000);

  afterAll(async () => {
    await inside?.close();
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  it('grow from one to three and shrink to one without a restart of the first one', async () => {
    await install({ replicas: 1, volumeData: volumeClaim });
    const before = await firstMember();
    await during('grow', () => change(3));
    await during('shrink', () => change(1));
    expect(await firstMember()).toBe(before);
  }, 900_000);

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
