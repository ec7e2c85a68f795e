/**
 * The etcd of a control plane that the Go operator created becomes one of this operator by consent, under a client that
 * writes all the time. Afterwards it is upgraded, scaled, saved and restored, and the Go operator takes a single member back. Data
 * in an emptyDir moves to a PVC.
 *
 * @size enormous
 * @job adoption
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ADOPT_ETCD_ANNOTATION } from '../../src/api/validation/adopt-etcd.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { instanceName } from '../../src/api/naming.ts';
import { RECOVER_ANNOTATION } from '../../src/etcd-cluster/recovery/survivors.ts';
import type { KubernetesClient } from '../../src/kubernetes/client/client-interface.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { clusterDirectory } from '../../tools/embedded-cluster/slot.ts';
import { etcdTags } from '../../tools/embedded-cluster/releases.ts';
import { consentToEtcd, untilNativeEtcd } from '../harness/adopted-etcd.ts';
import { conditionOf, confirmationIn, untilAdopted } from '../harness/adopted-karmada.ts';
import {
  componentsOf,
  endAdoption,
  installByGoOperator,
  replaceGoCrd,
  startGoOperator,
  stopGoOperator,
  type GoRelease,
} from '../harness/adoption-scene.ts';
import { BackupScene } from '../harness/backup-scene.ts';
import { clientOf } from '../harness/client.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { nodePortClientOf, untilReady } from '../harness/control-plane.ts';
import { ON_CLAIMS } from '../harness/control-plane-scene.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdPods, type InstanceAt } from '../harness/etcd-members.ts';
import { readBack, unexplained, writing, type Written } from '../harness/etcd-writer.ts';
import { peerListener } from '../harness/http-peers.ts';
import { startKilledOperator, stopKilledOperator } from '../harness/killed-operator.ts';
import { stopOperator } from '../harness/operator-pod.ts';
import { installOperator } from '../harness/operator.ts';
import { planOfMergePatch, podsIn } from '../harness/plan.ts';
import { drawn } from '../harness/sample.ts';

const name = 'demo';
const namespace = 'adoption-etcd';
const where = ['-n', namespace];
const CONSENT = { metadata: { annotations: { [ADOPT_ETCD_ANNOTATION]: 'Automatic' } } };

interface Case {
  readonly release: GoRelease;
  readonly members: 1 | 3;
  /** Write of the operator after which it is killed. */
  readonly killAfter?: number;
  /** Storage of the members; a PVC by default. */
  readonly volumeData?: object;
}

// The Go operator of v1.17.3 and later cannot create three members: they are found by DNS only when they are ready, and the
// reverse. Its installation does not end.
const CASES: readonly Case[] = [
  { release: 'current', members: 1 },
  { release: 'previous', members: 1 },
  { release: 'previous', members: 3 },
  { release: 'oldest', members: 1 },
  { release: 'oldest', members: 3 },
  ...Array.from({ length: 8 }, (_, n) => ({
    release: 'previous' as const,
    members: 3 as const,
    killAfter: n + 1,
  })),
];

const titleOf = ({ release, members, killAfter }: Case): string =>
  `moves ${String(members)} members of the ${release} release${killAfter === undefined ? '' : ` when the operator is killed after its write ${String(killAfter)}`}`;

const cases = drawn(CASES, 1, titleOf).map((one) => [titleOf(one), one] as const);

