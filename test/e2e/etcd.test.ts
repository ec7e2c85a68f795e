import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Condition, Karmada } from '../../src/api/karmada.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { conditionOf, type KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { namespacedType, resources } from '../../src/kubernetes/objects/resources.ts';
import { karmadas } from '../../src/host-clusters/host.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { etcdTags } from '../../tools/embedded-cluster/releases.ts';
import { clientOf, controlPlaneClientOf } from '../harness/client.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { openControlPlane, untilReady } from '../harness/control-plane.ts';
import { countKeys, servedCertificate, type EtcdAccess } from '../harness/run-on-node.ts';
import { installOperator } from '../harness/operator.ts';
import { namedIn, patchAsPlanned, planOfPatch, podsIn, restartsIn } from '../harness/plan.ts';
import { saysReady } from '../harness/is-ready.ts';

const namespace = 'etcd-test';
const otherNamespace = 'etcd-external';
const name = 'karmada';
const inNamespace = ['-n', namespace];
const members = { namespace, labelSelector: 'app.kubernetes.io/name=etcd' };
const MARK = 'example.com/mark';

/**
 * Error of a write during a leadership transfer, after seven seconds. An etcd member forwarded the write to the leader
 * that transferred leadership, and etcd dropped it. Clients and the operator cannot prevent that
 * (docs/operate/upgrade.md).
 */
const DROPPED = '500 HTTP 500: etcdserver: request timed out';

function karmada(where: string, components: object): object {
  const metadata = { name, namespace: where };
  const spec = { components: { karmadaMetricsAdapter: { replicas: 1 }, ...components } };
  return { apiVersion: 'operator.karmada.io/v1alpha1', kind: 'Karmada', metadata, spec };
}

