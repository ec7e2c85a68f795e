/**
 * Members of an etcd in a remote host cluster are added, and etcd is rebuilt after the loss of its quorum.
 *
 * @size large
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { apply } from '../harness/cluster.ts';
import { openControlPlane, untilReady, type ControlPlane } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdAnswers } from '../harness/etcd-members.ts';
import { VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { grantedRights, usedRights } from '../harness/remote-host.ts';
import { RemoteHostScene, REMOTE_NAMESPACE as namespace } from '../harness/remote-host-scene.ts';

const name = 'karmada';
const set = `${name}-etcd`;
const where = ['-n', namespace];
const KEYS = '/registry/configmaps/default/';
const CONFIRM = 'operator.karmada.io/etcd-recover-from';

describeCluster('etcd in a remote host cluster', () => {
  let scene: RemoteHostScene;
  let plane: ControlPlane;

  const answers = (): ReturnType<typeof etcdAnswers> =>
    etcdAnswers({ cluster: scene.host, name, namespace }, KEYS);

  const components = (replicas: number): object => ({
    etcd: { local: { replicas, volumeData: VOLUME_CLAIM } },
    karmadaMetricsAdapter: { enabled: false },
  });

  /** Waits until so many members of one cluster respond. @returns the ID of their cluster */
  async function untilMembers(count: number, formerID = ''): Promise<string> {
    const id = await poll(
      `${String(count)} etcd members`,
      async (seen) => {
        const [found, { status }] = [await answers(), await scene.current(name)];
        const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
        seen(`${JSON.stringify(found)} ${String(progress?.message)}`);
        const ids = new Set(found.map(({ clusterID }) => clusterID));
        const [only = ''] = ids;
        const isDone = found.length === count && ids.size === 1 && only !== formerID;
        return isDone && status?.etcd === `${String(count)}/${String(count)}` ? only : undefined;
      },
      { deadlineMs: 400_000, intervalMs: 1_000 },
    );
    await untilReady(scene.management, name, namespace, 300_000);
    return id;
  }

  /** Deletes the PVCs and Pods of two of the three members. */
  async function loseMajority(volume: string): Promise<void> {
    const names = [1, 2].map((ordinal) => `${set}-${String(ordinal)}`);
    const volumes = names.map((pod) => `${volume}-${pod}`);
    await kubectl(scene.host, ['delete', 'pvc', ...volumes, ...where, '--wait=false']);
    await kubectl(scene.host, ['delete', 'pod', ...names, ...where, '--force', '--grace-period=0']);
  }

  /** Waits for the command in the condition EtcdHealthy, and confirms the recovery with it. */
  async function recover(ending: RegExp): Promise<void> {
    const value = await poll(
      'EtcdHealthy has the value that confirms a recovery',
      async (seen) => {
        const { status } = await scene.current(name);
        const found = status?.conditions?.find(({ type }) => type === 'EtcdHealthy');
        seen(JSON.stringify(found));
        const [, text = ''] = new RegExp(`${CONFIRM}=(\\S+)`).exec(found?.message ?? '') ?? [];
        return ending.test(text) ? text : undefined;
      },
      { deadlineMs: 180_000, intervalMs: 1_000 },
    );
    const confirm = ['annotate', '--overwrite', 'karmada', name, ...where, `${CONFIRM}=${value}`];
    await kubectl(scene.management, confirm);
  }

  beforeAll(async () => {
    scene = await RemoteHostScene.start();
    await apply(scene.management, scene.karmada(name, 'host', { components: components(1) }));
    await untilReady(scene.management, name, namespace);
    plane = await openControlPlane(scene.host, name, namespace);
    await plane.kubectl(['create', 'configmap', 'before', '--from-literal=key=before']);
  }, 1_800_000);

  afterAll(async () => scene.end(), 240_000);

  const expectKept = async (): Promise<void> =>
    expect(await plane.kubectl(['get', 'configmap', 'before', '-o', 'name'])).toContain('before');

  it('grows to three members', async () => {
    const id = await untilMembers(1);
    await scene.patch(name, { components: components(3) });
    expect(await untilMembers(3)).toBe(id);
    await expectKept();
  }, 600_000);

  it('is rebuilt from a member that responds', async () => {
    const id = await untilMembers(3);
    await loseMajority('etcd-data');
    await recover(/\/\d+$/);
    await untilMembers(3, id);
    await expectKept();
  }, 900_000);

  it('is rebuilt from the PVC of a member that has restarted', async () => {
    const id = await untilMembers(3);
    await loseMajority('r1-etcd-data');
    await kubectl(scene.host, ['delete', 'pod', `${set}-0`, ...where, '--timeout=120s']);
    await recover(/\/volume$/);
    await untilMembers(3, id);
    await expectKept();
  }, 900_000);

  it('shrinks to one member', async () => {
    await scene.patch(name, { components: components(1) });
    await untilMembers(1);
    await expectKept();
  }, 600_000);

  it('has the RBAC permissions that these tests used', async () => {
    const [granted, used] = [await grantedRights(), await usedRights([scene.host])];
    expect([...used].filter((right) => !granted.has(right))).toEqual([]);
  }, 60_000);
});
