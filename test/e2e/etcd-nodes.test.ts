/**
 * Nodes of etcd members freeze, return, and are permanently lost, under a client that writes 20 keys per second and reads
 * each one back through the API server. All Pods but one member of etcd run on the first node.
 *
 * @size large
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { KubernetesObject } from '../../src/kubernetes/objects/object.ts';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { freezeNode, removeNode, thawNode } from '../../tools/embedded-cluster/node-failures.ts';
import { etcdTags } from '../../tools/embedded-cluster/releases.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { removeCluster, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { leaderOf } from '../harness/etcd-members.ts';
import { EtcdScene, VOLUME_CLAIM, type Limits } from '../harness/etcd-scene.ts';
import { installOperator } from '../harness/operator.ts';
import { runsAll } from '../harness/sample.ts';

/**
 * Longest time without a write while an API server is connected to a frozen member, in milliseconds: its keepalive ends
 * after 40 s. By then the operator has excluded this member from the Service.
 */
const FROZEN_GAP_MS = 45_000;
const GRACE_S = 30;

/** The API server may be connected to each of two members that leave. */
const LEAVING: Limits = { leaving: 2 };

const nodeOf = (pod: KubernetesObject | undefined): string | undefined =>
  (pod?.['spec'] as { nodeName?: string } | undefined)?.nodeName;

describeCluster('nodes of etcd members', () => {
  let cluster: Cluster;
  let scene: EtcdScene;
  /** Node that can fail. */
  let other: string;

  /** Decides on which node new Pods run. */
  async function schedule(onto: string): Promise<void> {
    const [off] = [cluster.node.name, other].filter((node) => node !== onto);
    await kubectl(cluster, ['uncordon', onto]);
    await kubectl(cluster, ['cordon', String(off)]);
  }

  const pod = async (ordinal: number): Promise<KubernetesObject | undefined> =>
    (await scene.pods()).find(
      ({ metadata }) => metadata.name === `${scene.set}-${String(ordinal)}`,
    );

  /** Installs one member on the first node. */
  async function install(local: object = {}): Promise<void> {
    await schedule(cluster.node.name);
    const replacementGracePeriod = `${String(GRACE_S)}s`;
    await scene.install({
      replicas: 1,
      volumeData: VOLUME_CLAIM,
      replacementGracePeriod,
      ...local,
    });
  }

  /** Grows to three members; only the middle one runs on the node that can fail. */
  async function growAcrossNodes(): Promise<void> {
    await schedule(other);
    await scene.configure({ replicas: 3 });
    await poll('the middle member is scheduled', async (seen) => {
      const node = nodeOf(await pod(1));
      seen(String(node));
      return node === other || undefined;
    });
    await schedule(cluster.node.name);
    await scene.untilMembers(3);
    expect(nodeOf(await pod(1))).toBe(other);
    expect(nodeOf(await pod(2))).toBe(cluster.node.name);
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'etcd-previous', 'kubernetes', 'karmada'], 2);
    other = cluster.otherNodes[0]?.name ?? '';
    await schedule(cluster.node.name);
    // The admin kubeconfig has the address of a control plane Node, which is not the one that fails.
    const role = 'node-role.kubernetes.io/control-plane=';
    await kubectl(cluster, ['label', 'node', cluster.node.name, role]);
    await installOperator(cluster);
    scene = new EtcdScene(cluster, 'etcd-nodes');
  }, 1_800_000);

  afterAll(async () => {
    await scene.end();
    // The lost node exists no more, and other suites expect one node.
    await removeCluster();
  }, 240_000);

  const FROZEN: Limits = { gapMs: FROZEN_GAP_MS, mayFail: true };

  /** Freezes the node of the middle member until the operator names it. */
  async function freeze(): Promise<void> {
    await freezeNode(cluster, other);
    try {
      await scene.untilTold(`its Node ${other} is not ready; the member stays`);
    } finally {
      await thawNode(cluster, other);
    }
    await scene.untilMembers(3);
  }

  /** All changes and failures of members, one after the other. */
  async function allChanges(): Promise<void> {
    await install({ imageTag: etcdTags.previous });
    await scene.during('grow', growAcrossNodes);
    // The middle member returns to the Node of its volume.
    await kubectl(cluster, ['uncordon', other]);
    await scene.during('rolled', () => scene.restartAll({ 'example.com/mark': 'one' }));
    await scene.during(
      'killed',
      async () => {
        const leader = await leaderOf(scene);
        const now = ['--grace-period=0', '--force'];
        await kubectl(cluster, ['delete', 'pod', leader, ...scene.where, ...now]);
        await scene.untilMembers(3);
      },
      // etcd drops what a follower forwarded to the leader that was killed.
      { mayFail: true },
    );
    await scene.during('frozen', freeze, FROZEN);
    await scene.during('claim', async () => {
      const claim = `etcd-data-${scene.set}-1`;
      await kubectl(cluster, ['delete', 'pvc', claim, ...scene.where, '--wait=false']);
      await kubectl(cluster, ['delete', 'pod', `${scene.set}-1`, ...scene.where]);
      await scene.untilMembers(3);
    });
    await scene.during('upgraded', () => scene.restartAll({}, { imageTag: etcdTags.current }));
    await scene.during('five', () => scene.change(5));
    await scene.during('three', () => scene.change(3), LEAVING);
    await scene.during('one', () => scene.change(1), LEAVING);
    await scene.verify();
  }

  if (runsAll)
    it(
      'lose no write while the members grow, restart, fail, are upgraded and leave',
      allChanges,
      1_200_000,
    );

  it('keep a member whose node freezes, and name the node until it returns', async () => {
    await install();
    await growAcrossNodes();
    const before = await scene.podOf(1);
    await scene.during('frozen', freeze, FROZEN);
    expect(await scene.podOf(1)).toBe(before);
  }, 900_000);

  it('are replaced after the grace period when their node is lost', async () => {
    await install();
    await growAcrossNodes();
    await scene.during(
      'lost',
      async () => {
        const lostAt = Date.now();
        await removeNode(cluster, other);
        await scene.untilTold(`Node ${other} of PersistentVolume`);
        await scene.untilMembers(3);
        expect(Date.now() - lostAt).toBeGreaterThan(GRACE_S * 1_000);
        process.stderr.write(`lost: replaced after ${String(Date.now() - lostAt)} ms\n`);
      },
      FROZEN,
    );
    expect(nodeOf(await pod(1))).toBe(cluster.node.name);
  }, 900_000);
});
