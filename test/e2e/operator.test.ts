/** @size small */
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { packageVersion } from '../../scripts/release/version.ts';
import type { Karmada } from '../../src/api/karmada.ts';
import { kubectl, tryKubectl, type Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
import { run } from '../../tools/embedded-cluster/command.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { apply, getObject, useCluster } from '../harness/cluster.ts';
import { describeCluster } from '../harness/describe-cluster.ts';
import { installOperator } from '../harness/operator.ts';

const namespace = 'operator-test';
const inOperator = ['-n', operatorNamespace];

interface Lease {
  spec: { holderIdentity?: string };
}

interface Pod {
  metadata: { name: string; deletionTimestamp?: string };
  spec: object;
}

describeCluster('operator image', () => {
  let cluster: Cluster;

  const holder = async (): Promise<string> => {
    const lease = await getObject<Lease>(cluster, 'lease', 'karmada-operator', operatorNamespace);
    return (lease.spec.holderIdentity ?? '').replace(/_.*/, '');
  };

  /** Returns the Pods of this installation. Pods of an earlier one may still be terminating. */
  const pods = async (): Promise<Pod[]> => {
    const json = await kubectl(cluster, ['get', 'pods', ...inOperator, '-o', 'json']);
    const { items } = JSON.parse(json) as { items: Pod[] };
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  };

  beforeAll(async () => {
    cluster = await useCluster(['busybox']);
    await installOperator(cluster, { operator: { replicaCount: 2 } });
    await apply(cluster, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }, 1_800_000);

  it('runs two replicas as non-root, of which one is the leader', async () => {
    const running = await pods();
    expect(running).toHaveLength(2);
    for (const pod of running) {
      expect(JSON.stringify(pod.spec)).toContain('"runAsNonRoot":true');
    }
    const names = running.map(({ metadata }) => metadata.name);
    const leader = await poll('one of the two Pods is the leader', async (seen) => {
      const now = await holder();
      seen(now);
      return names.includes(now) ? now : undefined;
    });
    expect(names).toContain(leader);
  }, 60_000);

  it('passes the test of its chart', async () => {
    const helm = join(cluster.bin, 'helm');
    const command = [helm, 'test', release, ...inOperator, '--timeout', '120s'];
    const text = await run(command, { env: { KUBECONFIG: cluster.kubeconfig } });
    expect(text).toMatch(/Phase: +Succeeded/);
  }, 150_000);

  it('responds to probes and serves metrics', async () => {
    const [pod] = await pods();
    const get = (port: number, path: string): Promise<string> =>
      kubectl(cluster, [
        'get',
        '--raw',
        `/api/v1/namespaces/${operatorNamespace}/pods/${pod?.metadata.name ?? ''}:${String(port)}/proxy${path}`,
      ]);
    expect(await get(8443, '/healthz')).toBe('ok\n');
    expect(await get(8443, '/readyz')).toBe('ok\n');
    const built = `karmada_operator_build_info{version="${await packageVersion()}"} 1`;
    expect(await get(8080, '/metrics')).toContain(built);
  }, 60_000);

  it('sets observedGeneration in the conditions', async () => {
    // The CRD schema does not validate this annotation.
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': 'none' };
    const invalid = { components: { karmadaWebhook: { annotations } } };
    await apply(cluster, {
      apiVersion: 'operator.karmada.io/v1alpha1',
      kind: 'Karmada',
      metadata: { name: 'seen', namespace },
      spec: { ...invalid, suspend: true },
    });
    const karmada = await poll('a condition is written', async (seen) => {
      const found = await getObject<Karmada>(cluster, 'karmada', 'seen', namespace);
      seen(JSON.stringify(found.status));
      return found.status?.conditions === undefined ? undefined : found;
    });
    expect(karmada.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Ready',
        status: 'False',
        observedGeneration: karmada.metadata.generation,
      }),
    );
    await kubectl(cluster, ['delete', 'karmada', 'seen', '-n', namespace, '--timeout=60s']);
  }, 120_000);

  it('elects the other Pod when the leader is deleted', async () => {
    const first = await holder();
    await kubectl(cluster, ['delete', 'pod', first, ...inOperator, '--wait=false']);
    const second = await poll('another Pod is the leader', async (seen) => {
      const now = await holder();
      seen(now);
      return now !== '' && now !== first ? now : undefined;
    });
    expect(second).not.toBe(first);
    const rollout = ['rollout', 'status', 'deployment/karmada-operator', '--timeout=60s'];
    expect((await tryKubectl(cluster, [...inOperator, ...rollout])).code).toBe(0);
  }, 120_000);
});