const threeMembers = karmada(namespace, {
  etcd: {
    local: {
      replicas: 3,
      imageTag: etcdTags.previous,
      volumeData: {
        volumeClaim: {
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
  },
  // The test connects from outside the host cluster with the unchanged kubeconfig.
  karmadaAPIServer: { serviceType: 'NodePort' },
});

const markOf = ({ metadata }: KubernetesObject): string | undefined => metadata.annotations?.[MARK];

const serves = (pod: KubernetesObject): boolean =>
  pod.metadata.deletionTimestamp === undefined && conditionOf(pod, 'Ready')?.status === 'True';

function configMap(called: string): KubernetesObject {
  const metadata = { name: called, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: called } };
}

const configMaps = namespacedType('v1', 'ConfigMap', 'configmaps');

const plain = (encoded: string | undefined): string =>
  Buffer.from(encoded ?? '', 'base64').toString('utf8');

/** Observations of a client of the control plane and of the etcd members during a change. */
interface Observation {
  /** Keys of acknowledged writes. */
  readonly written: string[];
  /** Failed requests with their error. */
  readonly failures: string[];
  /** Writes that etcd dropped. */
  readonly dropped: string[];
  /** Maximum number of etcd members that were not Ready at the same time. */
  readonly missing: number;
  /** Marks of the Karmada and its etcd members while Ready was wrongly True. */
  readonly falseReady: string[];
}

describeCluster('etcd with three members', () => {
  let cluster: Cluster;
  let host: KubernetesClient;
  let inside: KubernetesClient;

  const condition = async (type: string): Promise<Condition | undefined> => {
    const found = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    return found.status?.conditions?.find((item) => item.type === type);
  };

  async function patchEtcd(local: object): Promise<void> {
    const patch = JSON.stringify({ spec: { components: { etcd: { local } } } });
    await kubectl(cluster, ['patch', 'karmada', name, ...inNamespace, '--type=merge', '-p', patch]);
  }

  const change = (local: object, done?: () => Promise<unknown>): Promise<void> =>
    patchAsPlanned(cluster, { name, namespace }, { components: { etcd: { local } } }, done);

  /** Writes and reads through the control plane, and checks etcd members and Karmada, until `work` has ended. */
  async function observing(prefix: string, work: () => Promise<void>): Promise<Observation> {
    const seen: Omit<Observation, 'missing'> = {
      written: [],
      failures: [],
      dropped: [],
      falseReady: [],
    };
    let missing = 0;
    let ended = false;
    const use = async (): Promise<void> => {
      for (let n = 0; !ended; n += 1) {
        const key = `${prefix}-${String(n)}`;
        try {
          await inside.create(configMap(key), { timeoutMs: 10_000 });
          seen.written.push(key);
          await inside.get(configMaps, { namespace: 'default', name: key });
        } catch (error) {
          const kind = String(error).includes(DROPPED) ? seen.dropped : seen.failures;
          kind.push(`${new Date().toISOString()} ${key}: ${String(error)}`);
        }
        await delay(50);
      }
    };
    const check = async (): Promise<void> => {
      while (!ended) {
        // Read the Karmada first: its status must be true for etcd members that are read later.
        const object = (await host.get(karmadas, { namespace, name })) as unknown as Karmada;
        const pods = (await host.list(resources.Pod, members)).items;
        missing = Math.max(missing, 3 - pods.filter(serves).length);
        const expected = object.spec?.components?.etcd?.local?.annotations?.[MARK];
        const done = pods.length === 3 && pods.every((pod) => markOf(pod) === expected);
        if (saysReady(object) && !done)
          seen.falseReady.push(`${String(expected)}: ${pods.map(markOf).join()}`);
        await delay(50);
      }
    };
    const both = Promise.all([use(), check()]);
    both.catch(() => undefined);
    await work().finally(() => (ended = true));
    await both;
    return { ...seen, missing };
  }

  const pods = async (): Promise<readonly KubernetesObject[]> =>
    (await host.list(resources.Pod, members)).items;

  async function expectKeys(keys: readonly string[]): Promise<void> {
    const { items } = await inside.list(configMaps, { namespace: 'default' });
    const there = new Set(items.map(({ metadata }) => metadata.name));
    expect(keys.filter((key) => !there.has(key))).toEqual([]);
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'etcd-previous', 'kubernetes', 'karmada']);
    host = clientOf(cluster);
    for (const each of [otherNamespace, namespace]) {
      await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', each, '--timeout=60s']);
      await tryKubectl(cluster, ['delete', 'namespace', each, '--timeout=180s']);
      await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: each } });
    }
    await installOperator(cluster);
    await apply(cluster, threeMembers);
    await untilReady(cluster, name, namespace);
    inside = await controlPlaneClientOf(cluster, name, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await inside.close();
    await host.close();
    for (const each of [otherNamespace, namespace]) {
      await tryKubectl(cluster, ['delete', 'karmada', '--all', '-n', each, '--timeout=60s']);
      await tryKubectl(cluster, ['delete', 'namespace', each, '--wait=false']);
    }
  }, 240_000);

  it('has three healthy etcd members that use peer TLS', async () => {
    const found = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    expect(found.status?.etcd).toBe('3/3');
    expect(await condition('EtcdHealthy')).toMatchObject({ status: 'True' });
    for (const pod of await pods()) {
      const { podIP = '' } = pod['status'] as { podIP?: string };
      const { subjectAltName } = await servedCertificate(cluster, { host: podIP, port: 2380 });
      expect(subjectAltName).toContain(`.${name}-etcd.${namespace}.svc.cluster.local`);
    }
  }, 60_000);

  it('reports what its members say about themselves', async () => {
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    const names = (await pods()).map(({ metadata }) => metadata.name).sort();
    expect(status?.etcdCluster).toMatchObject({
      quorum: 'True',
      clusterID: expect.stringMatching(/^\w+$/),
      members: names.map((member) => ({
        name: member,
        id: expect.stringMatching(/^\w+$/),
        role: 'Voter',
        version: etcdTags.previous.split('-')[0],
        dbSize: expect.stringMatching(/^\d+Mi$/),
      })),
    });
    const leader = String(status?.etcdCluster?.leader);
    expect(names).toContain(leader);
    const wide = await kubectl(cluster, ['get', 'karmada', name, '-n', namespace, '-o', 'wide']);
    expect(wide).toMatch(/ETCD +ETCD-HEALTHY +ETCD-LEADER /);
    expect(wide).toMatch(new RegExp(`3/3 +True +${leader} `));
    const plan = await planOfPatch(cluster, { name, namespace }, {});
    expect(plan).toContain(`  ${leader}: voter, leader, `);
  }, 60_000);

  it('is not Ready while an etcd member still has a change that was reverted during the rollout', async () => {
    const { written, failures, dropped, missing, falseReady } = await observing(
      'back',
      async () => {
        await patchEtcd({ annotations: { [MARK]: 'one' } });
        await poll('an etcd member has the change', async (seen) => {
          const marks = (await pods()).map(markOf);
          seen(marks.join());
          return marks.includes('one') ? true : undefined;
        });
        await patchEtcd({ annotations: null });
        await untilReady(cluster, name, namespace);
      },
    );
    expect(falseReady).toEqual([]);
    expect((await pods()).map(markOf)).toEqual([undefined, undefined, undefined]);
    expect(missing).toBe(1);
    expect(failures).toEqual([]);
    // The leader changes once.
    expect(dropped.slice(1)).toEqual([]);
    await expectKeys(written);
  }, 300_000);

  it('stops at the first failing etcd member and restarts only this member when the change is reverted', async () => {
    const before = await podsIn(cluster, namespace);
    await patchEtcd({ imageTag: `${etcdTags.previous}-absent` });
    const stuck = await poll('Ready reports the first failing etcd member', async (seen) => {
      const ready = await condition('Ready');
      const now = await podsIn(cluster, namespace);
      const changed = [...now].filter(([pod, uid]) => before.get(pod) !== uid).map(([pod]) => pod);
      seen(`${changed.join()} ${JSON.stringify(ready)}`);
      const [member = '', ...others] = changed;
      expect(others).toEqual([]);
      return member !== '' && ready?.message?.includes('-absent') ? member : undefined;
    });
    const midway = await podsIn(cluster, namespace);
    const back = { components: { etcd: { local: { imageTag: etcdTags.previous } } } };
    const plan = await planOfPatch(cluster, { name, namespace }, back);
    expect([restartsIn(plan), namedIn(plan)]).toEqual([[`${name}-etcd`], [stuck]]);
    await patchEtcd({ imageTag: etcdTags.previous });
    await untilReady(cluster, name, namespace);
    const after = await podsIn(cluster, namespace);
    expect([...after].filter(([pod, uid]) => midway.get(pod) !== uid)).toEqual([
      [stuck, after.get(stuck)],
    ]);
    expect(await condition('EtcdHealthy')).toMatchObject({ status: 'True' });
  }, 300_000);

  it('upgrades one etcd member at a time without failed requests or lost keys', async () => {
    const before = await pods();
    const { written, failures, dropped, missing, falseReady } = await observing(
      'rolling',
      async () => {
        await change({ annotations: { [MARK]: 'two' }, imageTag: etcdTags.current });
      },
    );
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    expect(status?.versions?.etcd).toBe(etcdTags.current.split('-')[0]);
    const after = await pods();
    expect(after.map(markOf)).toEqual(['two', 'two', 'two']);
    const uids = new Set(before.map(({ metadata }) => metadata.uid));
    expect(after.filter(({ metadata }) => uids.has(metadata.uid))).toEqual([]);
    expect(missing).toBe(1);
    expect(falseReady).toEqual([]);
    expect(failures).toEqual([]);
    // The leader changes once.
    expect(dropped.slice(1)).toEqual([]);
    expect(written.length).toBeGreaterThan(10);
    await expectKeys(written);
  }, 300_000);

  it('blocks growth to an even number of etcd members', async () => {
    await change({ replicas: 4 }, () =>
      poll('the change is blocked', async (seen) => {
        const ready = await condition('Ready');
        seen(JSON.stringify(ready));
        return ready?.reason === 'ChangeBlocked' ? true : undefined;
      }),
    );
    const ready = await condition('Ready');
    expect(ready?.message).toMatch(/4 members tolerate no more failures than 3/);
    expect(await condition('EtcdHealthy')).toMatchObject({ status: 'True' });
    expect(await pods()).toHaveLength(3);
    await change({ replicas: 3 });
  }, 120_000);

  it('serves as external etcd of another Karmada and keeps data and Secret when that Karmada is deleted', async () => {
    const { data } = await getObject<{ data: Record<string, string> }>(
      ...([cluster, 'secret', `${name}-etcd-cert`, namespace] as const),
    );
    const secret = {
      'ca.crt': plain(data['etcd-ca.crt']),
      'tls.crt': plain(data['etcd-client.crt']),
      'tls.key': plain(data['etcd-client.key']),
    };
    const metadata = { name: `${name}-etcd-cert`, namespace: otherNamespace };
    const service = `${name}-etcd-client.${namespace}.svc.cluster.local`;
    const external = {
      endpoints: [`https://${service}:2379`],
      secretRef: { name: metadata.name },
    };
    await apply(
      cluster,
      { apiVersion: 'v1', kind: 'Secret', metadata, stringData: secret },
      karmada(otherNamespace, {
        etcd: { external },
        karmadaAPIServer: { extraArgs: { 'etcd-prefix': '/second' } },
        karmadaAggregatedAPIServer: { extraArgs: { 'etcd-prefix': '/second' } },
      }),
    );
    const before = await getObject<KubernetesObject>(
      ...([cluster, 'secret', metadata.name, otherNamespace] as const),
    );
    const ready = await untilReady(cluster, name, otherNamespace);
    expect(ready.status?.etcd).toBe('external');
    const plane = await openControlPlane(cluster, name, otherNamespace);
    await plane.kubectl(['create', 'configmap', 'kept']);
    const clusterIP = ['get', 'service', `${name}-etcd-client`, ...inNamespace, '-o'];
    const access: EtcdAccess = {
      host: await kubectl(cluster, [...clusterIP, 'jsonpath={.spec.clusterIP}']),
      ca: secret['ca.crt'],
      cert: secret['tls.crt'],
      key: secret['tls.key'],
      serverName: service,
    };
    const key = '/second/configmaps/default/kept';
    expect(await countKeys(cluster, access, key)).toBe(1);
    await kubectl(cluster, ['delete', 'karmada', name, '-n', otherNamespace, '--timeout=120s']);
    expect(await countKeys(cluster, access, key)).toBe(1);
    const after = await getObject<KubernetesObject>(
      ...([cluster, 'secret', metadata.name, otherNamespace] as const),
    );
    expect(after).toEqual(before);
    const left = ['get', 'deployment,service,secret', '-n', otherNamespace, '-o', 'name'];
    expect((await kubectl(cluster, left)).trim()).toBe(`secret/${metadata.name}`);
  }, 300_000);
});
