/**
 * Data of etcd outlives its Karmada, its StatefulSet and their labels. Whatever the number of members that a Karmada asks
 * for then, there is one cluster with all the keys, or none.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { KubernetesObject } from '../../src/kubernetes/object.ts';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { poll } from '../cluster/poll.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
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

const namespace = 'etcd-birth';
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

function karmada(replicas: number, volumeData: object = volumeClaim): object {
  const components = {
    etcd: { local: { replicas, volumeData } },
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

describeCluster('the birth of an etcd', () => {
  let cluster: Cluster;
  /** The cluster that the keys were written to. */
  let clusterID: string;

  const current = (): Promise<Karmada> => getObject<Karmada>(cluster, 'karmada', name, namespace);

  const at = (): InstanceAt => ({ cluster, name, namespace });
  const members = (): Promise<readonly KubernetesObject[]> => etcdPods(at());

  /** What each member that answers with a quorum says: its cluster, and how many of the keys it has. */
  const answers = (): Promise<readonly MemberAnswer[]> =>
    etcdAnswers(at(), '/registry/configmaps/default/key-');

  /** Waits until so many members answer, all of the cluster with the keys, and with all of them. */
  async function expectKeys(count: number): Promise<void> {
    await poll(
      `${String(count)} members have all keys`,
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

  async function expectKeysInside(): Promise<void> {
    const plane = await untilServes();
    const names = await plane.kubectl(['get', 'configmaps', '-n', 'default', '-o', 'name']);
    expect(names.split('\n').filter((line) => line.includes('/key-'))).toHaveLength(KEYS);
  }

  /** The API of the control plane, once it answers. */
  const untilServes = (): Promise<ControlPlane> =>
    poll(
      'the control plane answers',
      async (seen) => {
        try {
          const plane = await openControlPlane(cluster, name, namespace);
          const { code, stderr } = await plane.tryKubectl(['get', 'namespaces']);
          seen(stderr);
          return code === 0 ? plane : undefined;
        } catch (error) {
          seen(String(error));
          return undefined;
        }
      },
      DEADLINE,
    );

  const untilReason = (reason: string): Promise<Karmada> =>
    poll(
      `the Karmada says ${reason}`,
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

  /** Until it is noted whose data the claims hold. */
  const untilStamped = (count: number): Promise<unknown> =>
    poll('the claims say whose data they hold', async (seen) => {
      const stamps = (await claims()).map(({ metadata }) => metadata.annotations?.[STAMP] ?? '');
      seen(stamps.join());
      return stamps.filter((stamp) => stamp.includes(clusterID)).length === count || undefined;
    });

  /** Until the record names the cluster. */
  const untilRecorded = (): Promise<unknown> =>
    poll('the record names the cluster', async (seen) => {
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

  async function startsAnewOnce(): Promise<void> {
    const { status } = await untilReason('DataLost');
    expect(JSON.stringify(status?.conditions)).toContain(`etcd-start-empty=${clusterID}`);
    expect(await answers()).toEqual([]);
    const annotations = { 'operator.karmada.io/etcd-start-empty': clusterID };
    await patch(`karmada/${name}`, { metadata: { annotations } });
    const found = await poll('a new etcd answers', async (seen) => {
      const [answer] = await answers();
      seen(JSON.stringify(answer));
      return answer;
    });
    expect(found.clusterID).not.toBe(clusterID);
  }

  /** A script that no key may be lost in: while it runs clients write, and read everything back at each Ready. */
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
    const plane = await untilServes();
    const names = await plane.kubectl(['get', 'configmaps', '-n', 'default', '-o', 'name']);
    expect(names.split('\n')).toEqual(
      expect.arrayContaining(acknowledged.map((key) => `configmap/${key}`)),
    );
  };

  const scripts: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'starts the one member whose claim was kept when three are asked for',
      keeping(async () => {
        await install(1);
        await remove();
        await apply(cluster, karmada(3));
        const { status } = await untilReason('Held');
        expect(JSON.stringify(status?.conditions)).toContain('set it back to 1');
        await expectKeysInside();
        await expectKeys(1);
        expect(await members()).toHaveLength(1);
        await replicas(1);
        await untilReady(cluster, name, namespace);
        await expectKeys(1);
      }),
    ],
    [
      'starts the three members whose claims were kept when one is asked for',
      keeping(async () => {
        await install(3);
        await remove();
        await apply(cluster, karmada(1));
        await untilReason('Held');
        await expectKeysInside();
        await expectKeys(3);
        await replicas(3);
        await untilReady(cluster, name, namespace);
      }),
    ],
    [
      'goes on with two of three members when a claim was lost',
      keeping(async () => {
        await install(3);
        await remove();
        await kubectl(cluster, ['delete', 'pvc', `etcd-data-${set}-1`, ...where, '--timeout=60s']);
        await apply(cluster, karmada(3));
        await expectKeysInside();
        await expectKeys(2);
      }),
    ],
    [
      'makes a deleted StatefulSet again as it was while another number of members is asked for',
      keeping(async () => {
        await install(1);
        await replicas(3);
        await untilReason('Held');
        await kubectl(cluster, ['delete', 'statefulset', set, ...where, '--timeout=60s']);
        await expectKeysInside();
        await expectKeys(1);
        expect(await members()).toHaveLength(1);
        await replicas(1);
        await untilReady(cluster, name, namespace);
      }),
    ],
    [
      'takes a StatefulSet for its own whose label was overwritten',
      keeping(async () => {
        await install(1);
        const [before] = await members();
        await replicas(3);
        await untilReason('Held');
        const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
        await patch(`statefulset/${set}`, { metadata: { labels } });
        await poll('the label is put right', async (seen) => {
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
      'does not start a claim of another CA, and leaves it as it is',
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
      'lets no pod without data vote when one of three on emptyDir is made anew',
      keeping(async () => {
        await install(3, { emptyDir: {} });
        await kubectl(cluster, ['delete', 'pod', `${set}-1`, ...where, '--timeout=120s']);
        await poll('the new pod does not start', async (seen) => {
          const pod = (await members()).find(({ metadata }) => metadata.name === `${set}-1`);
          const { containerStatuses = [] } = (pod?.['status'] ?? {}) as {
            containerStatuses?: readonly { restartCount: number }[];
          };
          seen(JSON.stringify(containerStatuses));
          return (containerStatuses[0]?.restartCount ?? 0) > 0 || undefined;
        });
        await expectKeys(2);
        await expectKeysInside();
      }),
    ],
    [
      'names data that is lost, and starts anew once when that very cluster is given up',
      async () => {
        await install(1, { emptyDir: {} });
        await untilRecorded();
        await kubectl(cluster, ['delete', 'statefulset', set, ...where, '--timeout=60s']);
        await startsAnewOnce();
      },
    ],
    [
      'names data that is lost with its pod, and starts anew when that very cluster is given up',
      async () => {
        await install(1, { emptyDir: {} });
        await untilRecorded();
        await kubectl(cluster, ['delete', 'pod', `${set}-0`, ...where, '--timeout=120s']);
        await startsAnewOnce();
      },
    ],
  ];

  it.each(drawn('e2e/etcd-birth', scripts, 2, ([title]) => title))(
    '%s',
    async (_, script) => {
      await freshNamespace();
      await script();
    },
    900_000,
  );
});
