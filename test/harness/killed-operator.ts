import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../../tools/embedded-cluster/cluster.ts';
import { checkout } from '../../tools/embedded-cluster/paths.ts';
import { poll } from '../../tools/embedded-cluster/poll.ts';
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

/** Program of the operator in its image. */
const PROGRAM = '/opt/karmada-operator/operator.mjs';

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
 * @param counted writes that count, as `POST https://…`; without it, all
 */
export async function startKilledOperator(
  cluster: Cluster,
  killAfter: number,
  counted?: RegExp,
): Promise<void> {
  const env = [
    { name: 'NODE_OPTIONS', value: `--import=${await killer()}` },
    { name: 'KILL_AFTER_WRITE', value: String(killAfter) },
    { name: 'KILL_AFTER_WRITE_OF', value: counted?.source ?? '' },
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

/** Module that kills its process. */
async function killer(): Promise<string> {
  const source = await readFile(join(checkout, 'test/harness/killer.mjs'), 'base64');
  return `data:text/javascript;base64,${source}`;
}

/**
 * Starts the installed operator as a separate Pod instead of its Deployment. Each process is killed right after its first
 * successful write, and another one starts at once. A supervisor in the container starts them, because the kubelet waits
 * longer before each restart.
 */
export async function startOperatorKilledAfterEachWrite(cluster: Cluster): Promise<void> {
  const supervisor = await readFile(join(checkout, 'test/harness/restart-killed.mjs'), 'utf8');
  const env = Object.entries({
    PROGRAM,
    KILLER: await killer(),
    KILL_AFTER_WRITE: '1',
    KILL_EACH_PROCESS: 'true',
  }).map(([key, value]) => ({ name: key, value }));
  await startOperatorPod(cluster, name, (spec) => ({
    ...spec,
    containers: spec.containers.map(({ image, securityContext, ...container }) => ({
      name: 'operator',
      image,
      securityContext,
      ...(container.volumeMounts && { volumeMounts: container.volumeMounts }),
      command: ['/usr/local/bin/node', '--input-type=module', '--eval', supervisor, '--'],
      // No other process wants to be the leader, and the lease of a killed one would have to expire.
      args: [...container.args, '--leader-elect=false'],
      env: [...(container.env ?? []), ...env],
    })),
  }));
}

/** Number of processes that were killed. */
export async function killsOf(cluster: Cluster): Promise<number> {
  const lines = await operatorPodLog(cluster, name, []);
  return lines.filter((line) => line.startsWith('write 1 ')).length;
}

export async function stopKilledOperator(cluster: Cluster): Promise<void> {
  await stopOperatorPod(cluster, name);
}

/**
 * Verifies that the process was killed, after its work is complete. It was not if the work had fewer writes this time:
 * the number of status writes varies with the timing.
 * @param write number of the write after which the process is killed
 * @param fewest lower bound of the number of writes of this work
 */
export async function verifyKill(cluster: Cluster, write: number, fewest: number): Promise<void> {
  // A container that is just restarting may have no log.
  const made = (await writesOf(cluster).catch(() => [])).length;
  const endedBefore = made >= fewest && made < write;
  if (!endedBefore) await untilKilled(cluster);
}

/** Waits until the process was killed and has been restarted. */
export async function untilKilled(cluster: Cluster): Promise<void> {
  await poll('the operator was killed', async (seen) => {
    const { status } = await getObject<Pod>(cluster, 'pod', name, operatorNamespace);
    seen(JSON.stringify(status.containerStatuses));
    const [container] = status.containerStatuses ?? [];
    if (container === undefined || container.restartCount === 0) return undefined;
    // The kubelet sometimes removes a container, and with it the last state, as soon as it has ended.
    const { exitCode = 137 } = container.lastState.terminated ?? {};
    return exitCode === 137 ? true : undefined;
  });
}

/** Writes of a process that has not been killed yet, as `POST https://…`, in order. */
export async function writesOf(cluster: Cluster): Promise<string[]> {
  const lines = await operatorPodLog(cluster, name, []);
  return lines.flatMap((line) => /^write \d+ (.*)$/.exec(line)?.[1] ?? []);
}
