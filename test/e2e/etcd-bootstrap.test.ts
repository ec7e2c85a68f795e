/**
 * etcd data outlives its Karmada, its StatefulSet and their labels. For any number of etcd members in a later spec, the
 * operator starts one etcd cluster with all keys, or none.
 *
 * @size enormous
 * @sample medium
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import {
  etcdAnswers,
  etcdPods,
  type InstanceAt,
  type MemberAnswer,
} from '../harness/etcd-members.ts';
import { watchKeptKeys } from '../harness/kept-keys.ts';
import { installOperator } from '../harness/operator.ts';
import { drawn } from '../harness/sample.ts';

const namespace = 'etcd-bootstrap';
const name = 'karmada';
const set = `${name}-etcd`;
const where = ['-n', namespace];
const KEYS = 20;
const DEADLINE = { deadlineMs: 180_000, intervalMs: 500 };

const volumeClaim = {
  volumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
};

function karmada(replicas: number, volumeData: object = volumeClaim, more: object = {}): object {
  const components = {
    etcd: { local: { replicas, volumeData, ...more } },
    karmadaMetricsAdapter: { enabled: false },
  };
  const metadata = { name, namespace };
  return {
    apiVersion: 'operator.karmada.io/v1alpha1',
    kind: 'Karmada',
    metadata,
    spec: { components },
  };
}

const reasonsOf = ({ status }: Karmada): readonly string[] =>
  (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);

describeCluster('etcd cluster creation', () => {
  let cluster: Cluster;
  /** ID of the etcd cluster that contains the keys. */
  let clusterID: string;

  const current = (): Promise<Karmada> => getObject<Karmada>(cluster, 'karmada', name, namespace);

  const at = (): InstanceAt => ({ cluster, name, namespace });
  const members = (): Promise<readonly KubernetesObject[]> => etcdPods(at());

  /** Returns cluster ID and number of keys from each etcd member that has a quorum. */
  const answers = (): Promise<readonly MemberAnswer[]> =>
    etcdAnswers(at(), '/registry/configmaps/default/key-');

  /** Waits until this number of etcd members of the original cluster respond with all keys. */
  async function expectKeys(count: number): Promise<void> {
    await poll(
      `${String(count)} etcd members have all keys`,
      async (seen) => {
        const found = await answers();
        seen(JSON.stringify(found));
        expect(new Set(found.map((answer) => answer.clusterID)).size).toBeLessThan(2);
        const whole = found.filter((item) => item.clusterID === clusterID && item.count === KEYS);
        return whole.length === count ? true : undefined;
      },
      DEADLINE,
    );
  }

  /** Waits until the API server of the control plane lists its ConfigMaps. @returns `configmap/<name>` */
  const configMapsInside = (): Promise<readonly string[]> =>
    poll(
      'the control plane responds',
      async (seen) => {
        try {
          const plane = await openControlPlane(cluster, name, namespace);
          // One call: without etcd, the API server may answer once more, and exit after that.
          const list = ['get', 'configmaps', '-n', 'default', '-o', 'name'];
          const { code, stdout, stderr } = await plane.tryKubectl(list);
          seen(stderr);
          return code === 0 ? stdout.split('\n') : undefined;
        } catch (error) {
          seen(String(error));
          return undefined;
        }
      },
      DEADLINE,
    );

  async function expectKeysInside(): Promise<void> {
    const names = await configMapsInside();
    expect(names.filter((line) => line.includes('/key-'))).toHaveLength(KEYS);
  }

  const untilReason = (reason: string): Promise<Karmada> =>
    poll(
      `a condition has the reason ${reason}`,
      async (seen) => {
        const found = await current();
        seen(JSON.stringify(found.status?.conditions));
        return reasonsOf(found).some((text) => text.endsWith(` ${reason}`)) ? found : undefined;
      },
      DEADLINE,
    );

  async function install(replicas: number, volumeData: object = volumeClaim): Promise<void> {
    await apply(cluster, karmada(replicas, volumeData));
    await untilReady(cluster, name, namespace);
    const plane = await openControlPlane(cluster, name, namespace);
    const keys = Array.from({ length: KEYS }, (_, n) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `key-${String(n)}`, namespace: 'default' },
    }));
    const list = { apiVersion: 'v1', kind: 'List', items: keys };
    await plane.kubectl(['apply', '-f', '-'], JSON.stringify(list));
    const found = await answers();
    clusterID = found[0]?.clusterID ?? '';
    await expectKeys(replicas);
  }

  /** Waits until annotations of the PVCs record the etcd cluster of their data. */
  const untilStamped = (count: number): Promise<unknown> =>
    poll('the PVCs record their etcd cluster', async (seen) => {
      const stamps = (await claims()).map(({ metadata }) => metadata.annotations?.[STAMP] ?? '');
      seen(stamps.join());
      return stamps.filter((stamp) => stamp.includes(clusterID)).length === count || undefined;
    });

  /** Waits until the etcd record contains the cluster ID. */
  const untilRecorded = (): Promise<unknown> =>
    poll('the etcd record contains the cluster ID', async (seen) => {
      const { metadata } = await getObject<KubernetesObject>(
        ...([cluster, 'secret', `${name}-ca-backup`, namespace] as const),
      );
      const record = metadata.annotations?.['operator.karmada.io/etcd-record'] ?? '';
      seen(record);
      return record.includes(clusterID) || undefined;
    });

  const STAMP = 'operator.karmada.io/etcd-member';

  const claims = async (): Promise<readonly KubernetesObject[]> => {
    const text = await kubectl(cluster, ['get', 'pvc', ...where, '-o', 'json']);
    return (JSON.parse(text) as { items: KubernetesObject[] }).items;
  };

  const remove = (): Promise<string> =>
    kubectl(cluster, ['delete', 'karmada', name, ...where, '--timeout=120s']);

  const patch = (what: string, change: object): Promise<string> =>
    kubectl(cluster, ['patch', what, ...where, '--type=merge', '-p', JSON.stringify(change)]);

  const replicas = (count: number): Promise<string> =>
    patch(`karmada/${name}`, { spec: { components: { etcd: { local: { replicas: count } } } } });

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
  }, 1_800_000);

  afterAll(async () => {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  }, 240_000);

  async function freshNamespace(): Promise<void> {
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=120s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }

  async function startsEmptyOnce(): Promise<void> {
    const { status } = await untilReason('DataLost');
    expect(JSON.stringify(status?.conditions)).toContain(`etcd-start-empty=${clusterID}`);
    expect(await answers()).toEqual([]);
    const annotations = { 'operator.karmada.io/etcd-start-empty': clusterID };
    await patch(`karmada/${name}`, { metadata: { annotations } });
    const found = await poll('a new etcd responds', async (seen) => {
      const [answer] = await answers();
      seen(JSON.stringify(answer));
      return answer;
    });
    expect(found.clusterID).not.toBe(clusterID);
  }

  /** Wraps a script that must not lose a key. Meanwhile clients write, and read all keys at each Ready. */
  const keeping = (script: () => Promise<void>) => async (): Promise<void> => {
    const keys = watchKeptKeys(cluster, { name, namespace });
    await script().catch(async (error: unknown) => {
      await keys.end();
      throw error;
    });
    await expectKeysInside();
    const { acknowledged, untrue } = await keys.end();
    expect(untrue).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(await configMapsInside()).toEqual(
      expect.arrayContaining(acknowledged.map((key) => `configmap/${key}`)),
    );
  };

  const scripts: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'starts the one etcd member with a retained PVC and adds two when the spec requests three',
      keeping(async () => {
        await install(1);
        await remove();
        await apply(cluster, karmada(3));
        await expectKeysInside();
        await expectKeys(3);
        await untilReady(cluster, name, namespace);
      }),
    ],
    [
      'starts the three etcd members with retained PVCs and removes two when the spec requests one',
      keeping(async () => {
        await install(3);
        await remove();
        await apply(cluster, karmada(1));
        await expectKeysInside();
        await poll('one member is left', async (seen) => {
          const found = await answers();
          seen(JSON.stringify(found));
          return (found.length === 1 && found[0]?.clusterID === clusterID) || undefined;
        });
        await untilReady(cluster, name, namespace);
        await expectKeys(1);
        expect(await members()).toHaveLength(1);
      }),
    ],
    [
      'replaces one of three etcd members when its PVC is lost',
      keeping(async () => {
        await install(3);
        await remove();
        await kubectl(cluster, ['delete', 'pvc', `etcd-data-${set}-1`, ...where, '--timeout=60s']);
        await apply(cluster, karmada(3));
        await expectKeysInside();
        await expectKeys(3);
        await untilReady(cluster, name, namespace);
      }),
    ],
    [
      'recreates a deleted StatefulSet unchanged while a change of the number of members is blocked',
      keeping(async () => {
        await install(1);
        await replicas(2);
        await untilReason('ChangeBlocked');
        await kubectl(cluster, ['delete', 'statefulset', set, ...where, '--timeout=60s']);
        await expectKeysInside();
        await expectKeys(1);
        expect(await members()).toHaveLength(1);
        await replicas(1);
        await untilReady(cluster, name, namespace);
      }),
    ],
    [
      'keeps ownership of a StatefulSet when its label is overwritten',
      keeping(async () => {
        await install(1);
        const [before] = await members();
        await replicas(2);
        await untilReason('ChangeBlocked');
        const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
        await patch(`statefulset/${set}`, { metadata: { labels } });
        await poll('the label is restored', async (seen) => {
          const { metadata } = await getObject<KubernetesObject>(
            ...([cluster, 'statefulset', set, namespace] as const),
          );
          seen(JSON.stringify(metadata.labels));
          return metadata.labels?.['app.kubernetes.io/managed-by'] !== 'Helm' || undefined;
        });
        await expectKeys(1);
        expect((await members()).map(({ metadata }) => metadata.uid)).toEqual([
          before?.metadata.uid,
        ]);
      }),
    ],
    [
      'neither uses nor changes a PVC with data of another CA',
      keeping(async () => {
        await install(1);
        await untilStamped(1);
        await remove();
        const [claim] = await claims();
        const stamp = claim?.metadata.annotations?.[STAMP] ?? '{}';
        const foreign = JSON.stringify({ ...(JSON.parse(stamp) as object), ca: 'other' });
        const annotate = (value: string): Promise<string> =>
          patch(`pvc/etcd-data-${set}-0`, { metadata: { annotations: { [STAMP]: value } } });
        await annotate(foreign);
        await apply(cluster, karmada(1));
        await untilReason('EtcdClaimForeign');
        expect(await members()).toEqual([]);
        const [kept] = await claims();
        expect(kept?.metadata.uid).toBe(claim?.metadata.uid);
        await annotate(stamp);
        await untilReady(cluster, name, namespace);
        await expectKeysInside();
        await expectKeys(1);
      }),
    ],
    [
      'replaces the etcd member when one of three emptyDir Pods is recreated',
      keeping(async () => {
        await install(3, { emptyDir: {} });
        await kubectl(cluster, ['delete', 'pod', `${set}-1`, ...where, '--timeout=120s']);
        await expectKeys(3);
        await expectKeysInside();
        await untilReady(cluster, name, namespace);
      }),
    ],
    [
      'reports lost data when the StatefulSet is deleted, and starts empty once the user gives up this etcd cluster',
      async () => {
        await install(1, { emptyDir: {} });
        await untilRecorded();
        await kubectl(cluster, ['delete', 'statefulset', set, ...where, '--timeout=60s']);
        await startsEmptyOnce();
      },
    ],
    [
      'reports lost data when the Pod is deleted, and starts empty once the user gives up this etcd cluster',
      async () => {
        await install(1, { emptyDir: {} });
        await untilRecorded();
        await kubectl(cluster, ['delete', 'pod', `${set}-0`, ...where, '--timeout=120s']);
        await startsEmptyOnce();
      },
    ],
    ...[1, 3].map((count): (typeof scripts)[number] => [
      `applies a correction of ${String(count)} emptyDir members that end with an error from their first start on`,
      async () => {
        const wrong = karmada(count, { emptyDir: {} }, { extraArgs: { 'no-such-flag': 'x' } });
        await apply(cluster, wrong);
        await untilReason('FlagRejected');
        const local = { extraArgs: { 'no-such-flag': null } };
        await patch(`karmada/${name}`, { spec: { components: { etcd: { local } } } });
        await untilReady(cluster, name, namespace);
      },
    ]),
  ];

  it.each(drawn(scripts, 2, ([title]) => title))(
    '%s',
    async (_, script) => {
      await freshNamespace();
      await script();
    },
    900_000,
  );
});
