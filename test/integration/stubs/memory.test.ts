/**
 * One process carries a host cluster with many control planes.
 *
 * @size large
 * @sample small
 */
import { expect, it } from '@jest/globals';
import type { Karmada } from '../../../src/api/karmada.ts';
import { karmadas } from '../../../src/host-clusters/host.ts';
import type { KubernetesObject } from '../../../src/kubernetes/objects/object.ts';
import { poll } from '../../../tools/embedded-cluster/poll.ts';
import { disturbedKarmada } from '../../harness/disturbed-install.ts';
import { saysReady } from '../../harness/is-ready.ts';
import { runsAll } from '../../harness/sample.ts';
import { ClusterProcess } from '../../stubs/cluster-process.ts';
import { buildOperator } from '../../stubs/operator/build.ts';
import { OperatorProcess } from '../../stubs/operator/operator-process.ts';

/** Control planes, and the memory that the process with all of them may have, in MiB. */
const { count, limit } = runsAll ? { count: 100, limit: 700 } : { count: 10, limit: 250 };

it(`a process with ${String(count)} control planes of stubs has at most ${String(limit)} MiB`, async () => {
  const [cluster, build] = await Promise.all([ClusterProcess.start(), buildOperator()]);
  const flags = ['--leader-elect=false', '--kube-api-qps=500', '--kube-api-burst=1000'];
  const operator = await OperatorProcess.start({ build, access: cluster.access, flags });
  try {
    for (let n = 0; n < count; n += 1) {
      const name = `team-${String(n)}`;
      await cluster.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      await cluster.client.create(disturbedKarmada(name) as KubernetesObject);
    }
    await poll(
      'all control planes are Ready',
      async (seen) => {
        const { items } = await cluster.client.list(karmadas);
        const ready = items.filter((one) => saysReady(one as Karmada)).length;
        seen(`${String(ready)} of ${String(count)}`);
        return ready === count ? true : undefined;
      },
      { deadlineMs: 3_000_000, intervalMs: 1_000 },
    );
    const memory = await cluster.memory();
    process.stderr.write(`${String(count)} control planes: ${JSON.stringify(memory)} MiB\n`);
    expect(memory.peak).toBeLessThanOrEqual(limit);
  } finally {
    await operator.stop('SIGKILL');
    await cluster.stop();
    await build.remove();
  }
}, 3_600_000);
