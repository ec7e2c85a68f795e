/**
 * Members of an etcd that accept each other over http, as with the Go operator, move to https while they serve.
 *
 * @size enormous
 * @sample large
 * @tier all
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Karmada } from '../../src/api/karmada.ts';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { controlPlaneClientOf } from '../harness/client.ts';
import { getObject, useCluster } from '../harness/cluster.ts';
import { untilReady } from '../harness/control-plane.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { etcdPods } from '../harness/etcd-members.ts';
import { EtcdScene, VOLUME_CLAIM } from '../harness/etcd-scene.ts';
import { writing } from '../harness/etcd-writer.ts';
import { memberList, moveToHttp, peerListener } from '../harness/http-peers.ts';
import { startKilledOperator, stopKilledOperator } from '../harness/killed-operator.ts';
import { stopOperator } from '../harness/operator-pod.ts';
import { installOperator } from '../harness/operator.ts';
import { planOfPatch } from '../harness/plan.ts';
import { servedCertificate } from '../harness/run-on-node.ts';
import { drawn } from '../harness/sample.ts';

const namespace = 'etcd-peer-tls';
const name = 'karmada';
/** Writes after which the operator is killed. A move of three members has about eight. */
const writes = Array.from({ length: 8 }, (_, index) => index + 1);

describeCluster('an etcd whose members connect over http', () => {
  let cluster: Cluster;
  let changes: EtcdScene;
  const at = (): Parameters<typeof memberList>[0] => ({ cluster, name, namespace });

  async function installHttp(replicas: number): Promise<void> {
    await changes.install({ replicas, volumeData: VOLUME_CLAIM });
    await stopOperator(cluster);
    await moveToHttp(at());
    for (const pod of await etcdPods(at())) expect(peerListener(pod)).toMatch(/^http:/);
    for (const { peerURLs } of await memberList(at()))
      expect(peerURLs).toEqual([expect.stringMatching(/^http:/)]);
  }

  /** Waits until all members are listed with https only, and run with it. */
  async function untilSecure(members: number): Promise<void> {
    await poll(
      'all members accept only https',
      async (seen) => {
        const [{ status }, pods, listed] = [
          await getObject<Karmada>(cluster, 'karmada', name, namespace),
          await etcdPods(at()),
          await memberList(at()).catch(() => []),
        ];
        const urls = listed.flatMap(({ peerURLs }) => peerURLs);
        const listeners = pods.map((pod) => peerListener(pod));
        const waiting = status?.conditions?.find(({ type }) => type === 'Progressing')?.message;
        seen(`${urls.join()} ${listeners.join()} ${String(waiting)}`);
        const isSecure = [...urls, ...listeners].every((url) => url?.startsWith('https:'));
        return (isSecure && urls.length === members && pods.length === members) || undefined;
      },
      { deadlineMs: 400_000, intervalMs: 1_000 },
    );
    await untilReady(cluster, name, namespace);
    for (const pod of await etcdPods(at())) {
      const { podIP = '' } = pod['status'] as { podIP?: string };
      const { subjectAltName } = await servedCertificate(cluster, { host: podIP, port: 2380 });
      expect(subjectAltName).toContain(`.${name}-etcd.${namespace}.svc.cluster.local`);
    }
    const { status } = await getObject<Karmada>(cluster, 'karmada', name, namespace);
    expect(status?.etcdCluster).toMatchObject({ quorum: 'True' });
  }

  /** Waits for 20 acknowledged writes. An API server connects only seconds after its only etcd member has restarted. */
  async function untilWritten(when: string, written: () => number): Promise<void> {
    const wanted = written() + 20;
    await poll(
      `20 writes ${when} are acknowledged`,
      (seen) => {
        seen(`${String(written())} of ${String(wanted)}`);
        return Promise.resolve(written() >= wanted || undefined);
      },
      { deadlineMs: 60_000 },
    );
  }

  beforeAll(async () => {
    cluster = await useCluster(['etcd', 'kubernetes', 'karmada']);
    await installOperator(cluster);
    changes = new EtcdScene(cluster, namespace);
  }, 1_800_000);

  afterAll(async () => {
    await changes.end();
  }, 240_000);

  it('moves three members to https without a lost key, a failed call or a gap of 5 s', async () => {
    await installHttp(3);
    const plan = await planOfPatch(cluster, { name, namespace }, {});
    expect(plan).toContain('the members connect to each other with https instead of http');
    await changes.during('secure', async () => {
      await installOperator(cluster);
      await untilSecure(3);
    });
  }, 900_000);

  it('moves a single member to https without a lost key', async () => {
    await installHttp(1);
    const inside = await controlPlaneClientOf(cluster, name, namespace);
    try {
      const { lost } = await writing(inside, 'single', async (written) => {
        await untilWritten('before the move', written);
        await installOperator(cluster);
        await untilSecure(1);
        await untilWritten('after the move', written);
      });
      expect(lost).toEqual([]);
    } finally {
      await inside.close();
    }
  }, 900_000);

  const titleOf = (write: number): string =>
    `moves three members to https when the operator is killed after its write ${String(write)}`;

  it.each(drawn(writes, 1, titleOf).map((write) => [titleOf(write), write] as const))(
    '%s',
    async (_, write) => {
      await installHttp(3);
      try {
        await changes.during('killed', async () => {
          await startKilledOperator(cluster, write);
          await untilSecure(3);
        });
      } finally {
        await stopKilledOperator(cluster);
        await installOperator(cluster);
      }
    },
    900_000,
  );
});
