/** Heap limit of the operator in its Pod. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { checkout } from '../../../tools/embedded-cluster/paths.ts';

const LIMIT = /^--max-(?:old-space-size|heap-size)/;

/**
 * Returns the flags of Node.js for a process without the memory limit of the chart: Node.js limits the old generation to half
 * of that limit, unless the flags of the image set another one.
 */
export async function heapFlags(command: readonly string[]): Promise<readonly string[]> {
  if (command.some((flag) => LIMIT.test(flag))) return [];
  const text = await readFile(join(checkout, 'charts/karmada-operator/values.yaml'), 'utf8');
  return [`--max-old-space-size=${String(memoryLimitOf(load(text)) / 2)}`];
}

/** @returns MiB. @throws Error for a limit in another unit */
export function memoryLimitOf(values: unknown): number {
  const { operator } = values as { operator?: { resources?: { limits?: { memory?: string } } } };
  const memory = operator?.resources?.limits?.memory ?? '';
  const [, mebibytes] = /^(\d+)Mi$/.exec(memory) ?? [];
  if (mebibytes === undefined) throw new Error(`memory limit of the chart: ${memory}`);
  return Number(mebibytes);
}
