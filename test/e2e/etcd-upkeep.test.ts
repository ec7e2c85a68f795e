/** Settings of a local etcd, maintenance of its databases, and growth of its PVCs. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../embedded-cluster/cluster.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { controlPlaneClientOf } from '../harness/client.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdPods } from '../harness/etcd-members.ts';
import { installOperator } from '../harness/operator.ts';

const namespace = 'etcd-upkeep';
const name = 'karmada';
const where = ['-n', namespace];
/** Smallest quota that the CRD accepts is 16 MiB; a new control plane uses about half of it. */
const QUOTA = 33_554_432;

const claim = (storage: string, more: object = {}): object => ({
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more },
  },
});

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

/** ConfigMap of about 700 KB that does not compress. */
const bulk = (called: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: called, namespace: 'default' },
  data: { bulk: randomBytes(350_000).toString('hex') },
});

describeCluster('maintenance of a local etcd', () => {
  let cluster: Cluster;
  let inside: KubernetesClient | undefined;

  const pods = (): Promise<readonly KubernetesObject[]> => etcdPods({ cluster, name, namespace });
  const uids = async (): Promise<readonly unknown[]> =>
    (await pods()).map(({ metadata }) => metadata.uid).sort();

  const condition = async (type: string): Promise<Condition | undefined> => {
    const found = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    return found.status?.conditions?.find((item) => item.type === type);
  };

  async function change(local: object): Promise<void> {
    const patch = JSON.stringify({ spec: { components: { etcd: { local } } } });
    await kubectl(cluster, ['patch', 'karmada', name, ...where, '--type=merge', '-p', patch]);
  }

  async function install(local: object): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await apply(cluster, karmada(local));
    await untilReady(cluster, name, namespace);
    await inside?.close();
    inside = await controlPlaneClientOf(cluster, name, namespace);
  }

  const untilHealth = (reason: string, deadlineMs: number): Promise<Condition> =>
    poll(
      `EtcdHealthy has the reason ${reason}`,
      async (seen) => {
        const health = await condition('EtcdHealthy');
        seen(JSON.stringify(health));
        return health?.reason === reason ? health : undefined;
      },
      { deadlineMs, intervalMs: 200 },
    );

  const eventReasons = async (): Promise<readonly string[]> => {
    const args = ['get', 'events.events.k8s.io', ...where, '-o', 'jsonpath={.items[*].reason}'];
    return (await kubectl(cluster, args)).split(' ');
  };

  /** Writes until etcd rejects writes. @param write makes one write @returns time of the rejection */
  async function fill(
    write: (client: KubernetesClient, count: number) => Promise<unknown>,
  ): Promise<number> {
    if (inside === undefined) throw new Error('no client of the control plane');
    for (let count = 0; count < 400; count += 1) {
      try {
        await write(inside, count);
      } catch (error) {
        if (String(error).includes('database space exceeded')) return Date.now();
        throw error;
      }
    }
    throw new Error('etcd accepts 400 writes of 700 KB');
  }

  const fillWithHistory = (): Promise<number> =>
    fill(async (client, count) => {
      if (count === 0) return client.create(bulk('history'));
      return client.patch(client.typeOf(bulk('history')), bulk('history').metadata, {
        data: bulk('history')['data'],
      });
    });

  /** Waits until the control plane accepts writes again, and all is Ready. */
  async function untilWritable(): Promise<void> {
    await untilHealth('Quorum', 120_000);
    await inside?.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'after-', namespace: 'default' } as never,
    });
    await untilReady(cluster, name, namespace);
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

  it('frees the space of a database that is full of history, and disarms the alarm', async () => {
    await install({
      ...{ replicas: 1, volumeData: claim('1Gi') },
      ...{ quotaBackendBytes: QUOTA, autoDefragmentation: false },
    });
    const before = await uids();
    const fullAt = await fillWithHistory();
    await untilHealth('EtcdNoSpace', 60_000);
    const namedAfterMs = Date.now() - fullAt;
    // The operator probes the members every 15 seconds.
    expect(namedAfterMs).toBeLessThan(17_000);
    await change({ autoDefragmentation: true });
    await untilWritable();
    const reasons = await eventReasons();
    expect(reasons).toEqual(
      expect.arrayContaining(['EtcdCompacted', 'EtcdDefragmented', 'EtcdAlarmDisarmed']),
    );
    expect(await uids()).toEqual(before);
  }, 900_000);
});