describeCluster('the etcd of the Go operator', () => {
  let cluster: Cluster;
  let client: KubernetesClient;
  let inside: KubernetesClient | undefined;
  const at = (): InstanceAt => ({ cluster, name, namespace });

  /** Lets the Go operator create a control plane, and adopts it without its etcd. */
  async function adopt({
    release,
    members,
    volumeData = ON_CLAIMS,
  }: Case): Promise<KubernetesClient> {
    await startGoOperator(cluster, client, release);
    const common = componentsOf(release, { replicas: members, volumeData });
    const karmadaAPIServer = { ...common.karmadaAPIServer, serviceType: 'NodePort' };
    const components = { ...common, karmadaAPIServer };
    await installByGoOperator(client, { namespace, name }, { components });
    await stopGoOperator(client);
    await replaceGoCrd(client);
    await installOperator(cluster);
    await kubectl(cluster, confirmationIn(await untilAdopted(at(), 'AdoptionPending')));
    await untilAdopted(at(), undefined);
    await untilReady(cluster, name, namespace, 300_000);
    inside = await nodePortClientOf(cluster, name, namespace);
    return inside;
  }

  const etcdUids = async (): Promise<readonly string[]> =>
    [...(await podsIn(cluster, namespace))]
      .filter(([pod]) => pod.startsWith(`${instanceName(name, 'etcd')}-`))
      .map(([pod, uid]) => `${pod} ${uid}`)
      .sort();

  const configure = (local: object): Promise<unknown> => {
    const patch = JSON.stringify({ spec: { components: { etcd: { local } } } });
    return kubectl(cluster, ['patch', 'karmada', name, ...where, '--type=merge', '-p', patch]);
  };

  const consent = (): Promise<void> => consentToEtcd(at());
  const untilNative = (members: number): Promise<void> => untilNativeEtcd(at(), members);

  async function untilMembers(count: number): Promise<void> {
    await poll(
      `${String(count)} members`,
      async (seen) => {
        const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
        seen(JSON.stringify(status?.conditions));
        return status?.etcd === `${String(count)}/${String(count)}` || undefined;
      },
      { deadlineMs: 400_000, intervalMs: 1_000 },
    );
    await untilReady(cluster, name, namespace, 300_000);
  }

  /** A single member does not respond while it restarts. */
  function expectKept({ lost, failures, acknowledged }: Written, members: number): void {
    expect(lost).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(20);
    if (members > 1) expect(unexplained(failures, 0)).toEqual([]);
  }

  beforeAll(async () => {
    cluster = await useCluster([
      ...(['etcd', 'kubernetes', 'karmada', 'busybox'] as const),
      ...(['etcd-previous', 'kubernetes-previous', 'karmada-previous', 'karmada-oldest'] as const),
    ]);
    client = clientOf(cluster);
  }, 1_800_000);

  afterEach(async () => {
    await inside?.close();
    inside = undefined;
    await stopKilledOperator(cluster).catch(() => undefined);
    await installOperator(cluster);
    await tryKubectl(cluster, ['delete', 'karmada', '--all', ...where, '--timeout=180s']);
    await tryKubectl(cluster, ['delete', 'namespace', namespace, '--timeout=180s']);
  }, 600_000);

  afterAll(async () => {
    await endAdoption(cluster, namespace);
    await client.close();
  }, 600_000);

  const untilWritten = (api: KubernetesClient, prefix: string): Promise<Written> =>
    writing(api, prefix, (written) =>
      poll('the client has written', () => Promise.resolve(written() > 20 || undefined)),
    );

  /** Saves the data, and restores it in place of what was written later. */
  async function restore(api: KubernetesClient, saved: readonly string[]): Promise<void> {
    const scene = new BackupScene(cluster, namespace, name);
    await apply(cluster, ...scene.store(), scene.backup('saved'));
    expect((await scene.untilEnded('saved')).status?.phase).toBe('Verified');
    const { acknowledged } = await untilWritten(api, 'later');
    await scene.restored('back', 'saved', 'Complete', 400_000);
    await untilReady(cluster, name, namespace, 300_000);
    expect(await readBack(api, saved)).toEqual([]);
    expect(await readBack(api, acknowledged)).toHaveLength(acknowledged.length);
  }

  it.each(cases)(
    '%s to https, the current etcd and another size',
    async (_, one) => {
      const { members, killAfter } = one;
      const api = await adopt(one);
      const before = await etcdUids();
      const told = await conditionOf(at(), 'EtcdAdopted');
      expect(told?.reason).toBe('EtcdAdoptionPending');
      const plan = await planOfMergePatch(cluster, { name, namespace }, CONSENT);
      expect(plan).toContain(`step 1 of ${members === 1 ? '3' : '5'}`);
      expect(await etcdUids()).toEqual(before);

      const moved = await writing(api, 'moved', async () => {
        if (killAfter !== undefined) {
          await stopOperator(cluster);
          await consent();
          await startKilledOperator(cluster, killAfter);
        } else await consent();
        await untilNative(members);
      });
      expectKept(moved, members);
      if (killAfter !== undefined) return;

      const changed = await writing(api, 'changed', async () => {
        await configure({ imageTag: etcdTags.current });
        await untilReady(cluster, name, namespace, 400_000);
        for (const replicas of members === 1 ? [3, 1] : [1, 3]) {
          await configure({ replicas });
          await untilMembers(replicas);
        }
      });
      expect(changed.lost).toEqual([]);
      expect(await readBack(api, moved.acknowledged)).toEqual([]);
      for (const pod of await etcdPods(at()))
        expect(JSON.stringify(pod['spec'])).toContain(etcdTags.current);
      await restore(api, [...moved.acknowledged, ...changed.acknowledged]);
    },
    1_800_000,
  );

  it('moves the data of an emptyDir to a PVC', async () => {
    const api = await adopt({ release: 'current', members: 1, volumeData: { emptyDir: {} } });
    const { acknowledged, lost } = await untilWritten(api, 'in-pod');
    expect(lost).toEqual([]);
    const plan = await planOfMergePatch(cluster, { name, namespace }, CONSENT);
    expect(plan).toMatch(/step 2 of 2: .*one to two minutes/);
    const before = await etcdUids();
    const removal = [{ op: 'remove', path: '/spec/components/etcd/local/volumeData' }];
    const patch = ['--type=json', '-p', JSON.stringify(removal)];
    await kubectl(cluster, ['patch', 'karmada', name, ...where, ...patch]);
    await configure({ volumeData: ON_CLAIMS });
    expect(await etcdUids()).toEqual(before);
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    const member = `${instanceName(name, 'etcd')}-0/${status?.etcdCluster?.clusterID ?? ''}/1`;
    await kubectl(cluster, [
      'annotate',
      'karmada',
      name,
      ...where,
      `${RECOVER_ANNOTATION}=${member}`,
    ]);
    await untilNative(1);
    expect(await readBack(api, acknowledged)).toEqual([]);
    const [pod] = await etcdPods(at());
    expect(JSON.stringify(pod?.['spec'])).toContain('r1-etcd-data-');
  }, 1_800_000);

  it('keeps the data of a hostPath, on the node that the spec names', async () => {
    const path = await mkdtemp(join(clusterDirectory(cluster.name), 'adopted-'));
    const api = await adopt({ release: 'current', members: 1, volumeData: { hostPath: { path } } });
    const { acknowledged } = await untilWritten(api, 'on-node');
    const before = await etcdUids();
    await consent();
    const loose = await poll('the node is asked for', async (seen) => {
      const condition = await conditionOf(at(), 'EtcdAdopted');
      seen(JSON.stringify(condition));
      return condition?.reason === 'EtcdVolumeUnproven' ? condition.message : undefined;
    });
    expect(await etcdUids()).toEqual(before);
    const [, node] = /"kubernetes\.io\/hostname": "([^"]+)"/.exec(loose) ?? [];
    const moved = await writing(api, 'moved', async () => {
      await configure({ nodeSelector: { 'kubernetes.io/hostname': node } });
      await untilNative(1);
    });
    expect(moved.lost).toEqual([]);
    expect(await readBack(api, [...acknowledged, ...moved.acknowledged])).toEqual([]);
  }, 1_800_000);

  it('lets the Go operator take a single member back after the last step', async () => {
    const api = await adopt({ release: 'current', members: 1 });
    const { acknowledged, lost } = await writing(api, 'returned', async () => {
      await consent();
      await untilNative(1);
    });
    expect(lost).toEqual([]);
    const before = await etcdUids();
    await stopOperator(cluster);
    await startGoOperator(cluster, client, 'current');
    await poll(
      'the member has the Pod template of the Go operator, and the data',
      async (seen) => {
        const [pod] = await etcdPods(at());
        const missing = await readBack(api, acknowledged).catch((error: unknown) => [
          String(error),
        ]);
        seen(`${String(pod && peerListener(pod))} ${String(missing.length)} ${missing[0] ?? ''}`);
        const isBack = pod !== undefined && peerListener(pod)?.startsWith('http://') === true;
        return (isBack && missing.length === 0) || undefined;
      },
      { deadlineMs: 400_000, intervalMs: 1_000 },
    );
    expect(await etcdUids()).not.toEqual(before);
    await stopGoOperator(client);
  }, 1_800_000);
});
