/** Etcd members are added and removed under a client that writes 20 keys per second and reads each one back. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Cluster } from '../embedded-cluster/cluster.ts';
import { useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdChanges, volumeClaim } from '../harness/etcd-changes.ts';
import { installOperator } from '../harness/operator.ts';

describeCluster('etcd members under load', () => {
  let cluster: Cluster;
  const { install, change, during, firstMember, end } = etcdChanges(() => cluster, 'etcd-scaling');

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
  }, 1_800_000);

  afterAll(async () => {
    await end();
  }, 240_000);

  it('grow from one to three and shrink to one without a restart of the first one', async () => {
    await install({ replicas: 1, volumeData: volumeClaim });
    const before = await firstMember();
    await during('grow', () => change(3));
    await during('shrink', () => change(1));
    expect(await firstMember()).toBe(before);
  }, 900_000);
});
