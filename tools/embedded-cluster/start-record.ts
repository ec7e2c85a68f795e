import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterSettings } from './configuration.ts';
import { Failure } from './failure.ts';
import { clusterDirectory } from './slot.ts';

const familiesFile = (name: string): string => join(clusterDirectory(name), 'families');

const nodesFile = (name: string): string => join(clusterDirectory(name), 'nodes');

/** Records the settings of a cluster that cannot change while it runs. */
export async function recordStart({ name, dualStack, nodes }: ClusterSettings): Promise<void> {
  await writeFile(familiesFile(name), dualStack ? 'dual-stack' : 'ipv4');
  await writeFile(nodesFile(name), String(nodes));
}

/** Returns the number of nodes with which a cluster started, including nodes that were removed. */
export const startedNodes = (name: string): number =>
  existsSync(nodesFile(name)) ? Number(readFileSync(nodesFile(name), 'utf8')) : 1;

/** @throws Failure if IPv6 or more nodes are requested for a running cluster without them */
export function requireStart(
  name: string,
  { dualStack, nodes }: Pick<ClusterSettings, 'dualStack' | 'nodes'>,
): void {
  const remedy = `remove it first: npm run cluster -- down ${name}`;
  if (dualStack && readFileSync(familiesFile(name), 'utf8') !== 'dual-stack')
    throw new Failure(`cluster ${name} is running without IPv6`, remedy);
  const running = startedNodes(name);
  if (nodes > running) {
    const count = running === 1 ? '1 node' : `${String(running)} nodes`;
    throw new Failure(`cluster ${name} is running with ${count}`, remedy);
  }
}
