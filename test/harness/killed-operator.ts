import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../cluster/cluster.ts';
import { checkout } from '../cluster/paths.ts';
import { poll } from '../cluster/poll.ts';
import { operatorNamespace } from '../demo/install.ts';
import { getObject } from './cluster.ts';
import { operatorPodLog, startOperatorPod, stopOperatorPod } from './operator-pod.ts';

const name = 'killed-operator';

/** Times of the lease so short that the next process need not wait long for that of a killed one. */
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
 * Starts the installed operator as a pod of its own in the place of its Deployment. Its process is killed (SIGKILL)
 * right after its k-th write that succeeded, leases and Events apart; the kubelet then starts it again, and that one
 * lives on.
 * @param killAfter number of the write, counted from 1; infinite: never
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
    // A process with number 1 cannot kill itself.
    shareProcessNamespace: true,
  }));
}

export async function stopKilledOperator(cluster: Cluster): Promise<void> {
  await stopOperatorPod(cluster, name);
}

/** Waits until the process was killed and runs again. */
export async function untilKilled(cluster: Cluster): Promise<void> {
  await poll('the operator was killed', async (seen) => {
    const { status } = await getObject<Pod>(cluster, 'pod', name, operatorNamespace);
    seen(JSON.stringify(status.containerStatuses));
    const [container] = status.containerStatuses ?? [];
    return container?.lastState.terminated?.exitCode === 137 ? true : undefined;
  });
}

/** The writes of a process that was not killed yet, as `POST https://…`, in their order. */
export async function writesOf(cluster: Cluster): Promise<string[]> {
  const lines = await operatorPodLog(cluster, name, []);
  return lines.flatMap((line) => /^write \d+ (.*)$/.exec(line)?.[1] ?? []);
}
