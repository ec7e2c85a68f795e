/** Settings of a local etcd, maintenance of its databases, and growth of its PVCs. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
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

  const untilMessage = (type: string, pattern: RegExp): Promise<true> =>
    poll(
      `${type} matches ${String(pattern)}`,
      async (seen) => {
        const found = await condition(type);
        seen(JSON.stringify(found));
        return pattern.test(found?.message ?? '') || undefined;
      },
      { deadlineMs: 120_000, intervalMs: 200 },
    );

  const restarts = async (): Promise<readonly unknown[]> =>
    (await pods()).map((pod) => {
      const { containerStatuses = [] } = (pod['status'] ?? {}) as {
        containerStatuses?: readonly { restartCount: number }[];
      };
      return containerStatuses[0]?.restartCount;
    });

  const ofClaims = async (jsonpath: string): Promise<readonly string[]> => {
    const args = ['get', 'pvc', ...where, '-o', `jsonpath={.items[*]${jsonpath}}`];
    return (await kubectl(cluster, args)).split(' ');
  };
  const claimNames = (): Promise<readonly string[]> => ofClaims('.metadata.name');
  const requests = (): Promise<readonly string[]> => ofClaims('.spec.resources.requests.storage');

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
    await tryKubectl(cluster, ['delete', 'storageclass', 'expandable']);
  }, 240_000);

  it('frees the space of a database that is full of history, and disarms the alarm', async () => {
    await install({
      replicas: 1,
      volumeData: claim('1Gi'),
      quotaBackendBytes: QUOTA,
      autoDefragmentation: false,
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

  it('disarms the alarm of a database that is full of objects when the quota is raised', async () => {
    const volumeData = claim('1Gi');
    await install({ replicas: 3, volumeData, quotaBackendBytes: QUOTA });
    await fill((client, count) => client.create(bulk(`object-${String(count)}`)));
    await untilHealth('EtcdNoSpace', 60_000);
    await change({ quotaBackendBytes: 2 * QUOTA, logLevel: 'warn' });
    await untilWritable();
    expect(await eventReasons()).toContain('EtcdAlarmDisarmed');
    const flags = (await pods()).map((pod) => {
      const { containers = [] } = (pod['spec'] ?? {}) as { containers?: { command: string[] }[] };
      return containers[0]?.command.filter((flag) => /^--(quota|log-level)/.test(flag));
    });
    const expected = ['--log-level=warn', `--quota-backend-bytes=${String(2 * QUOTA)}`];
    expect(flags).toEqual([expected, expected, expected]);
  }, 900_000);

  it('expands the PVCs without a restart of a member', async () => {
    const storageClassName = 'expandable';
    const storageClass = (allowVolumeExpansion: boolean): object => ({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: storageClassName },
      provisioner: 'embedded.cluster/local-path',
      volumeBindingMode: 'WaitForFirstConsumer',
      reclaimPolicy: 'Delete',
      allowVolumeExpansion,
    });
    await apply(cluster, storageClass(false));
    const sized = (storage: string): object => ({
      volumeData: claim(storage, { storageClassName }),
    });
    await install({ replicas: 3, ...sized('1Gi') });
    const before = [await uids(), await restarts()];
    const statefulSet = async (): Promise<KubernetesObject> =>
      getObject<KubernetesObject>(cluster, 'statefulset', `${name}-etcd`, namespace);
    const { uid } = (await statefulSet()).metadata;

    await change(sized('2Gi'));
    await untilMessage('Stalled', /StorageClass expandable has no allowVolumeExpansion/);
    expect(await requests()).toEqual(['1Gi', '1Gi', '1Gi']);

    await apply(cluster, storageClass(true));
    await untilMessage('Warning', /etcd-data-karmada-etcd-2 \(1Gi of 2Gi/);
    expect(await requests()).toEqual(['2Gi', '2Gi', '2Gi']);
    await untilReady(cluster, name, namespace);
    const recreated = await statefulSet();
    expect(recreated.metadata.uid).not.toBe(uid);
    expect(recreated).toMatchObject({
      spec: {
        replicas: 3,
        volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }],
      },
    });
    expect([await uids(), await restarts()]).toEqual(before);
    const owners = (await pods()).map(({ metadata }) => metadata.ownerReferences?.[0]?.uid);
    expect(new Set(owners)).toEqual(new Set([recreated.metadata.uid]));

    // The provisioner of the embedded cluster does not resize volumes, so the test does what a CSI resizer would.
    for (const called of await claimNames()) {
      const status = JSON.stringify({ status: { capacity: { storage: '2Gi' } } });
      const patch = [
        'patch',
        'pvc',
        called,
        ...where,
        '--subresource=status',
        '--type=merge',
        '-p',
      ];
      await kubectl(cluster, [...patch, status]);
    }
    await poll('no PVC is reported as too small', async (seen) => {
      const warning = await condition('Warning');
      seen(JSON.stringify(warning));
      return !(warning?.message ?? '').includes('2Gi') || undefined;
    });

    await change(sized('1Gi'));
    await untilMessage('Stalled', /cannot shrink a PVC from 2Gi to 1Gi; set it back to 2Gi/);
    await change(sized('2Gi'));
    await untilReady(cluster, name, namespace);
    expect([await uids(), await restarts()]).toEqual(before);
  }, 900_000);
});
