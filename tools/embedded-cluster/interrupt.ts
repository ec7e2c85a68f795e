import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { controlGroups } from './cgroups.ts';
import { nodePathFile, type Cluster } from './cluster.ts';
import { startInNode } from './node.ts';
import { poll } from './poll.ts';
import type { ProgramName } from './programs.ts';

/**
 * Kills a program of the node and starts it again with the same command after a delay.
 * @param forMs delay in milliseconds
 */
export async function interrupt(
  { name: cluster, node }: Cluster,
  program: ProgramName,
  forMs: number,
): Promise<void> {
  const [id] = node.groups.processes(program);
  if (id === undefined) throw new Error(`${program} is not running`);
  const command = (await readFile(`/proc/${String(id)}/cmdline`, 'utf8')).split('\0').slice(0, -1);
  process.kill(id, 'SIGKILL');
  await poll(`${program} has exited`, async (seen) => {
    const left = controlGroups(cluster).processes(program);
    seen(left.join());
    return left.length === 0 ? true : undefined;
  });
  await delay(forMs);
  startInNode(node, program, command, { PATH: await readFile(nodePathFile(cluster), 'utf8') });
}
