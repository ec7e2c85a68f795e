import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubectl, tryKubectl, type Cluster } from '../cluster/cluster.ts';
import { checkout } from '../cluster/paths.ts';
import { poll } from '../cluster/poll.ts';
import { operatorNamespace, release } from '../demo/install.ts';
import { apply, getObject } from './cluster.ts';

const name = 'killed-operator';
const inOperator = ['-n', operatorNamespace];

/** Times of the lease so short that the next process need not wait long for that of a killed one. */
const lease = [
  '--leader-elect-lease-duration=8s',
  '--leader-elect-renew-deadline=6s',
  '--leader-elect-retry-period=500ms',
];

interface Template {
  spec: { containers: { args: string[]; env?: object[] }[] };
}

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
  const { spec } = await getObject<{ spec: { template: Template } }>(
    cluster,
    'deployment',
    release,
    operatorNamespace,
  );
  await stopKilledOperator(cluster);
  await kubectl(cluster, ['scale', 'deployment', release, '--replicas=0', ...inOperator]);
  const gone = ['wait', '--for=delete', 'pod', '-l', `app.kubernetes.io/name=${release}`];
  await kubectl(cluster, [...gone, ...inOperator, '--timeout=60s']);
  const preload = await readFile(join(checkout, 'test/harness/killer.mjs'), 'base64');
  const env = [
    { name: 'NODE_OPTIONS', value: `--import=data:text/javascript;base64,${preload}` },
    { name: 'KILL_AFTER_WRITE', value: String(killAfter) },
  ];
  const containers = spec.template.spec.containers.map((container) => ({
    ...container,
    args: [...container.args, ...lease],
    env: [...(container.env ?? []), ...env],
  }));
  await apply(cluster, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: operatorNamespace, labels: { app: name } },
    // A process with number 1 cannot kill itself.
    spec: { ...spec.template.spec, containers, shareProcessNamespace: true },
  });
}

export async function stopKilledOperator(cluster: Cluster): Promise<void> {
  await tryKubectl(cluster, ['delete', 'pod', name, ...inOperator, '--timeout=60s']);
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
export async function writesOf(cluster: Cluster, previous = false): Promise<string[]> {
  const logs = ['logs', name, ...inOperator, ...(previous ? ['--previous'] : [])];
  const lines = (await kubectl(cluster, logs)).split('\n');
  return lines.flatMap((line) => /^write \d+ (.*)$/.exec(line)?.[1] ?? []);
}
