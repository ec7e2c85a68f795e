/**
 * Etcd members are added and removed under a client that writes 20 keys per second and reads each one back.
 *
 * @tier always
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { EtcdScene, VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { installOperator } from '../harness/operator.ts';

describeCluster('etcd members under load', () => {
  let cluster: Cluster;
  let scene: EtcdScene;

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    scene = new EtcdScene(cluster, 'etcd-scaling');
  }, 1_800_000);

  afterAll(() => scene.end(), 240_000);

  /** Reasons of the Warning Events for a change that goes on. */
  const CHANGING = /^(Progressing|EtcdNotReady): /;

  /** Messages of all other Warning Events of the Karmada. */
  const warnings = async (): Promise<readonly string[]> => {
    const of = 'involvedObject.kind=Karmada,type=Warning';
    const path = 'jsonpath={range .items[*]}{.reason}: {.message}{"\\n"}{end}';
    const list = ['get', 'events', ...scene.where, `--field-selector=${of}`, '-o', path];
    return (await kubectl(cluster, list))
      .split('\n')
      .filter((line) => line !== '' && !CHANGING.test(line));
  };

  it('grow from one to three and shrink to one without a restart of the first one and without a failure in the status', async () => {
    await scene.install({ replicas: 1, volumeData: VOLUME_CLAIM });
    const before = await scene.podOf(0);
    const warned = await warnings();
    await scene.during('grow', () => scene.change(3));
    await scene.during('shrink', () => scene.change(1));
    expect(await scene.podOf(0)).toBe(before);
    expect(await warnings()).toEqual(warned);
  }, 900_000);
});
