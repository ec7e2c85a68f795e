import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../embedded-cluster/cluster.ts';
import { checkout } from '../embedded-cluster/paths.ts';
import { poll } from '../embedded-cluster/poll.ts';
import { operatorNamespace } from '../demo/install.ts';
import { getObject } from './cluster.ts';
import { operatorPodLog, startOperatorPod, stopOperatorPod } from './operator-pod.ts';

const name = 'killed-operator';

/** Lease timings that let the next process acquire the lease of a killed process soon. */
const lease = [
  '--leader-elect-lease-duration=8s',
  '--leader-elect-renew-deadline=6s',
  '--leader-elect-retry-period=500ms',
];

interface Pod {
  status: {
    containerStatuses?: {
      restartCount: number;
      lastState: { terminated?: { exitCode: number } };
    }[];
  };
}

/**
 * Starts the installed operator as a separate Pod instead of its Deployment. The process is killed (SIGKILL) right
 * after its k-th successful write; writes of leases and Events do not count. The kubelet restarts it, and the new
 * process is not killed.
 * @param killAfter number of the write, counted from 1; Infinity for never
 */
export async function startKilledOperator(cluster: Cluster, killAfter: number): Promise<void> {
  const preload = await readFile(join(checkout, 'test/harness/killer.mjs'), 'base64');
  const env = [
    { name: 'NODE_OPTIONS', value: `--import=data:text/javascript;base64,${preload}` },
    { name: 'KILL_AFTER_WRITE', value: String(killAfter) },
  ];
  await startOperatorPod(cluster, name, (spec) => ({
    ...spec,
    containers: spec.containers.map((container) => ({
      ...container,
      args: [...container.args, ...lease],
      env: [...(container.env ?? []), ...env],
    })),
    // A process with PID 1 cannot kill itself.
    shareProcessNamespace: true,
  }));
}

export async function stopKilledOperator(cluster: Cluster): Promise<void> {
  await stopOperatorPod(cluster, name);
}

/** Waits until the process was killed and has been restarted. */
export async function untilKilled(cluster: Cluster): Promise<void> {
  await poll('the operator was killed', async (seen) => {
    const { status } = await getObject<Pod>(cluster, 'pod', name, operatorNamespace);
    seen(JSON.stringify(status.containerStatuses));
    const [container] = status.containerStatuses ?? [];
    return container?.lastState.terminated?.exitCode === 137 ? true : undefined;
  });
}

/** Writes of a process that has not been killed yet, as `POST https://…`, in order. */
export async function writesOf(cluster: Cluster): Promise<string[]> {
  const lines = await operatorPodLog(cluster, name, []);
  return lines.flatMap((line) => /^write \d+ (.*)$/.exec(line)?.[1] ?? []);
}
