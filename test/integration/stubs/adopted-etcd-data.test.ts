/**
 * An etcd of the Go operator with real members becomes one of this operator. Afterwards it has what an etcd has that this
 * operator created, and its data is restored from a backup. Data in an emptyDir, and members that never formed one cluster,
 * are replaced by the data of the member that the user names. All cases share a control plane; each has an etcd of its own.
 *
 * @size large
 * @job adoption
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RECOVER_ANNOTATION } from '../../../src/etcd-cluster/recovery/survivors.ts';
import { clustersIn } from '../../../src/etcd-cluster/members/never-formed.ts';
import { resources } from '../../../src/kubernetes/objects/resources.ts';
import { etcdVersion } from '../../../tools/embedded-cluster/releases.ts';
import { drawn } from '../../harness/sample.ts';
import { buildOperator, type OperatorBuild } from '../../stubs/operator/build.ts';
import type { Kills } from '../../stubs/operator/operator-process.ts';
import { DataScene, NEVER } from '../../stubs/processes/data-scene.ts';
import { GoEtcdScene } from '../../stubs/processes/go-etcd-scene.ts';
import { RestoreScene } from '../../stubs/processes/restore-scene.ts';

let build: OperatorBuild;
let scene: DataScene;
let etcd: GoEtcdScene;

/** Another image with the same release of etcd, because only one runs here. */
const OTHER_TAG = `${etcdVersion}-1`;

const EACH_WRITE: Kills = { afterWrite: 1, eachProcess: true };

const volumeOf = (storage: string): object => ({
  volumeClaim: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } },
});

async function nativeAfterwards(): Promise<void> {
  await etcd.create('native', 1);
  const restores = await RestoreScene.start(scene);
  const { acknowledged } = scene;
  await scene.withOperator(NEVER, async () => {
    await scene.during('native', async () => {
      await etcd.consent();
      await etcd.untilNative(1);
    });
    await scene.during('changed', async () => {
      await scene.change(3);
      await etcd.configure({ imageTag: OTHER_TAG }, `/etcd:${OTHER_TAG}`);
      await etcd.configure({ quotaBackendBytes: 3_000_000_000 }, 'quota-backend-bytes=3000000000');
      await etcd.configure(
        { volumeData: volumeOf('2Gi') },
        '"2Gi"',
        resources.PersistentVolumeClaim,
      );
      await scene.change(1);
    });
    await scene.verify();
    await restores.save('native');
    await restores.restore('native', 'native');
    scene.forget(acknowledged);
    await restores.restore('of-go');
  });
}

async function dataInPod(run: string, kills: Kills): Promise<void> {
  await etcd.create(run, 1, true);
  const before = await etcd.podUids();
  await scene.withOperator(NEVER, async () => {
    await etcd.consent();
    const told = await etcd.untilTold('EtcdDataNotDurable');
    expect(told).toContain('does not answer meanwhile');
    await etcd.removeVolume();
    await etcd.untilClaimed();
  });
  expect(await etcd.podUids()).toEqual(before);
  await scene.verify();
  const [pod] = [...scene.cluster.members(scene.namespace, scene.name).keys()];
  const { clusterId } = await scene.keys.memberList();
  await scene.withOperator(kills, async () => {
    await etcd.annotate({ [RECOVER_ANNOTATION]: `${String(pod)}/${clusterId}/1` });
    await etcd.untilNative(1);
  });
  await scene.verify();
}

/** The first member has the data, as after a change of `replicas` with the Go operator. */
async function neverOneCluster(run: string, kills: Kills): Promise<void> {
  await etcd.create(run, 1);
  const first = (await scene.keys.memberList()).clusterId;
  await etcd.grow(3);
  const before = await etcd.podUids();
  let clusters: ReturnType<typeof clustersIn> = [];
  await scene.withOperator(NEVER, async () => {
    clusters = clustersIn(await etcd.untilTold('EtcdNeverOneCluster'));
  });
  expect(await etcd.podUids()).toEqual(before);
  const [own] = clusters.filter(({ clusterID }) => clusterID === first);
  expect(own?.pod).toBe('karmada-etcd-0');
  await scene.withOperator(kills, async () => {
    await etcd.annotate({ [RECOVER_ANNOTATION]: `karmada-etcd-0/${first}/1` });
    await etcd.untilNative(3);
  });
  await scene.verify();
}

/** The Go operator starts again after the adoption: its template separates members that are listed with https. */
async function overwritten(): Promise<void> {
  await etcd.create('overwritten', 3);
  await scene.withOperator(NEVER, async () => {
    await etcd.consent();
    await etcd.untilNative(3);
  });
  await etcd.overwrite(3);
  await scene.withOperator(NEVER, async () => {
    const told = await etcd.untilTold('EtcdQuorumUnproven');
    expect(told).toContain('kubectl delete statefulset karmada-etcd --namespace stub-data');
    await etcd.deleteSet();
    await etcd.untilNative(3);
  });
  await scene.verify();
}

const CASES: readonly (readonly [string, () => Promise<void>])[] = [
  ['changes, and is restored from a backup, as one that this operator created', nativeAfterwards],
  ['has its keys again after the Go operator has written over its members', overwritten],
  ['moves from an emptyDir to a PVC with all keys', () => dataInPod('in-pod', NEVER)],
  [
    'moves from an emptyDir to a PVC with all keys when the operator is killed after each of its writes',
    () => dataInPod('in-pod-killed', EACH_WRITE),
  ],
  [
    'has the keys of the named member when its members never formed one cluster',
    () => neverOneCluster('never-one', NEVER),
  ],
  [
    'has the keys of the named member when its members never formed one cluster and the operator is killed after each of its writes',
    () => neverOneCluster('never-one-killed', EACH_WRITE),
  ],
];

const describeAsRoot = process.getuid?.() === 0 ? describe : describe.skip;

describeAsRoot('an etcd of the Go operator', () => {
  beforeAll(async () => {
    build = await buildOperator();
    scene = await DataScene.start(build);
    etcd = new GoEtcdScene(scene);
  }, 1_800_000);

  afterAll(async () => {
    await scene.end();
    await build.remove();
  }, 120_000);

  it.each(drawn(CASES, 1, ([title]) => title))('%s', (_, run) => run(), 1_800_000);
});
